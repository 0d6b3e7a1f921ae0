"""What counts as an untouched template of CLAW.md."""

import pytest

from clawa_search.continuity.onboarding import is_template


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n \n",
        "# CLAW\n\n## Voice\n\n## Values\n",
        "# Claw\n<!-- A comment\nover two lines. -->\n- \n1. \n---\n",
        "Name: \n**Voice:** <how you sound>\n- Values: TODO\n- [ ] ...\n_something about you_\n{{name}}\n",
        "<!-- never closed",
    ],
)
def test_headings_comments_and_placeholders_say_nothing(text):
    assert is_template(text)


@pytest.mark.parametrize(
    "text",
    ["I am a claw.", "# Claw\n- Name: Banana\n", "- calm", "x" * 1_000, "<!-- a --> me <!-- b -->"],
)
def test_one_sentence_of_its_own_ends_the_first_run(text):
    assert not is_template(text)

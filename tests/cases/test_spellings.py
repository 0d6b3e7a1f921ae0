"""What was written in another way than it is asked for is found, in memories, fresh and indexed."""

import pytest

from clawa_search.search.inflections import _are_forms
from clawa_search.search.query import parse
from clawa_search.search.run import MAX_SPELT, _widen
from clawa_search.search.spellings import _respelt
from clawa_search.search.vocabulary import Vocabulary
from tests.builders import home_of

SAID = {
    "written together": [
        ("The clipboard of the old laptop is broken.", "clip board of the laptop"),
        ("We log in through the portal since May.", "login through the portal"),
        ("My headband is in the sauna.", "where is my head band"),
        ("The landing page has a new footer.", "landingpage footer"),
        ("The spreadsheet of the taxes lies on the share.", "spread sheet of the taxes"),
    ],
    "units": [
        ("The tank takes 55 l of petrol.", "55l of petrol"),
        ("Videos are cut at 24fps.", "24 fps videos"),
        ("The rent is 940 EUR a month.", "rent of 940EUR"),
    ],
    "spelling": [
        (
            "The neighbour paints the theatre in his favourite colour.",
            "theater colors of the neighbor",
        ),
        ("Please organise the catalogue of the licences.", "organize the catalog of licenses"),
        ("The harbor was modernized by a jewelry maker.", "modernised harbour jewellery"),
    ],
    "inflection": [
        ("Кошка спит на старом диване в гостиной.", "где спят кошки"),
        ("Die Bäume im Garten müssen gefällt werden.", "welcher Baum muss gefällt werden"),
        (
            "Der Serverraum wird am Montag gestrichen.",
            "wann wird der Raum für den Server gestrichen",
        ),
        ("Das Dach der Garage leckt.", "wo leckt das Garagendach"),
        ("Il gatto ha rotto il vaso della nonna.", "chi ha rotto i vasi della nonna"),
        ("Η συνάντηση γίνεται κάθε Τρίτη.", "πότε γίνονται οι συναντήσεις"),
    ],
}
OTHERS = [
    f"The {thing} of the {place} is {state}."
    for thing in ("board", "sheet", "page", "band", "wall", "list")
    for place in ("garden", "office", "harvest", "portal")
    for state in ("fine", "gone", "new")
]
PAIRS = [pair for pairs in SAID.values() for pair in pairs]


@pytest.fixture(scope="module", params=["memories", "fresh", "indexed"])
def home(request, tmp_path_factory):
    texts = OTHERS + [said for said, _ in PAIRS]
    made = home_of(texts, tmp_path_factory.mktemp("spelt"), request.param)
    yield made
    made.close()


@pytest.mark.parametrize(("said", "asked"), PAIRS)
def test_the_other_spelling_stands_first(home, said, asked):
    hit = home.ask(asked, everything=True).hits[0]
    assert hit.excerpt == said
    # Of an inflected question something is always missing.
    assert hit.tier == "match" or (said, asked) in SAID["inflection"]


def test_a_known_spelling_is_no_guess(home):
    answer = home.ask("favorite color", everything=True)
    assert answer.notes == []
    assert {hit.tier for hit in answer.hits[:1]} == {"match"}


def test_only_endings_are_respelt():
    assert set(_respelt("colourful")) == {"colorful"}
    assert set(_respelt("centre")) == {"center"}
    assert set(_respelt("grey")) == {"gray"}
    for word in ("hour", "four", "our", "or", "iced", "ounce", "orchestra", "rise"):
        assert set(_respelt(word)) == set(), word


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("кошка", "кошки", True),
        ("haus", "hauses", True),
        ("haus", "hausmeister", False),
        ("passwort", "passage", False),
        ("casa", "case", False),  # too short to tell
        ("giocatore", "giocatori", True),
        ("was", "wer", False),
        ("дом", "дома", True),
        ("cat", "cats", True),
        ("cat", "car", False),
    ],
)
def test_forms_of_a_word_differ_in_a_short_ending(one, two, alike):
    assert _are_forms(one, two) is _are_forms(two, one) is alike


class Everything(Vocabulary):
    """Holds whatever it is asked for."""

    def counts(self, tokens, field="text"):
        return dict.fromkeys(tokens, 1)

    def knows(self, tokens):
        return True


@pytest.mark.parametrize("words", [MAX_SPELT, MAX_SPELT + 1])
def test_a_long_question_is_left_as_it_is(words):
    query = parse(" ".join(f"colour{letter}" for letter in "abcdefghijklmnop"[:words]))
    assert len(query.words) == words
    _widen(query, Everything(None, None, ()), is_wild=False)
    assert any(word.others for word in query.words) is (words <= MAX_SPELT)


def test_what_stands_in_quotes_or_has_underscores_is_not_respelt(home):
    assert home.ask('"clip board"', everything=True).hits == []
    assert home.ask("clip_board", everything=True).hits == []


@pytest.mark.parametrize("where", ["memories", "fresh", "indexed"])
@pytest.mark.parametrize(
    ("asked", "exact", "other"),
    [
        ("color", "the color of thing {} was new", "the colour of any thing was new"),
        ("кошка", "кошка ест {}", "кошку мыли вчера"),
        ("island", "the island number {} is far", "this plot is land for sale"),
        ("headband", "a headband for player {}", "a head band for player one"),
        ("car pet", "the car of my pet is number {}", "the carpet of my room is number one"),
        ("2027-06-08", "we met on 2027-06-08 for talk {}", "we met on June 8, 1999 for talk one"),
        ("june 8", "we met on june 8 for talk {}", "the serial was 06 08 on the box"),
    ],
)
def test_however_rare_another_spelling_is_the_one_that_was_asked_for_comes_first(
    tmp_path, where, asked, exact, other
):
    texts = [f"note {number} about rain" for number in range(60)]
    texts += [exact.format(number) for number in range(12)] + [other]
    home = home_of(texts, tmp_path, where)
    for limit in (1, 5, 30):
        hits = home.ask(asked, everything=True, limit=limit).hits
        assert other not in [hit.excerpt for hit in hits[:12]]
    home.close()


def test_many_forms_in_one_memory_do_not_push_the_exact_ones_out(tmp_path):
    forms = "города городу городом городе городов городам городами городах"
    texts = [f"note {number} about rain" for number in range(100)]
    texts += [f"{forms} {'слово ' * 30}{number}" for number in range(40)]
    texts += [f"Любимый город {number}." for number in range(60)]
    home = home_of(texts, tmp_path, "memories")
    for limit in (1, 5, 20, 60):
        hits = home.ask("город", everything=True, limit=limit).hits
        assert len(hits) == limit
        assert all("Любимый" in hit.excerpt for hit in hits), limit
    home.close()


@pytest.mark.parametrize("asked", ["where is the island", "onion soup", "below", "what to forget"])
def test_no_word_is_cut_at_a_function_word(tmp_path, asked):
    texts = [
        "this plot is land",
        "it was on ion exchange",
        "do not be low on milk",
        "for get requests",
    ]
    home = home_of(texts, tmp_path, "memories")
    assert not [hit for hit in home.ask(asked).hits if hit.tier == "match"]
    home.close()


def test_forms_come_before_compounds(tmp_path):
    ends = "raum schrank farm kabel miete kosten liste halle wartung umzug betrieb ausfall".split()
    texts = [f"Der Server{end}{more} ist neu." for end in ends for more in ("", "plan")]
    home = home_of([*texts, "Alle Servern im Keller sind aus."], tmp_path, "memories")
    hits = home.ask("wo ist der Server im Haus", limit=30).hits
    assert "Alle Servern im Keller sind aus." in [hit.excerpt for hit in hits[:3]]
    home.close()

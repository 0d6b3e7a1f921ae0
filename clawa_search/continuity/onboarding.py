"""Tell whether a home is still being set up, so that recall has nothing to find yet.

The rule: a home is in its first run while its CLAW.md is missing or says nothing of its own. A
line says nothing when it is blank, a heading, a comment, a rule, or a placeholder (`…`, `TODO`,
`TBD`, `<name>`, `[name]`, `{{name}}`, `_name_`), alone or behind a list bullet or a "Label:". A
template consists of such lines only, whatever its author called them; the first real sentence
ends the first run.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_HOLLOW = re.compile(
    r"""\s*
    (?: \#{1,6}(?:\s.*)?                                  # a heading
      | (?:[-*_=]\s*){3,}                                 # a rule
      | (?:[-*+]|\d+[.)])?\s*                             # a list bullet
        (?:\[[ xX]?\]\s*)?                                # a task box
        (?:\**[\w ]{1,40}:\**\s*)?                        # a label waiting for its value
        (?: \.{2,}|…|\?+|TODO:?|TBD|FIXME|N/?A
          | <[^<>]*> | \[[^\[\]]*\] | \{\{[^{}]*\}\} | _[^_]+_ )?
        [.\s]*
    )\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_LONGEST_LINE = (
    400  # characters; nobody's placeholder is longer, and a bounded line keeps the pattern cheap
)


def is_template(text: str) -> bool:
    """Tell whether *text*, the content of CLAW.md, says nothing of its own."""
    return all(
        len(line) <= _LONGEST_LINE and _HOLLOW.fullmatch(line) is not None
        for line in _COMMENT.sub("", text).splitlines()
    )

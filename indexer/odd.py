"""Find what `analysis` must look at in a text, twice as fast: for bulk, since it loads `re`."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

from indexer.forms import HARD, MAX_PLAIN

_SEPARATOR = rf"{re.escape(HARD)}\s"
_PLAIN = (
    rf"(?:[A-Z]?[a-z]{{1,{MAX_PLAIN - 1}}}+|[A-Z]{{1,{MAX_PLAIN}}}+|[0-9]{{1,{MAX_PLAIN}}}+)\.*+"
)
_NEXT_ODD = re.compile(
    rf"(?:[{_SEPARATOR}]*+{_PLAIN}(?![^{_SEPARATOR}]))*+[{_SEPARATOR}]*+([^{_SEPARATOR}]*+)"
)


def odd_pieces(text: str) -> Iterable[str]:
    """Return the pieces of *text* that are no plain words, each once, in order."""
    found = dict.fromkeys(_NEXT_ODD.findall(text))
    found.pop("", None)
    return found

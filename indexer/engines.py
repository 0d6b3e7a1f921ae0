"""The two engines, imported without the modules of Python that they hardly use.

`_sqlite3` imports functools, and with it collections, operator, reprlib and types, for one
function; tantivy imports datetime and types for a few classes. That was 14 M of the 95 M
instructions of a cold recall. Here both get what they ask for from modules that hold nothing
else; whoever imports the real ones later gets the real ones.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ENGINES = frozenset(("_sqlite3", "tantivy"))


def load(engine: str) -> None:
    """Import one of ENGINES, if that has not happened yet."""
    if engine not in sys.modules:
        found = _for_sqlite() if engine == "_sqlite3" else _for_tantivy()
        put = [name for name in found if name not in sys.modules]
        sys.modules.update({name: found[name] for name in put})
        try:
            __import__(engine)
        finally:
            for name in put:
                if sys.modules.get(name) is found[name]:
                    del sys.modules[name]


def _for_sqlite() -> dict[str, ModuleType]:
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]  # untyped

    def lru_cache(size: int) -> Callable[[Callable[[str], object]], object]:
        return lambda call: _lru_cache_wrapper(call, size, False, tuple)

    return {"functools": _holding("functools", {"lru_cache": lru_cache})}


def _for_tantivy() -> dict[str, ModuleType]:
    import _datetime  # type: ignore[import-not-found]  # untyped

    return {
        "datetime": _holding("datetime", vars(_datetime)),
        "types": _holding("types", {"SimpleNamespace": type(sys.implementation)}),
    }


def _holding(name: str, known: dict[str, object]) -> ModuleType:
    """Return a module *name* that holds what is *known*; for anything else it makes way."""
    module = type(sys)(name)

    def real(wanted: str) -> object:
        if sys.modules.get(name) is module:
            del sys.modules[name]
        return getattr(__import__(name), wanted)

    vars(module).update(known, __name__=name, __getattr__=real)
    return module

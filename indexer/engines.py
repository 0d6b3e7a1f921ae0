"""The two engines and other compiled modules, imported with as little around them as possible.

`_sqlite3` imports functools, and with it collections, operator, reprlib and types, for one
function; tantivy imports datetime and types for a few classes. That was 14 M of the 95 M
instructions of a cold recall. Here both get what they ask for from modules that hold nothing
else; whoever imports the real ones later gets the real ones.

Where a compiled module lies is guessed: Python's import system lists every folder of the path to
find it, which takes longer than loading it. A wrong guess is left to the import system.
"""

from __future__ import annotations

import posix
import sys
from _frozen_importlib import _load  # type: ignore[attr-defined]  # what an import does
from _frozen_importlib_external import ExtensionFileLoader, spec_from_file_location
from _imp import extension_suffixes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

ENGINES = frozenset(("_sqlite3", "tantivy"))


def load(module: str) -> None:
    """Import one of ENGINES or a compiled module of Python's own, unless that happened already."""
    if module in sys.modules:
        return
    found: dict[str, ModuleType] = {}
    if module in ENGINES:
        found = _for_sqlite() if module == "_sqlite3" else _for_tantivy()
    put = [name for name in found if name not in sys.modules]
    sys.modules.update({name: found[name] for name in put})
    try:
        if module not in sys.builtin_module_names:
            _guess(module)
        package = __import__(module)
        if module == "tantivy":
            vars(package)["tantivy"] = sys.modules[
                "tantivy.tantivy"
            ]  # as an import of both would do
    finally:
        for name in put:
            if sys.modules.get(name) is found[name]:
                del sys.modules[name]


def _guess(module: str) -> None:
    """Load the file of *module* from where such a file usually is, if it is there."""
    name, file = module, f"{module}{extension_suffixes()[0]}"
    places = [place for place in sys.path if place.endswith("lib-dynload")]
    if module == "tantivy":  # the package does nothing but hand on what this one holds
        name, file, places = "tantivy.tantivy", "tantivy/tantivy.abi3.so", sys.path
    for place in places:
        path = f"{place}/{file}"
        if posix.access(path, posix.R_OK):
            _load(spec_from_file_location(name, path, loader=ExtensionFileLoader(name, path)))
            return


def _for_sqlite() -> dict[str, ModuleType]:
    from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]  # untyped

    def lru_cache(size: int) -> Callable[[Callable[[str], object]], object]:
        return lambda call: _lru_cache_wrapper(call, size, False, tuple)

    return {"functools": _holding("functools", {"lru_cache": lru_cache})}


def _for_tantivy() -> dict[str, ModuleType]:
    load("_datetime")
    return {
        "datetime": _holding("datetime", vars(sys.modules["_datetime"])),
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

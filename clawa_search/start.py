"""Where the command begins: what the verbs that run often need is loaded in one go.

Python's import system takes 0.1 ms and more for a module beside the module's own code, and a
recall has fifty. Here their byte code is read and run in order, checked as Python checks it (PEP
552: magic number, time and size of the source). It lies together in one file a part, which the
first run writes (`packs`): opening fifty files takes another 2 ms. What is not as usual is left to
the import system, which also writes the byte code that is missing.
"""

import gc
import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    Packed = dict[str, tuple[bytes, CodeType]]
    """By name as in a list: the stamp of the source, as in a .pyc, and its byte code."""

MAX_BYTES = 96 << 10
"""Of byte code read at once. A buffer of 128 KiB and more would be mapped, cut and unmapped for each
module: 3 calls and fresh pages, a tenth of what a recall costs beside Python itself."""
ROOT = __file__.removesuffix("clawa_search/start.py")
COMPILED = frozenset("math _heapq _blake2 _datetime _sqlite3 tantivy".split())
"""Modules that `indexer.engines` finds faster than Python does."""
HEAD_BYTES = 512
"""Where the first part of a pack begins."""
FUTURE = type(sys)("__future__")
"""Stands in for the module of that name, of which no more is asked than what an import of
`annotations` asks: 0.2 ms."""
vars(FUTURE)["annotations"] = None
TAG = sys.implementation.cache_tag
MODULES = {
    # Of any verb.
    "first": """
clawa_search.cli. indexer. indexer.errors clawa_search.errors indexer.entry clawa_search.cli.flags
clawa_search.cli.streams clawa_search.main
""",
    # Of any recall besides.
    "recall": """
indexer.engines clawa_search.cli.hot
clawa_search.recall clawa_search.places clawa_search.search. clawa_search.search.excerpt
clawa_search.memory. clawa_search.memory.tags clawa_search.search.question clawa_search.secrets
clawa_search.search.recent indexer.version clawa_search.memory.record _sqlite3
clawa_search.memory.connect math indexer.word clawa_search.memory.terms clawa_search.memory.plan
clawa_search.memory.candidates clawa_search.memory.condition clawa_search.memory.database
clawa_search.memory.store clawa_search.output. clawa_search.output.clean clawa_search.output.text
""",
    # Of a recall that has to search.
    "search": """
tantivy clawa_search.search.bm25 indexer.forms indexer.analysis
indexer.status indexer.discover _blake2 indexer.probe indexer.catalog indexer.schema
clawa_search.search.corrections _heapq clawa_search.search.merge
clawa_search.search.rank clawa_search.search.clauses clawa_search.search.matches
clawa_search.search.sessions
clawa_search.search.dated clawa_search.search.winner clawa_search.search.engine
clawa_search.search.anchors clawa_search.search.strength clawa_search.search.present
clawa_search.search.query clawa_search.search.scope clawa_search.search.spellings
clawa_search.search.vocabulary clawa_search.search.run
indexer.function_words indexer.closed_classes indexer.layout clawa_search.search.irregular
""",
    # Of a reindex that finds nothing to do.
    "reindex": """
clawa_search.cli.hot clawa_search.output.
clawa_search.output.synced indexer.report clawa_search.cli.reindexing clawa_search.recall
clawa_search.places indexer.files indexer.version indexer.layout indexer.status indexer.snapshot
indexer.known
indexer.discover indexer.plan indexer.sync clawa_search.memory. clawa_search.memory.stale
""",
}
"""By part: what it needs, each module after those that it needs itself; a package ends with a dot.

One of COMPILED stands where the first of those that need it follows.
"""


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    # Most runs make little garbage and end at once; looking for cycles costs them 3 %.
    gc.disable()
    preload("first")
    from clawa_search.cli.flags import find_verb

    _, verb, _ = find_verb(sys.argv[1:])
    if verb in ("recall", "reindex"):
        preload(verb)
    from clawa_search import main as command

    command.main()


def preload(part: str) -> None:
    """Load a part of MODULES."""
    if sys.pycache_prefix is not None or sys.flags.optimize or sys.flags.verbose:
        return
    names = MODULES[part].split()
    modules = sys.modules
    future = modules.setdefault("__future__", FUTURE)
    packed = read_pack(part)
    loaded: Packed = {}
    changed = False
    for given in names:
        name = given.removesuffix(".")
        if name in modules:
            continue
        if given in COMPILED:
            from indexer.engines import load

            load(name)
            continue
        source = f"{ROOT}{given.replace('.', '/')}{'.py' if name == given else '__init__.py'}"
        found = packed.get(given)
        if found is None or found[0] != stamp(source):
            found, changed = byte_code(source), True
        if found is None:
            __import__(name)
            continue
        loaded[given] = found
        _run(name, source, found[1], is_package=name != given)
    if future is FUTURE:
        del modules["__future__"]
    if changed and not sys.dont_write_bytecode and loaded.keys() | COMPILED >= {*names}:
        from clawa_search.packs import write

        write(pack_of(part), loaded)


def _run(name: str, source: str, code: "CodeType", *, is_package: bool) -> None:
    """Make the module *name* and run its *code*, as an import would."""
    modules = sys.modules
    parent, _, leaf = name.rpartition(".")
    module = type(sys)(name)
    loader = SourceFileLoader(name, source)
    module.__spec__ = ModuleSpec(name, loader, origin=source, is_package=is_package)
    module.__loader__, module.__file__ = loader, source
    module.__package__ = parent
    if is_package:
        module.__package__ = name
        module.__path__ = module.__spec__.submodule_search_locations = [source[:-12]]
    modules[name] = module
    try:
        exec(code, module.__dict__)  # noqa: S102  # what an import does
    except BaseException:
        del modules[name]
        raise
    if parent:
        setattr(modules[parent], leaf, module)


def stamp(source: str) -> bytes:
    """Return what a .pyc says of the state of its *source*; nothing if there is none."""
    try:
        status = posix.stat(source)
    except OSError:
        return b""
    number = (int(status.st_mtime) & 0xFFFFFFFF) | (status.st_size & 0xFFFFFFFF) << 32
    return number.to_bytes(8, "little")


def byte_code(source: str) -> "tuple[bytes, CodeType] | None":
    """Return the stamp and the code of *source*, None if Python would compile it anew."""
    folder, _, file = source.rpartition("/")
    try:
        fd = posix.open(
            f"{folder}/__pycache__/{file[:-3]}.{TAG}.pyc", posix.O_RDONLY | posix.O_CLOEXEC
        )
        try:
            raw = posix.read(fd, MAX_BYTES)  # a file object asks the system four times as much
        finally:
            posix.close(fd)
    except OSError:
        return None
    now = stamp(source)
    if len(raw) == MAX_BYTES or raw[:16] != MAGIC_NUMBER + bytes(4) + now:
        return None
    return now, loads(memoryview(raw)[16:])  # noqa: S302  # as trusted as the module itself


def pack_of(part: str) -> str:
    """Return the path of the file that holds the byte code of *part*."""
    return f"{ROOT}clawa_search/__pycache__/{part}.{TAG}.pack"


def read_pack(part: str) -> "Packed":
    """Return what is in the file of *part*; nothing if there is none, or not of this Python."""
    found: Packed = {}
    try:
        fd = posix.open(pack_of(part), posix.O_RDONLY | posix.O_CLOEXEC)
        try:
            head = posix.read(fd, HEAD_BYTES)
            if head[: len(MAGIC_NUMBER)] == MAGIC_NUMBER:
                for size in loads(head[len(MAGIC_NUMBER) :]):  # noqa: S302
                    found |= loads(posix.read(fd, size))  # noqa: S302
        finally:
            posix.close(fd)
    except (OSError, EOFError, ValueError, TypeError):
        return {}
    return found

"""Where the command begins: what the verbs that run often need is loaded in one go.

Python's import system takes 0.1 ms and more for a module beside the module's own code, and a
recall has fifty. Here their byte code is read and run in order, checked as Python checks it (PEP
552: magic number, time and size of the source). What is not as usual is left to the import
system, which also writes the byte code that is missing.
"""

import gc
import posix
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

MAX_BYTES = 1 << 16
"""Of a module's byte code. A buffer for more would be mapped, cut and unmapped for each module: 3
calls and fresh pages, a tenth of what a recall costs beside Python itself."""
ROOT = __file__.removesuffix("clawa_search/start.py")
FIRST = """
clawa_search.cli. indexer. indexer.errors clawa_search.errors indexer.entry clawa_search.cli.flags
clawa_search.cli.streams clawa_search.main
""".split()
"""The modules of any verb, each after those that it needs; a package ends with a dot."""
RECALL = """
indexer.engines clawa_search.cli.hot
clawa_search.recall clawa_search.places clawa_search.search. clawa_search.search.excerpt
clawa_search.search.question clawa_search.secrets clawa_search.search.recent indexer.version
clawa_search.memory. clawa_search.memory.tags clawa_search.memory.record _sqlite3
clawa_search.memory.connect clawa_search.memory.terms clawa_search.memory.plan
clawa_search.memory.candidates clawa_search.memory.condition clawa_search.memory.database
clawa_search.memory.store clawa_search.output. clawa_search.output.clean clawa_search.output.text
""".split()
"""What any recall needs besides."""
SEARCH = """
tantivy clawa_search.search.bm25 indexer.forms indexer.word indexer.analysis
indexer.status indexer.discover indexer.probe indexer.catalog indexer.schema
clawa_search.search.corrections clawa_search.search.merge
clawa_search.search.rank clawa_search.search.clauses clawa_search.search.sessions
clawa_search.search.dated clawa_search.search.engine clawa_search.search.anchors
clawa_search.search.strength clawa_search.search.present clawa_search.search.query
clawa_search.search.scope clawa_search.search.run indexer.function_words indexer.layout
clawa_search.search.irregular
""".split()
"""What a recall needs besides when it has to search."""
REINDEX = """
clawa_search.cli.hot clawa_search.output.
clawa_search.output.synced indexer.report clawa_search.cli.reindexing clawa_search.recall
clawa_search.places indexer.files indexer.version indexer.layout indexer.status indexer.snapshot
indexer.known
indexer.plan indexer.sync indexer.discover clawa_search.memory. clawa_search.memory.stale
""".split()
"""The same for a reindex that finds nothing to do."""


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    # Most runs make little garbage and end at once; looking for cycles costs them 3 %.
    gc.disable()
    preload(FIRST)
    from clawa_search.cli.flags import find_verb

    _, verb, _ = find_verb(sys.argv[1:])
    if verb in ("recall", "reindex"):
        preload(RECALL if verb == "recall" else REINDEX)
    from clawa_search import main as command

    command.main()


def preload(names: "Sequence[str]") -> None:
    """Load the modules *names*, each after those that it needs; a package ends with a dot.

    One of the engines stands where the first of those that need it follows.
    """
    if sys.pycache_prefix is not None or sys.flags.optimize or sys.flags.verbose:
        return
    modules = sys.modules
    for given in names:
        name = given.removesuffix(".")
        if name in modules:
            continue
        if name in ("_sqlite3", "tantivy"):
            from indexer.engines import load

            load(name)
            continue
        source = f"{ROOT}{given.replace('.', '/')}{'.py' if name == given else '__init__.py'}"
        code = byte_code(source)
        if code is None:
            __import__(name)
            continue
        parent, _, leaf = name.rpartition(".")
        module = type(sys)(name)
        loader = SourceFileLoader(name, source)
        module.__spec__ = ModuleSpec(name, loader, origin=source, is_package=name != given)
        module.__loader__, module.__file__ = loader, source
        module.__package__ = parent
        if name != given:
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


def byte_code(source: str) -> "CodeType | None":
    """Return the code of the module at *source*, None if Python would compile it anew."""
    folder, _, file = source.rpartition("/")
    try:
        status = posix.stat(source)
        fd = posix.open(
            f"{folder}/__pycache__/{file[:-3]}.{sys.implementation.cache_tag}.pyc",
            posix.O_RDONLY | posix.O_CLOEXEC,
        )
        try:
            raw = posix.read(fd, MAX_BYTES)  # a file object asks the system four times as much
        finally:
            posix.close(fd)
    except OSError:
        return None
    stamp = (int(status.st_mtime) & 0xFFFFFFFF) | (status.st_size & 0xFFFFFFFF) << 32
    if len(raw) == MAX_BYTES or raw[:16] != MAGIC_NUMBER + bytes(4) + stamp.to_bytes(8, "little"):
        return None
    code: CodeType = loads(memoryview(raw)[16:])  # noqa: S302  # as trusted as the module itself
    return code

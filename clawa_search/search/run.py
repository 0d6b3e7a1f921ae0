"""One recall from end to end: open, compare, read what is fresh, rank, show."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.memory.store import MemoryStore
    from clawa_search.recall import Recall
    from clawa_search.search.question import Question
    from clawa_search.search.sessions import SessionIndex
    from clawa_search.search.winner import Winner
    from indexer.catalog import Catalog
    from indexer.discover import Found, Listing

from clawa_search.errors import StoreError
from clawa_search.search.dated import may_name_day
from clawa_search.search.engine import BARE_WORDS, RESERVE, Engine
from clawa_search.search.present import Presenter
from clawa_search.search.query import (
    MAX_WORDS,
    Query,
    keep_rarest,
    parse,
)
from clawa_search.search.question import NO_TIME, Answer
from clawa_search.search.scope import Fresh, Scope, find_files, is_wide, make_scope, names_of
from clawa_search.search.spellings import with_spellings
from clawa_search.search.vocabulary import Vocabulary
from indexer.errors import IndexBrokenError, tells_damage

NOTES_PER_KIND = 5
MAX_SPELT = 12
"""A question of more words says enough in the spelling that it has."""
NO_PHRASE = "words in quotation marks must stand side by side; without the marks each is looked for by itself"
NO_SESSIONS = (
    "this home has no session yet; `clawa-search recall --all` searches those of every project"
)
NO_WORDS = "the query holds no word; texts that hold it literally were looked for"


def answer(recall: Recall, question: Question) -> Answer:
    """Answer *question*; see `Recall.search`."""
    began = time.perf_counter()
    if question.now_ms is None:
        question.now_ms = int(time.time() * 1000)
    query = parse(question.query)
    if query.filters:
        from clawa_search.search.filters import take_filters

        against = take_filters(query, question, recall.places.absolute)
        if against:
            query.notes.append(against)
            if question.source == "session":
                made = Answer(question.query)
                made.notes = query.notes
                return made
            question.source = "memory"  # which have neither roles nor projects
    if question.ends_before_it_begins:
        query.notes.append(NO_TIME)
    try:
        made = _answer(recall, question, query, None)
    except BaseException as error:
        if not tells_damage(error):
            raise
        # It opened, so what is damaged was found only where this query had to read.
        made = _answer(recall, question, query, error)
    finally:
        recall.release()
    made.took_ms = (time.perf_counter() - began) * 1000
    return made


def _answer(
    recall: Recall, question: Question, query: Query, damage: BaseException | None
) -> Answer:
    made = Answer(question.query)
    sources = _Sources(recall, question, made, damage)
    is_wild = bool(query.prefixes or query.fuzzies)
    made.notes += query.notes + _widened(query, sources, is_wild=is_wild)
    if len(query.words) >= BARE_WORDS:
        from clawa_search.search.irregular import with_forms

        query.words = with_forms(query.words)
    engine = Engine(
        question,
        query,
        sources.scope,
        index=sources.index,
        memories=sources.memories,
        read=sources.read,
    )
    if query.empty and not query.newest and not is_wild:
        made.notes.append(NO_WORDS)
    winners = _winners(engine, query)
    presenter = Presenter(engine, sources.catalog)
    made.hits = presenter.hits(winners, question.limit)
    made.words = query.shown
    made.notes += engine.notes + presenter.notes
    for path, why in presenter.unreadable.items():
        if f"{path}: {why}" not in made.notes:
            sources.incomplete(f"{path}: {why}")
    if not made.hits and any(len(phrase.tokens) > 1 for phrase in query.phrases):
        made.notes.append(NO_PHRASE)
    if sources.has_no_sessions and not made.hits:
        made.notes.append(NO_SESSIONS)
    made.complete = made.complete and engine.complete
    return made


def _widened(query: Query, sources: _Sources, *, is_wild: bool) -> list[str]:
    """Cut a long question, and look for other words that it may mean.

    Other spellings, similar words where one is unknown, what wildcards stand for.
    """
    vocabulary = Vocabulary(sources.index, sources.memories, sources.read.files)
    try:
        _cut(query, sources, vocabulary)
        notes = _widen(query, vocabulary, is_wild=is_wild)
    except StoreError:  # told when the memories themselves are asked
        vocabulary = Vocabulary(sources.index, None, sources.read.files)
        _cut(query, sources, vocabulary)
        notes = _widen(query, vocabulary, is_wild=is_wild)
    if vocabulary.missed or vocabulary.cut:
        from clawa_search.search.widen import NOT_ALL

        for note in vocabulary.missed + [NOT_ALL] * (is_wild and vocabulary.cut):
            sources.incomplete(note)
    return notes


def _spelt(query: Query, vocabulary: Vocabulary) -> None:
    """Give the words of *query* other ways to be written."""
    query.words = with_spellings(query, vocabulary)
    if may_name_day(query.typed):
        from clawa_search.search.date_forms import with_date_forms

        query.words = with_date_forms(query, vocabulary)
    if query.foreign:
        from clawa_search.search.inflections import with_inflections

        query.words = with_inflections(query, vocabulary)


def _cut(query: Query, sources: _Sources, vocabulary: Vocabulary) -> None:
    """Cut a long question to its rarest words, whatever holds them."""
    if len(query.words) > MAX_WORDS:
        tokens = {token for word in query.words for token in word.tokens}
        counts = {
            "text": vocabulary.counts(tokens),
            "code": vocabulary.counts(
                {code for word in query.words for code in word.codes}, "code"
            ),
        }
        if vocabulary.is_partial:
            for token in tokens - vocabulary.unknown(tokens):
                counts["text"][token] = counts["text"][token] or 1
        keep_rarest(query, lambda field, token: counts[field][token])
    elif sources.index is not None:
        keep_rarest(query, sources.index.df)


def _widen(query: Query, vocabulary: Vocabulary, *, is_wild: bool) -> list[str]:
    if any(len(word.tokens) > 1 for word in query.words):
        from clawa_search.search.compounds import with_parts

        query.words = with_parts(query.words)
    if len(query.words) <= MAX_SPELT:
        _spelt(query, vocabulary)
    if not is_wild and vocabulary.knows(word.tokens[0] for word in query.words if word.plain):
        return []  # the usual case
    from clawa_search.search.widen import widen

    return widen(query, vocabulary)


def _winners(engine: Engine, query: Query) -> list[Winner]:
    # Winners that turn out to be gone or already visible are replaced from the reserve.
    limit, visible = engine.question.limit, engine.question.visible
    if not query.empty:
        return engine.winners(limit + (limit + 50 if visible else RESERVE))
    # The newest are those that the asker sees, one and all.
    limit += RESERVE + sum(map(len, set(visible.values())))
    from clawa_search.search import unranked

    if query.newest:
        return unranked.newest(engine, limit)
    return unranked.literal(engine, limit)


class _Sources:
    """Everything that is searched, opened as far as it can be; what cannot is noted."""

    def __init__(
        self, recall: Recall, question: Question, made: Answer, damage: BaseException | None
    ) -> None:
        """Open what *question* needs.

        Args:
            damage: what the index answered to this question before, if it failed.
        """
        self._recall = recall
        self._made = made
        self._is_beyond_repair = False
        self.has_no_sessions = False
        self.catalog: Catalog | None = None
        self.index: SessionIndex | None = None
        self.memories: MemoryStore | None = None
        self.scope = Scope()
        self.read = Fresh()
        if question.source != "memory":
            self._sessions(question, damage)
        if question.source != "session":
            self._open_memories(question)

    def incomplete(self, note: str) -> None:
        """Say what was not searched."""
        self._made.complete = False
        self._made.notes.append(note)

    def _open_memories(self, question: Question) -> None:
        memories = self._recall.memories
        try:
            if memories.exists():
                self.memories = memories
        except StoreError as error:
            if question.source == "memory":
                raise
            self.incomplete(str(error))

    def _sessions(self, question: Question, damage: BaseException | None) -> None:
        if damage is None:
            self._open(question)
        else:
            self._heal(question, damage, rebuild=True)
        if self.scope.fresh:
            from clawa_search.recall import AUTO_SYNC_BYTES
            from clawa_search.search import fresh

            pending = fresh.pending_bytes(self.scope.fresh, self.catalog)
            if pending > AUTO_SYNC_BYTES and not self._is_beyond_repair:
                self._catch_up(question)
            projects = names_of(question.project)
            self.read = fresh.read_fresh(self.scope.fresh, self.catalog, projects)
            if self.read.rewritten:
                # `show` takes a line for what the index had there: it must be what is shown here.
                self._catch_up(question)
                self.read = fresh.read_fresh(self.scope.fresh, self.catalog, projects)
        self._tell()
        narrow = not is_wide(question) and not question.session_files
        found = self.scope.fresh or self.scope.filter.include or self.scope.notes
        self.has_no_sessions = narrow and not found
        named = [self._recall.places.absolute(path) for path in question.session_files]
        for path in named:
            if path in self.scope.others or path in self.read.others:
                self.incomplete(f"{path}: is not a session file")

    def _open(self, question: Question) -> None:
        try:
            self._open_index(question)
        except IndexBrokenError:
            self._recall.close_index()
            try:  # another process may have put a new index in its place meanwhile
                self._open_index(question)
            except IndexBrokenError as error:
                self._heal(question, error, rebuild=False)

    def _open_index(self, question: Question) -> None:
        self.catalog = self._recall.open_catalog()
        many = is_wide(question) or question.sessions is None
        short = self._recall.snapshot() if many else None
        if self.catalog is not None:
            self.catalog.hold()
        self.scope = make_scope(question, self._recall.places, self.catalog, short)
        self.index = self._recall.open_index()

    def _heal(self, question: Question, damage: BaseException, *, rebuild: bool) -> None:
        """Build a damaged index anew if that is allowed; else read what can be read without."""
        self._recall.close_index()
        narrow = not is_wide(question)
        if narrow:
            listing = _listing(find_files(question, self._recall.places, None, None).files)
        else:
            listing = self._recall.everything()
        why = self._recall.catch_up(listing, narrow=narrow, rebuild=rebuild, suspect=True)
        if not why:
            try:
                self._open_index(question)
            except IndexBrokenError as still:
                damage = still
            else:
                self._made.notes.append(f"{self._recall.places.index_dir}: the index was repaired")
                return
        self.incomplete(f"{damage}; {getattr(damage, 'hint', '')}".removesuffix("; "))
        if why and why != str(damage):
            self.incomplete(f"the index could not be repaired: {why}")
        self.catalog = self.index = None
        self._is_beyond_repair = True
        self.scope = make_scope(question, self._recall.places, None)

    def _catch_up(self, question: Question) -> None:
        listing = _listing([found for found, _ in self.scope.fresh])
        why = self._recall.catch_up(listing, narrow=not is_wide(question))
        if why:
            self._made.notes.append(f"the index is behind: {why}")
        self._open(question)

    def _tell(self) -> None:
        """Say what was not searched, and why."""
        for path, why in self.scope.notes[:NOTES_PER_KIND]:
            self.incomplete(f"{path}: {why}")
        if len(self.scope.notes) > NOTES_PER_KIND:
            self.incomplete(f"{len(self.scope.notes)} paths could not be looked at")
        unread = self.read.unread
        for path, why in unread[:NOTES_PER_KIND]:
            self.incomplete(f"{path}: {why}")
        if len(unread) > NOTES_PER_KIND:
            self.incomplete(f"{len(unread)} files could not be read, or not whole")
        if self.read.left_files:
            self.incomplete(
                f"{self.read.left_files} files ({self.read.left_bytes >> 20} MiB) are not indexed "
                "yet and were not searched: run `clawa-search reindex`"
            )
        skipped = self.scope.skipped
        for path, count, first in skipped[:NOTES_PER_KIND]:
            from indexer.report import skipped_note

            self.incomplete(f"{path}: {skipped_note(count, first)}")
        if len(skipped) > NOTES_PER_KIND:
            lines = sum(count for _, count, _ in skipped)
            self.incomplete(f"{lines} unreadable lines in {len(skipped)} files were skipped")


def _listing(files: list[Found]) -> Listing:
    from indexer.discover import Listing

    listing = Listing()
    listing.take(files)
    return listing

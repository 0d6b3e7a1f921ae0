"""From a question to ranked winners: candidates of both stores on one scale, merged."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clawa_search.memory.candidates import Candidates
    from clawa_search.memory.store import MemoryStore
    from clawa_search.search.fresh import FreshEntry
    from clawa_search.search.matches import Candidate
    from clawa_search.search.query import Query
    from clawa_search.search.question import Question
    from clawa_search.search.scope import Fresh, Scope
    from clawa_search.search.sessions import SessionIndex

from clawa_search.errors import StoreError
from clawa_search.memory.record import Memory
from clawa_search.search import bm25, corrections, merge, rank
from clawa_search.search.dated import looks_dated
from clawa_search.search.matches import SECOND_HAND, USERS, Matches, is_second_hand
from clawa_search.search.winner import Winner
from indexer.schema import SEQ_BITS, role_number

MEMORY_SPARE = 15
"""Memories scored beyond those wanted: the statistics of both stores order them anew."""
BARE_WORDS = 3
"""A question of at least so many words may find an entry by its neighbours alone (the answer
that repeats none of its words); fewer words are looked up, and must be there."""
SPARE = 20
"""Entries looked at beyond those wanted: some neighbours do not exist or say the same."""
OPENING = 1.4
AGAIN = 0.4
"""What a whole session counts on top, and each further entry of it beside the one before, where a
long list opens one more: it is found for what it is about more than for one sentence. A point
more of the sessions of long questions (RealMem); 0.6 to 2 and 0.3 to 0.5 do as well."""
MAX_ROUNDS = 5
"""How often neighbours are looked up for the places of those that fell away."""
RESERVE = 10
"""Winners beyond the limit, for those that turn out to be gone or are seen already."""


class Engine:
    """One question against the opened stores; made anew for each."""

    def __init__(
        self,
        question: Question,
        query: Query,
        scope: Scope,
        *,
        index: SessionIndex | None,
        memories: MemoryStore | None,
        read: Fresh,
        weights: rank.Weights = rank.DEFAULT,
    ) -> None:
        self.question = question
        self.query = query
        self.scope = scope
        scope.filter.exclude = scope.filter.exclude + read.stale_ids
        self.index = index
        self.memories = memories
        self.read = read
        self.weights = weights
        self.fresh_by_mid = {entry.mid: entry for file in read.files for entry in file.entries}
        self.notes: list[str] = []
        self.complete = True
        self.statistics: bm25.Statistics | None = None

    @property
    def is_broad(self) -> bool:
        """Are more hits asked for than are ranked by score alone?"""
        return self.question.limit > merge.BEST_FIRST

    def winners(self, limit: int) -> list[Winner]:
        """Return the best *limit* of everything that matches, the best of each set of twins."""
        found: list[Winner] = []
        entries: list[FreshEntry] = []
        if self.read.files and self.question.source != "memory":
            from clawa_search.search.fresh import matching

            entries = matching(self.read.files, self.query, self.scope.filter)
        indexed = self._candidates(limit) if self.question.source != "memory" else None
        matched = self._memory_candidates() if self.question.source != "session" else None
        self.statistics = self._statistics(indexed, entries, matched)
        scorer = bm25.Scorer(self.statistics, self.query, self.weights)
        if self.question.source != "memory":
            found += self._sessions(indexed, entries, scorer, limit)
        memories = self._memories(matched, scorer) if matched is not None else []
        found += memories
        if self.is_broad:
            ranked = merge.best(found, len(found))
            if len(ranked) > limit and self.weights.feedback:
                from clawa_search.search.feedback import compare_sessions

                compare_sessions(self, ranked)
            best = merge.broaden(ranked, limit, _session_of, self._worth)
        else:
            best = merge.best(found, limit)
        # A memory far below the claims that it corrects stands above them as well.
        below = [memory for memory in memories if memory not in best]
        return corrections.lift(best + below, self.text_of)[:limit]

    def _worth(self, entries: list[Winner]) -> float:
        """Return what ranks a session, or a memory, that is opened for breadth, by its *entries*."""
        said = sum((entry.score - entry.session) * AGAIN**at for at, entry in enumerate(entries))
        best = entries[0]
        return said + (1.0 + OPENING) * best.session + self.weights.feedback * best.about

    def text_of(self, winner: Winner) -> str:
        """Read what an entry says."""
        if winner.fresh is not None:
            return winner.fresh.entry.text
        assert self.index is not None
        assert winner.candidate is not None
        return self.index.stored(winner.candidate.address).text

    def _candidates(self, texts: int) -> Matches | None:
        if self.index is None or not self.any_file():
            return None
        scope = self.scope.filter
        return self.index.candidates(self.query, scope, self.weights, texts)

    def any_file(self) -> bool:
        """Could the index hold anything in scope?"""
        return self.scope.filter.include is None or bool(self.scope.filter.include)

    def _statistics(
        self,
        indexed: Matches | None,
        entries: list[FreshEntry],
        matched: Candidates | None,
    ) -> bm25.Statistics:
        """Describe sessions, fresh entries and memories as one collection."""
        index = self.index
        fresh_df: dict[tuple[str, str], int] = {}
        length = 0
        for entry in entries:
            tokens = entry.analyse()
            length += len(tokens)
            for token in set(tokens):
                fresh_df["text", token] = fresh_df.get(("text", token), 0) + 1
            for code in entry.codes:
                fresh_df["code", code] = fresh_df.get(("code", code), 0) + 1
        memory_df = {"text": matched.df, "code": matched.code_df} if matched else {}

        def df(field: str, token: str) -> int:
            known = index.df(field, token) if index else 0
            held = memory_df[field].get(token, 0) if memory_df else 0
            return known + fresh_df.get((field, token), 0) + held

        documents = (index.entries if index else 0) + (matched.total_rows if matched else 0)
        documents += sum(len(file.entries) for file in self.read.files)
        average = index.average_length(indexed, self.query) if index and indexed else 0.0
        if not average and entries:
            average = length / len(entries)
        if not average and matched and matched.total_rows:
            average = matched.total_tokens / matched.total_rows
        return bm25.Statistics(documents, average, df)

    def _scale(self, statistics: bm25.Statistics) -> float:
        """Return the factor from scores of the index alone to scores of the whole collection.

        Near 1 in a long history; in a short one a word is rarer among few entries than among
        entries and memories, and a memory would lose against any entry for that alone.
        """
        if self.index is None:
            return 1.0
        alone = bm25.Statistics(self.index.entries, statistics.average, self.index.df)
        forms = {("text", token) for word in self.query.words for token in word.tokens}
        forms |= {("text", token) for word in self.query.phrases for token in word.tokens}
        forms = {form for form in forms if self.index.df(*form)}
        before = sum(alone.idf(token, field) for field, token in forms)
        return sum(statistics.idf(t, field) for field, t in forms) / before if before else 1.0

    def _sessions(
        self,
        indexed: Matches | None,
        entries: list[FreshEntry],
        scorer: bm25.Scorer,
        limit: int,
    ) -> list[Winner]:
        whole = self._whole(indexed, entries, scorer)
        own = self._own_scores(indexed, entries, scorer)
        if not own:
            return []
        users = indexed.users() if indexed else {}
        for entry in entries:
            number = role_number(entry.entry)
            if number in USERS:
                users[entry.mid] = USERS[number]
        window = self._window()
        times: dict[int, int] = {}
        if window is not None:
            times = indexed.times(indexed.places) if indexed else {}
            times |= {entry.mid: entry.entry.ts_ms for entry in entries}
        priors: dict[int, float] = {}
        if self.index is not None and self.weights.session:
            priors = self.index.prior(self.query.words, self.scope.filter)
        recipe = rank.Recipe(
            own,
            users,
            times,
            priors,
            window,
            self.weights,
            personal=self.query.personal,
            whole=whole,
        )
        return self._resolve(recipe, own, indexed, limit)

    def _whole(
        self,
        indexed: Matches | None,
        entries: list[FreshEntry],
        scorer: bm25.Scorer,
    ) -> dict[int, float]:
        """Return what those gain that hold all words at once; *indexed* gets those of the index."""
        gains: dict[int, float] = {}
        if self.query.whole and self.index is not None and indexed is not None:
            for mid in self.index.add_whole(indexed, self.query, self.scope.filter):
                share = self.weights.second_hand if indexed.is_second_hand(mid) else 1.0
                gains[mid] = scorer.whole_worth * share
        for entry in entries:
            if gain := scorer.whole(entry.analyse(), entry.codes):
                share = self.weights.second_hand if is_second_hand(entry.entry) else 1.0
                gains[entry.mid] = gain * share
        return gains

    def _own_scores(
        self,
        indexed: Matches | None,
        entries: list[FreshEntry],
        scorer: bm25.Scorer,
    ) -> dict[int, float]:
        """Return what each entry scores for its own text, by mid."""
        weights, statistics = self.weights, self.statistics
        assert statistics is not None
        own: dict[int, float] = {}
        if indexed is not None:
            scale = self._scale(statistics)
            second_hand = weights.second_hand * scale
            scores, roles = indexed.scores, indexed.roles
            own = {
                mid: scores[at] * (second_hand if roles[at] in SECOND_HAND else scale)
                for mid, at in indexed.places.items()
            }
        for entry in entries:
            score = scorer.score(entry.analyse(), entry.codes)
            own[entry.mid] = score * weights.second_hand if is_second_hand(entry.entry) else score
        return own

    def _window(self) -> tuple[int, int] | None:
        now_ms = self.question.now_ms
        if self.weights.date == 1.0 or now_ms is None or not looks_dated(self.question.query):
            return None
        from clawa_search.search.dates import window

        return window(self.question.query, now_ms=now_ms)

    def _resolve(
        self,
        recipe: rank.Recipe,
        own: dict[int, float],
        indexed: Matches | None,
        limit: int,
    ) -> list[Winner]:
        """Turn the best scores into winners; neighbours that matched nothing must be in scope."""
        totals = recipe.totals()
        best = self._best(totals, own, indexed, limit)
        known: dict[int, Candidate] = {}
        if self.index is not None and indexed is not None:
            places, fresh = indexed.places, self.fresh_by_mid
            for _ in range(MAX_ROUNDS):
                missing = [mid for mid in best if mid not in places and mid not in fresh]
                if not missing:
                    break
                # Some do not exist, are out of scope, or say the same: others take their places.
                self.index.add_by_mid(indexed, missing, self.query, self.scope.filter)
                for mid in missing:
                    if mid not in places:
                        del totals[mid]
                best = self._best(totals, own, indexed, limit)
            known = {candidate.mid: candidate for candidate in indexed.candidates(best)}
        found: list[Winner] = []
        for mid in best:
            if len(found) == limit and not self.is_broad:
                break
            winner = self._winner(totals[mid], mid, known.get(mid))
            if winner is not None:
                winner.mid = mid
                winner.own = own.get(mid, 0.0)
                winner.session = recipe.session(mid)
                winner.speaker = recipe.speaker(mid)
                if self.question.explain:
                    winner.parts = recipe.parts(mid)
                found.append(winner)
        return found

    def _best(
        self,
        totals: dict[int, float],
        own: dict[int, float],
        indexed: Matches | None,
        limit: int,
    ) -> list[int]:
        """Return the mids worth a look, best first, one of each that say the same."""
        wanted = limit + SPARE
        broad = self.is_broad
        bare = len(self.query.words) >= BARE_WORDS and not self.query.together
        best: list[int] = []
        seen: set[int] = set()
        opened: set[int] = set()
        for mid in rank.in_order(totals, 2 * wanted):
            if len(best) >= wanted and (not broad or mid >> SEQ_BITS in opened or mid not in own):
                if broad:
                    continue
                break
            if not bare and mid not in own:
                continue
            fresh = self.fresh_by_mid.get(mid)
            twin = fresh.twin if fresh else indexed.twin(mid) if indexed else None
            if twin is not None:
                if twin in seen:
                    continue
                seen.add(twin)
            opened.add(mid >> SEQ_BITS)
            best.append(mid)
        return best

    def _winner(self, total: float, mid: int, candidate: Candidate | None) -> Winner | None:
        fresh_entry = self.fresh_by_mid.get(mid)
        if fresh_entry is not None:
            if not fresh_entry.is_wanted(self.query, self.scope.filter):
                return None
            said = fresh_entry.entry
            winner = Winner(total, said.ts_ms, fresh_entry.twin)
            winner.fresh, winner.role = fresh_entry, said.role
            return winner
        if candidate is None:
            return None
        winner = Winner(total, candidate.ts_ms, candidate.twin)
        winner.candidate, winner.role = candidate, candidate.role
        return winner

    def _memory_candidates(self) -> Candidates | None:
        if self.memories is None:
            return None
        try:
            return self._ask_memories(self.memories)
        except StoreError as error:
            self.without_memories(error)
            return None

    def without_memories(self, error: StoreError) -> None:
        """Go on with the sessions alone, and say so."""
        if self.question.source == "memory":
            raise error
        self.complete = False
        self.notes.append(f"{error}{f'; {error.hint}' if error.hint else ''}")

    def _ask_memories(self, memories: MemoryStore) -> Candidates:
        question = self.question
        found = memories.candidates(
            self.query.words,
            phrases=self.query.phrases,
            excluded=self.query.excluded,
            tags=question.tags,
            since_ms=question.since_ms,
            until_ms=question.until_ms,
            whole=self.query.whole,
            limit=question.limit + MEMORY_SPARE,
            exact=question.limit,
        )
        self.notes += found.notes
        self.complete = found.complete
        return found

    def _memories(self, matched: Candidates, scorer: bm25.Scorer) -> list[Winner]:
        weights = self.weights
        found = []
        for row in matched.rows:
            tokens, codes = row.text_tokens + row.tag_tokens, row.code_tokens + row.tag_tokens
            if self.query.together and not self.query.matches(tokens, codes):
                continue
            text, whole = scorer.score(tokens, codes), scorer.whole(tokens, codes)
            winner = Winner((text + whole) * weights.memory, row.ts_ms, ~row.id)
            winner.memory = Memory(row.id, row.ts_ms, row.text, row.tags)
            winner.tokens = row.text_tokens
            winner.own = text
            if self.question.explain:
                winner.parts = {"text": text, "whole": whole} if whole else {"text": text}
                winner.parts["memory"] = (text + whole) * (weights.memory - 1.0)
            found.append(winner)
        return found


def _session_of(winner: Winner) -> object:
    return ~winner.memory.id if winner.memory else winner.mid >> SEQ_BITS

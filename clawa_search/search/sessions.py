"""The session index as recall reads it: queries in, numbers out, text for the winners only.

Reads without any lock. The catalog is always read before the index is opened, so the index
may hold more than the catalog says but never less.
"""

from __future__ import annotations

import os

from tantivy import FieldType, Index, Occur, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tantivy import DocAddress, Schema, Searcher

    from clawa_search.search.clauses import Filter
    from clawa_search.search.query import Query as UserQuery
    from clawa_search.search.rank import Weights
    from indexer.analysis import Word
    from indexer.layout import Generation

from clawa_search.search.clauses import all_of, among, clauses_of, files_of, question, silent
from clawa_search.search.matches import Candidate, Matches, column, reading
from indexer.schema import SEQ_BITS, Stored

TOP_ENTRIES = 400
MAX_ROUNDS = 5
"""How often more is fetched while the best entries all say the same few things."""
MAX_NEWEST = 10_000
TOP_PRIORS = 200
TOP_WHOLE = 50
SIMILAR_ENTRIES = 20
SIMILAR_CHARS = 20_000
MAX_KNOWN = 10_000
"""Tokens whose frequency is remembered."""


class SessionIndex:
    """The two indexes of one generation, open for reading."""

    def __init__(self, generation: Generation) -> None:
        """Open the index.

        Raises:
            IndexBrokenError: it is damaged or cannot be read.
        """
        self._place = generation.folder
        self._metas = (f"{generation.messages}/meta.json", f"{generation.priors}/meta.json")
        self._seen = self._commits()
        with reading(self._place):
            self._index = Index.open(generation.messages)
            self._prior_index = Index.open(generation.priors)
            self._searcher: Searcher = self._index.searcher()
            self._priors: Searcher = self._prior_index.searcher()
        self._df: dict[tuple[str, object], int] = {}
        self._average = 0.0
        self._fields: Schema = self._index.schema
        self._prior_fields: Schema = self._prior_index.schema

    @property
    def entries(self) -> int:
        return int(self._searcher.num_docs)

    @property
    def segments(self) -> int:
        return int(self._searcher.num_segments)

    def reload(self) -> None:
        """See what was committed since the index was opened.

        The engine reads all again, changed or not (0.1 ms); each commit puts a new file in place.
        """
        seen = self._commits()
        if seen == self._seen:
            return
        with reading(self._place):
            self._index.reload()
            self._prior_index.reload()
            self._searcher = self._index.searcher()
            self._priors = self._prior_index.searcher()
        self._seen = seen
        self._df.clear()
        self._average = 0.0

    def _commits(self) -> list[tuple[int, int, int]]:
        with reading(self._place):
            found = [os.stat(path) for path in self._metas]
        return [(status.st_ino, status.st_mtime_ns, status.st_size) for status in found]

    def df(self, field: str, token: object) -> int:
        """Return how many entries hold *token* in *field*, dead ones included."""
        known = self._df.get((field, token))
        if known is not None:
            return known
        if len(self._df) >= MAX_KNOWN:
            self._df.clear()
        with reading(self._place):
            found = self._df[field, token] = int(self._searcher.doc_freq(field, token))
        return found

    def terms(self, prefix: str, limit: int) -> list[str]:
        """Return tokens of the text field that begin with *prefix*."""
        with reading(self._place):
            found = self._searcher.terms_with_prefix("text", prefix, limit=limit)
        return [term for term, _ in found]

    def candidates(
        self, query: UserQuery, scope: Filter, weights: Weights, texts: int = 1
    ) -> Matches:
        """Return the best entries for *query*, by BM25 of their own text.

        Args:
            texts: how many different texts are wanted. What is said again and again
                ("continue") must not use up the places of everything else.
        """
        asked = question(self._fields, query, scope, weights, self.entries, self.df)
        found = Matches(self._searcher, self._place)
        last = self._add(found, asked, TOP_ENTRIES)
        for _ in range(MAX_ROUNDS):
            said = set(found.twins)
            if len(last) < TOP_ENTRIES or len(said) >= texts:
                break
            again = among(self._fields, "twin", list(said))
            others = [(Occur.Must, asked), (Occur.MustNot, again)]
            last = self._add(found, Query.boolean_query(others), TOP_ENTRIES)
        return found

    def add_whole(self, found: Matches, query: UserQuery, scope: Filter) -> list[int]:
        """Add the best of the entries that hold every word of `query.whole`; return their mids."""
        asked = all_of(self._fields, query, scope, self.df)
        return self._add(found, asked, TOP_WHOLE) if asked else []

    def add_by_mid(self, found: Matches, mids: list[int], query: UserQuery, scope: Filter) -> None:
        """Add those entries of *mids* that are in scope."""
        clauses = clauses_of(self._fields, query, scope)
        clauses.append(silent(among(self._fields, "mid", mids)))
        self._add(found, Query.boolean_query(clauses), len(mids))

    def copies(self, twins: list[int], scope: Filter, limit: int) -> list[Candidate]:
        """Return all entries in the files of *scope* that say the same as *twins*."""
        clauses = files_of(self._fields, scope)
        clauses.append((Occur.Must, among(self._fields, "twin", twins)))
        return self._run(Query.boolean_query(clauses), limit)

    def newest(self, query: UserQuery, scope: Filter, limit: int) -> list[Candidate]:
        """Return the newest entries in scope, *limit* different texts if there are as many."""
        size = limit
        while True:
            found = self._newest(query, scope, size)
            texts = len({candidate.twin for candidate in found})
            if texts >= limit or len(found) < size or size >= MAX_NEWEST:
                return found
            size *= 4

    def _newest(self, query: UserQuery, scope: Filter, limit: int) -> list[Candidate]:
        clauses = clauses_of(self._fields, query, scope)
        clauses.append((Occur.Must, Query.all_query()))
        with reading(self._place):
            hits = self._searcher.search(
                Query.boolean_query(clauses), limit + 1, count=False, order_by_field="ts"
            ).hits
        found = self._listed([(0.0, address) for _, address in hits])
        if len(found) > limit and found[-1].ts_ms == found[-2].ts_ms:
            # The engine takes any of those that were said at one time: the last ones are meant.
            last = found[-1].ts_ms
            span = Query.range_query(self._fields, "ts", FieldType.Integer, last, last)
            same = self._run(Query.boolean_query([*clauses, silent(span)]), MAX_NEWEST)
            found = [candidate for candidate in found if candidate.ts_ms != last] + same
        found.sort(key=lambda candidate: (candidate.ts_ms, candidate.mid), reverse=True)
        return found[:limit]

    def prior(self, words: Sequence[Word], scope: Filter) -> dict[int, float]:
        """Return BM25 of whole sessions, by file id."""
        fields = self._prior_fields
        tokens = dict.fromkeys(token for word in words for token in word.tokens)
        if not tokens:
            return {}
        clauses = [(Occur.Should, Query.term_query(fields, "text", token)) for token in tokens]
        asked = Query.boolean_query(clauses)
        if scope.include is not None:
            files = among(fields, "file", scope.include)
            asked = Query.boolean_query([(Occur.Must, asked), silent(files)])
        with reading(self._place):
            hits = self._priors.search(asked, TOP_PRIORS, count=False).hits
        numbers = column(self._priors, "file", [address for _, address in hits], self._place)
        return {number: score for number, (score, _) in zip(numbers, hits, strict=True)}

    def stored(self, address: DocAddress) -> Stored:
        with reading(self._place):
            return Stored(bytes(self._searcher.doc(address).get_first("stored") or b""))

    def similar(self, token: str, allowed: int) -> list[str]:
        """Return tokens of entries that hold one within *allowed* mistakes of *token*."""
        from indexer.analysis import text_tokens

        query = Query.fuzzy_term_query(self._fields, "text", token, distance=allowed)
        found: dict[str, None] = {}
        for candidate in self._run(query, SIMILAR_ENTRIES):
            tokens = text_tokens(self.stored(candidate.address).text[:SIMILAR_CHARS])
            found.update(dict.fromkeys(tokens))
        return list(found)

    def entry(self, file_id: int, seq: int) -> Stored | None:
        found = self._run(Query.term_query(self._fields, "mid", file_id << SEQ_BITS | seq), 1)
        return self.stored(found[0].address) if found else None

    def entry_at(self, file_id: int, line: int, next_seq: int) -> Stored | None:
        """Return the entry that stood at *line* of a file: its sequence grows with its lines."""
        low, high = 0, next_seq - 1
        while low <= high:
            middle = (low + high) // 2
            stored = self.entry(file_id, middle)
            if stored is None or stored.line == line:
                return stored
            if stored.line < line:
                low = middle + 1
            else:
                high = middle - 1
        return None

    def average_length(self, found: Matches, query: UserQuery) -> float:
        """Return the mean length of an entry in tokens, 0 when it cannot be told.

        The engine tells it only inside the explanation of a term's score.
        """
        if self._average:
            return self._average
        for word in query.words:
            if len(word.tokens) == 1:
                term = Query.term_query(self._fields, "text", word.tokens[0])
                for address in found.addresses[:3]:
                    try:
                        told = term.explain(self._searcher, address).to_json()
                    except ValueError:
                        continue
                    if average := _average_in(told):
                        self._average = average
                        return average
        return 0.0

    def _run(self, query: Query, limit: int) -> list[Candidate]:
        return self._listed(self._hits(query, limit))

    def _add(self, found: Matches, query: Query, limit: int) -> list[int]:
        return found.add(self._hits(query, limit))

    def _listed(self, hits: list[tuple[float, DocAddress]]) -> list[Candidate]:
        found = Matches(self._searcher, self._place)
        return found.candidates(found.add(hits))

    def _hits(self, query: Query, limit: int) -> list[tuple[float, DocAddress]]:
        with reading(self._place):
            return self._searcher.search(query, limit, count=False).hits


def _average_in(told: str) -> float:
    mark = told.find("avgdl, ")
    start = told.rfind("{", 0, mark)
    value = told.find('"value":', start)
    if mark < 0 or value < 0:
        return 0.0
    digits = told[value + 8 : told.find(",", value)].strip(" \n}")
    try:
        return float(digits)
    except ValueError:
        return 0.0

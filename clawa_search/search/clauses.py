"""A question in the engine's own terms: queries are built here and nowhere asked."""

from __future__ import annotations

from tantivy import FieldType, Occur, Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tantivy import Schema

    from clawa_search.search.query import Query as UserQuery
    from clawa_search.search.rank import Weights
    from indexer.analysis import Word

from clawa_search.search.bm25 import weight, worths
from indexer.entry import ROLE_NUMBER
from indexer.schema import QUOTE, STANDING

MANY = 150
"""Numbers from which on a term set is cheaper than a term each."""
COMMON_PAIR_SHARE = 20
"""A pair of words that are both in more than 1 of this many entries is not looked for: a
phrase of two very common words costs 20 ms in 740k entries and says little."""


class Filter:
    """Which entries are in scope. All of it is applied inside the engine.

    Attributes:
        include: file ids, or None for all.
        exclude: file ids.
        roles: role names, or empty for all.
        since_ms, until_ms: inclusive bounds or None.
    """

    __slots__ = ("exclude", "include", "roles", "since_ms", "until_ms")

    def __init__(self) -> None:
        self.include: list[int] | None = None
        self.exclude: list[int] = []
        self.roles: tuple[str, ...] = ()
        self.since_ms: int | None = None
        self.until_ms: int | None = None


def question(
    fields: Schema,
    query: UserQuery,
    scope: Filter,
    weights: Weights,
    entries: int,
    df: Callable[[str, str], int],
) -> Query:
    """Return the query for *query* in *scope*.

    Args:
        entries, df: of the index: how many there are, and how many hold a token of a field.
    """

    def whole(form: str) -> Query:
        # Counts as `bm25.Scorer` counts it, whatever else an entry holds: the engine's own score
        # takes an entry with one of them for long, where most have none.
        worth = weights.code * weight(entries, df("code", form))
        return Query.const_score_query(Query.term_query(fields, "code", form), worth)

    def idf(token: str) -> float:
        return weight(entries, df("text", token))

    wanted: list[tuple[Occur, Query]] = []
    for word in query.words:
        form = _best_form(fields, word, df, whole, idf)
        if form is not None and query.guessed(word):
            form = Query.boost_query(form, weights.guessed)
        if query.together:
            wanted.append((Occur.Must, form or Query.empty_query()))
        elif form is not None:
            wanted.append((Occur.Should, form))
    rare = entries // COMMON_PAIR_SHARE
    for together in (*query.pairs, *query.runs):
        if min(df("text", token) for token in together) <= max(rare, 1000):
            phrase = Query.phrase_query(fields, "text", list(together))
            wanted.append((Occur.Should, Query.boost_query(phrase, weights.phrase)))
    clauses = clauses_of(fields, query, scope)
    if not clauses:
        return Query.boolean_query(wanted)
    if wanted or not query.phrases:
        must = Occur.Should if query.phrases else Occur.Must
        clauses.append((must, Query.boolean_query(wanted)))
    return Query.boolean_query(clauses)


def all_of(
    fields: Schema, query: UserQuery, scope: Filter, df: Callable[[str, str], int]
) -> Query | None:
    """Return the query for entries in *scope* that hold every word of `query.whole`.

    None if no entry at all holds one of them.
    """

    def whole(form: str) -> Query:
        return Query.term_query(fields, "code", form)

    clauses = clauses_of(fields, query, scope)
    for word in query.whole:
        form = _best_form(fields, word, df, whole, lambda _: 1.0)
        if form is None:
            return None
        clauses.append((Occur.Must, form))
    return Query.boolean_query(clauses)


def _best_form(
    fields: Schema,
    word: Word,
    df: Callable[[str, str], int],
    whole: Callable[[str], Query],
    idf: Callable[[str], float],
) -> Query | None:
    """Return the query of one word: the best of its whole forms and runs of tokens.

    Most words are no identifier, and a question of terms of one field alone takes the engine a
    third of the time: what no entry holds is left out. None if that is everything.
    """
    found = [whole(form) for form in word.codes if df("code", form)]
    for tokens, worth in worths(word, idf, df):
        if all(df("text", token) for token in tokens):
            run = _phrase(fields, tokens)
            alone = sum(map(idf, tokens))
            found.append(run if worth == alone else Query.boost_query(run, worth / alone))
    if len(found) < 2:
        return found[0] if found else None
    return Query.disjunction_max_query(found)


def clauses_of(fields: Schema, query: UserQuery, scope: Filter) -> list[tuple[Occur, Query]]:
    """Return what must hold and what must not, whatever else is asked for."""
    clauses = files_of(fields, scope)
    if scope.roles:
        marks = (0, QUOTE, STANDING)
        numbers = [ROLE_NUMBER[role] | mark for role in scope.roles for mark in marks]
        clauses.append(silent(among(fields, "role", numbers)))
    if scope.since_ms is not None or scope.until_ms is not None:
        span = Query.range_query(fields, "ts", FieldType.Integer, scope.since_ms, scope.until_ms)
        clauses.append(silent(span))
    clauses += [(Occur.MustNot, _exact(fields, word)) for word in query.excluded]
    for word in query.phrases:  # a whole form adds nothing to the score, as in `bm25.Scorer`
        exact = _exact(fields, word)
        clauses.append(silent(exact) if word.codes else (Occur.Must, exact))
    return clauses


def files_of(fields: Schema, scope: Filter) -> list[tuple[Occur, Query]]:
    """Return which files must hold an entry, and which must not."""
    clauses = []
    if scope.include is not None:
        clauses.append(silent(among(fields, "file", scope.include)))
    if scope.exclude:
        files = among(fields, "file", scope.exclude)
        clauses.append((Occur.MustNot, files))
    return clauses


def _exact(fields: Schema, word: Word) -> Query:
    """Return the query for a word that has either one whole form or text tokens."""
    if word.codes:
        return Query.term_query(fields, "code", word.codes[0])
    return _phrase(fields, word.tokens)


def _phrase(fields: Schema, tokens: tuple[str, ...]) -> Query:
    if len(tokens) == 1:
        return Query.term_query(fields, "text", tokens[0])
    return Query.phrase_query(fields, "text", list(tokens))


def among(fields: Schema, field: str, numbers: Sequence[int]) -> Query:
    """Return the query for documents whose number is one of *numbers*.

    A term set builds an automaton, 0.3 ms before it looks at anything; a few terms cost 3 us each.
    """
    if len(numbers) > MANY:
        return Query.term_set_query(fields, field, list(numbers))
    terms = [Query.term_query(fields, field, number) for number in numbers]
    return Query.boolean_query([(Occur.Should, term) for term in terms])


def silent(query: Query) -> tuple[Occur, Query]:
    """Return a clause that must hold and adds nothing to the score."""
    return Occur.Must, Query.const_score_query(query, 0.0)

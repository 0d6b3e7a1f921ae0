"""Filters that a user typed into a query: they narrow what its flags leave."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clawa_search.search.query import Query

from clawa_search.errors import InvalidInputError
from clawa_search.memory.tags import normalise
from clawa_search.search.dates import parse_when
from clawa_search.search.question import Question
from indexer import analysis


def take_filters(query: Query, question: Question, absolute: Callable[[str], str]) -> str:
    """Move filters that the user typed into *question*; what has no such value stays a word.

    They narrow what the question has from elsewhere.

    Args:
        absolute: makes the path of a project absolute, as the flag does.

    Returns:
        Why nothing can be found; empty if something can.
    """
    typed = Question("", now_ms=question.now_ms)
    for name, value in query.filters:
        if not _take_filter(typed, name, value, absolute):
            query.words += analysis.query_words(f"{name}:{value}")
    query.filters = []
    question.tags += typed.tags
    question.since_ms = _tighter(max, question.since_ms, typed.since_ms)
    question.until_ms = _tighter(min, question.until_ms, typed.until_ms)
    given = question.roles
    both = tuple(role for role in typed.roles if role in given)
    question.roles = both if typed.roles and given else typed.roles or given
    if typed.roles and not question.roles:
        return f"role:{typed.roles[0]} leaves nothing of --role {' '.join(given)}"
    narrow = _narrower(typed.project, question.project)
    if narrow is None:
        return f"project:{typed.project} leaves nothing of --project {question.project}"
    question.project = narrow
    return ""


def _take_filter(question: Question, name: str, value: str, absolute: Callable[[str], str]) -> bool:
    if name == "role":
        question.roles += (value,)
    elif name == "tag":
        tags = normalise([value])
        if not tags:
            return False
        question.tags += tags
    elif name == "project":
        folder = absolute(value)
        if value[0] not in "/~." and not os.path.isdir(folder):
            return False
        question.project = folder
    else:
        try:
            now_ms = question.now_ms or 0
            when_ms = parse_when(value, now_ms=now_ms, end=name == "until")
        except InvalidInputError:
            return False
        if name == "since":
            question.since_ms = _tighter(max, question.since_ms, when_ms)
        else:
            question.until_ms = _tighter(min, question.until_ms, when_ms)
    return True


def _tighter(choose: Callable[[int, int], int], one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return choose(one, other)


def _narrower(typed: str, given: str) -> str | None:
    """Return that of two folders which lies in the other; None if neither does."""
    if not (typed and given):
        return typed or given
    for inner, outer in ((typed, given), (given, typed)):
        if f"{inner}/".startswith(f"{outer.rstrip('/')}/"):
            return inner
    return None

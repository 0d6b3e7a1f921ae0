"""A user's text -> what to look for. Never fails: what is not understood is taken literally.

The text becomes tokens of the one analyser; it is never handed to a query language.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from indexer.analysis import Word

from clawa_search.search.question import MAX_QUERY_CHARS
from indexer import analysis
from indexer.entry import ROLES

MAX_WORDS = 32
"""Words that are looked for: of a longer question the rarest, see `keep_rarest`."""
MAX_PAIRS = 8
"""Pairs of them that are looked for side by side. All that a long question has take a third longer
and find the same."""
LEAST_FRAME = 2
"""Words that make a frame, see `FRAME_WORDS`."""
LEAST_ASKED = 3
"""A question of fewer words is not looked at for its language."""
MAX_WHOLE = 8
SENTENCE_TOKENS = 6
MAX_RUNS = 3
MAX_READ_WORDS = MAX_QUERY_CHARS // 2
"""More do not fit into a question."""
TOGETHER_TOKENS = 3
"""A part with more of them is no word, but something that hardly anybody wrote in the same way."""
SPEECH = frozenset(("say", "said", "tell", "told", "mention", "talk", "ask", "discuss"))
SPEAKERS = frozenset(("i", "you", "we", "he", "she", "they"))
AUXILIARIES = frozenset(("did", "have", "had"))
FIRST_PERSON = frozenset(("i", "me", "my", "mine", "myself"))
MAX_PERSONAL_WORDS = 12
"""A longer text is talk, in which everybody says "I", and no question about it."""
MODALS = frozenset(("may", "must", "need", "dare", "shall", "let", "please"))
"""Words of a sentence before NOT, beside the function words."""
LEFT_OUT = "what holds {!r} is left out, because of NOT before it"
FILTERS = ("role", "since", "until", "tag", "project")

_closed_classes: list[frozenset[str]] = []


class Query:
    """What to look for.

    Attributes:
        words: any of them makes a match; function words are gone unless nothing else is left.
        phrases: each must occur: a whole form, or consecutive text tokens.
        excluded: the same, of which none may occur.
        pairs: neighbouring content words, weak evidence when they stand together.
        runs: three tokens in a row around the longest words of a sentence, the same: what was
            copied from a text finds it, however common its words.
        prefixes, fuzzies: tokens of `word*` and `word~`.
        notes: what was not taken as it may be meant.
        guesses: tokens that stand in for unknown words, evidence of half weight; alone they
            make a weak hit.
        foreign: in another language than English, as far as one can tell.
        personal: a question about what the asker did or said ("which colour did I choose?").
        together: the words were typed as one (redis缓存): only all of them make a match.
        typed: all words as they follow one another, those that are not looked for included.
        filters: `name:value` pairs that the user typed, values unchecked.
        literal: what is left of the text, for what has no word at all (`%`).
    """

    __slots__ = (
        "excluded",
        "filters",
        "foreign",
        "fuzzies",
        "guesses",
        "literal",
        "notes",
        "pairs",
        "personal",
        "phrases",
        "prefixes",
        "runs",
        "together",
        "typed",
        "words",
    )

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.guesses: set[str] = set()
        self.phrases: list[Word] = []
        self.excluded: list[Word] = []
        self.pairs: list[tuple[str, str]] = []
        self.runs: list[tuple[str, ...]] = []
        self.prefixes: list[str] = []
        self.fuzzies: list[str] = []
        self.personal = False
        self.foreign = False
        self.together = False
        self.typed: list[Word] = []
        self.filters: list[tuple[str, str]] = []
        self.literal = ""
        self.notes: list[str] = []

    @property
    def shown(self) -> list[Word]:
        """What an excerpt should show."""
        return self.phrases + self.words

    def matches(self, tokens: list[str], codes: Collection[str]) -> bool:
        """Tell whether a text of these text and code tokens holds what was typed."""
        holds = all if self.together else any
        return holds(word.matches(tokens, codes) for word in self.words)

    def guessed(self, word: Word) -> bool:
        """Tell whether *word* stands in for one that nobody ever said."""
        return bool(self.guesses) and bool(word.tokens) and word.tokens[0] in self.guesses

    @property
    def whole(self) -> list[Word]:
        """The words of which it says much that an entry holds them all; none if they are many."""
        words = [word for word in self.words if not self.guessed(word)]
        few = 1 < len(words) <= MAX_WHOLE and not self.together
        return words if few and not any(word.unspaced for word in words) else []

    @property
    def empty(self) -> bool:
        return not (self.words or self.phrases or self.prefixes or self.fuzzies)

    @property
    def newest(self) -> bool:
        """Nothing is looked for: the newest entries are meant."""
        return self.empty and self.literal in ("", "*")


def parse(text: str) -> Query:
    """Read *text*: plain words, "phrases", -"phrases", role: since: until: tag: project:."""
    query = Query()
    text = text[:MAX_QUERY_CHARS].replace("\u201c", '"').replace("\u201d", '"')
    if not text.isascii():
        from indexer.formats.parse import clean

        text = clean(text)
    plain = " ".join(_take_filters(query, _take_quoted(query, text).split()))
    query.literal = plain if plain or query.filters else text.strip()
    typed = _take_wildcards(query, plain)
    found = [part for word in typed for part in analysis.windows(word, MAX_READ_WORDS)]
    del found[MAX_READ_WORDS:]
    content = _content(query, found)
    if (
        not content
        and not query.words
        and not query.phrases
        and not query.prefixes
        and not query.fuzzies
    ):
        content = found
    query.words = unique(query.words + content)[:MAX_READ_WORDS]
    query.typed = found
    _pair(query, found)
    query.runs = _runs(found)
    _drop_unmatched(query)
    query.together = (
        len(plain.split()) == 1
        and len(query.words) == len(found) == len(typed) > 1
        and all(len(word.tokens) <= TOGETHER_TOKENS for word in found)
    )
    query.personal = len(query.words) <= MAX_PERSONAL_WORDS and any(
        word.tokens and word.tokens[0] in FIRST_PERSON for word in found
    )
    return query


def _content(query: Query, found: list[Word]) -> list[Word]:
    """Leave out function words, of the language that the question is in, and polite frames."""
    content = [word for word in found if not is_function(word)]
    foreign = _closed_class(found, len(found) - len(content))
    other_script = (not token.isascii() for word in content for token in word.tokens)
    query.foreign = bool(foreign) or any(other_script)
    if foreign:
        return [word for word in content if not (word.plain and word.tokens[0] in foreign)]
    asked = [
        word for word in content if not (word.plain and analysis.is_frame_word(word.tokens[0]))
    ]
    framed = len(content) < len(found) and len(content) - len(asked) >= LEAST_FRAME
    if asked and framed:
        return asked
    said = {id(word) for word in _speech(found)}
    told = [word for word in content if id(word) not in said]
    return told or content


def _speech(found: list[Word]) -> list[Word]:
    """Return the verb of "what did I say about …": it asks who spoke, not for that word."""
    tokens = [word.tokens[0] if word.plain else "" for word in found]
    return [
        found[at]
        for at in range(2, len(found) - 1)
        if tokens[at] in SPEECH and tokens[at - 1] in SPEAKERS and tokens[at - 2] in AUXILIARIES
    ]


def _closed_class(found: list[Word], english: int) -> frozenset[str]:
    """Return the function words of the language, other than English, that a question is in."""
    tokens = {word.tokens[0] for word in found if word.plain}
    wide = not all(token.isascii() for token in tokens)
    if len(tokens) < LEAST_ASKED and not wide:
        return frozenset()
    if not _closed_classes:
        from indexer.closed_classes import CLOSED_CLASSES

        _closed_classes.extend(frozenset(words.split()) for words in CLOSED_CLASSES.values())
    best: frozenset[str] = frozenset()
    most = max(english, 0 if wide else 1)
    for held in _closed_classes:
        if len(tokens & held) > most:
            best, most = held, len(tokens & held)
    return best


def _take_quoted(query: Query, text: str) -> str:
    if text.count('"') < 2:
        return text
    from clawa_search.search.quotes import take_phrases

    return take_phrases(query, text)


def _take_filters(query: Query, words: list[str]) -> list[str]:
    plain = []
    for word in words:
        name, colon, value = word.partition(":")
        known = colon and value and name in FILTERS and (name != "role" or value in ROLES)
        if known and not value.startswith("/" * 2):
            query.filters.append((name, value))
        else:
            plain.append(word)
    # `NOT word` at the end of a list of words excludes; `do NOT deploy` is a sentence.
    if len(plain) > 2 and plain[-2] == "NOT" and not any(map(_is_of_a_sentence, plain[:-2])):
        last = analysis.query_words(plain[-1])
        if last:
            from clawa_search.search.quotes import exactly

            query.excluded.append(exactly(plain[-1], last))
            query.notes.append(LEFT_OUT.format(plain[-1]))
            plain = plain[:-2]
    return plain


def _take_wildcards(query: Query, plain: str) -> list[Word]:
    if "*" not in plain and "~" not in plain:
        return analysis.query_words(plain)
    kept = []
    for word in plain.split():
        stem = word[:-1]
        mark = word[-1]
        # Two marks are emphasis: *now*.
        if mark in "*~" and stem[-1:].isalnum() and mark not in stem:
            tokens = analysis.text_tokens(stem) if len(stem) > 1 and stem.isalnum() else []
            if len(tokens) == 1:
                prefix = tokens[0] if mark == "~" else _prefix(stem, tokens[0])
                (query.fuzzies if mark == "~" else query.prefixes).append(prefix)
                continue
            query.notes.append(f"{word!r}: only a plain word of two letters or more can be widened")
        kept.append(word)
    return analysis.query_words(" ".join(kept))


def _prefix(word: str, stem: str) -> str:
    """Return what every token of a word that begins with *word* begins with."""
    word = word.lower()
    length = 0
    while length < min(len(word), len(stem)) and word[length] == stem[length]:
        length += 1
    return word[:length] or stem


def is_function(word: Word) -> bool:
    """Tell whether *word* is an English function word, typed plainly."""
    return (
        len(word.tokens) > 0
        and all(code.startswith("~") for code in word.codes)
        and all(analysis.is_function_word(token) for token in word.tokens)
    )


def _is_of_a_sentence(word: str) -> bool:
    tokens = analysis.text_tokens(word)
    if word.lower() in MODALS:
        return True
    return bool(tokens) and all(analysis.is_function_word(token) for token in tokens)


def keep_rarest(query: Query, df: Callable[[str, str], int]) -> None:
    """Cut a long question to its MAX_WORDS rarest known words, and to its MAX_PAIRS rarest pairs."""

    def rarity(word: Word) -> int:
        counts = [df("text", token) for token in word.tokens]
        counts += [df("code", form) for form in word.codes]
        return min((count for count in counts if count), default=1 << 62)

    if len(query.words) > MAX_WORDS:
        chosen = set(map(id, sorted(query.words, key=rarity)[:MAX_WORDS]))
        query.words = [word for word in query.words if id(word) in chosen]
        kept = {word.tokens for word in query.words}
        query.pairs = [pair for pair in query.pairs if (pair[0],) in kept and (pair[1],) in kept]
        _drop_unmatched(query)
    if len(query.pairs) > MAX_PAIRS:
        query.pairs.sort(key=lambda pair: min(df("text", token) for token in pair))
        del query.pairs[MAX_PAIRS:]


def unique(words: list[Word]) -> list[Word]:
    """Return *words* without those that look for the same: "dogs" and "dog" are one word."""
    kept: dict[tuple[tuple[str, ...], tuple[str, ...]], Word] = {}
    for word in words:
        kept.setdefault((word.tokens, () if word.plain else word.codes), word)
    return list(kept.values())


def _pair(query: Query, found: list[Word]) -> None:
    wanted = {word.tokens for word in query.words if word.tokens}
    pairs: dict[tuple[str, str], None] = {}
    for number in range(1, len(found)):
        left, right = found[number - 1].tokens, found[number].tokens
        if left in wanted and right in wanted and left != right:
            pairs[left[-1], right[0]] = None
    query.pairs = list(pairs)[:MAX_WORDS]


def _drop_unmatched(query: Query) -> None:
    """Drop pairs and runs that hold no whole word: parts of two identifiers prove no match."""
    wholes = {word.tokens for word in query.words if word.tokens and not word.strict}

    def proves(tokens: tuple[str, ...]) -> bool:
        size = len(tokens)
        return any(
            tokens[at:end] in wholes for at in range(size) for end in range(at + 1, size + 1)
        )

    query.pairs = [pair for pair in query.pairs if proves(pair)]
    query.runs = [run for run in query.runs if proves(run)]


def _runs(found: list[Word]) -> list[tuple[str, ...]]:
    tokens = [token for word in found for token in word.tokens]
    if len(tokens) < SENTENCE_TOKENS:
        return []
    longest = sorted(range(1, len(tokens) - 1), key=lambda at: -len(tokens[at]))[:MAX_RUNS]
    return list(dict.fromkeys(tuple(tokens[at - 1 : at + 2]) for at in longest))

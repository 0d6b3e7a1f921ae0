"""The one analyser: how a text, an excerpt, a memory and a query become tokens that can meet.

Field `text` holds words: `analyzer()` applied to `expand(text)`. Field `code` holds whole forms:
identifiers, paths, versions, flags, hashes, single characters of scripts without spaces, emoji.
No token of either contains whitespace. Documents and queries pass through the same functions
piece by piece, which is why a word always finds the text that it was taken from.
"""

from __future__ import annotations

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from indexer.forms import (
    HARD,
    HASH_PREFIX,
    MAX_PIECE,
    MAX_PLAIN,
    MAX_TOKEN_BYTES,
    PIECE,
    RUN,
    SYMBOL,
    atoms,
    flat_form,
    forms,
    segments,
    spread,
)
from indexer.version import ANALYSIS_VERSION
from indexer.word import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.word import Written

__all__ = [
    "TOKENIZER",
    "VERSION",
    "Word",
    "analyse",
    "analyzer",
    "code_tokens",
    "each_once",
    "expand",
    "is_frame_word",
    "is_function_word",
    "look",
    "pieces",
    "query_words",
    "text_tokens",
    "windows",
]

VERSION = ANALYSIS_VERSION  # an index made by another version must be rebuilt
TOKENIZER = "clawa"  # the name under which analyzer() is registered in a Tantivy index

LONGEST_RUN, LONGEST_HANGUL = 3, 2
"""Characters of a run that is looked up as one word; Hangul glues particles to its words."""
ALPHABETS = (("\u0e00", "\u10ff"), ("\u1780", "\u1bff"), ("\ua980", "\uaadf"))
"""Thai, Lao, Myanmar; Khmer, Tai, Balinese; Javanese, Cham."""
_TO_SPACES_UTF8 = bytes.maketrans(HARD.encode(), b" " * len(HARD))
_TO_SPACES = _TO_SPACES_UTF8[:128].decode()

# What is known of pieces seen before, so that only new ones are looked at closely (twice as fast
# on session files). Bounded by emptying both: about 20 MB when full.
_MAX_KNOWN = 40_000  # pieces, in each of the two
_MAX_KNOWN_PIECE = 80  # characters
_MAX_KNOWN_WORDS = 4_000  # of questions
_plain: set[str] = set()
_known: dict[str, tuple[str | None, str]] = {}
_analyzer: list[TextAnalyzer] = []  # one, once it was asked for
_folding: list[Callable[[str], list[tuple[int, str]]]] = []  # the same, for non-ASCII text
_typed_words: dict[str, list[Word]] = {}
_function_words: set[str] = set()
_frame_words: set[str] = set()


def analyzer() -> TextAnalyzer:
    """Return the analyser of field `text`; register it as TOKENIZER after every open of an index."""
    if not _analyzer:
        builder = TextAnalyzerBuilder(Tokenizer.simple())
        builder = builder.filter(Filter.remove_long(MAX_TOKEN_BYTES + 1))
        builder = builder.filter(Filter.lowercase()).filter(Filter.ascii_fold())
        _analyzer.append(builder.filter(Filter.stemmer("english")).build())
    return _analyzer[0]


def expand(text: str) -> str:
    """Return the string whose analysis by `analyzer()` gives the tokens of field `text`."""
    return analyse(text)[0]


def text_tokens(text: str) -> list[str]:
    """Return the tokens of field `text`, in order: consecutive tokens form phrases."""
    return analyzer().analyze(expand(text))


def code_tokens(text: str) -> list[str]:
    """Return the tokens of field `code`, each once: whole forms in lower case."""
    return analyse(text)[1].split()


def analyse(text: str) -> tuple[str, str]:
    """Return `expand(text)` and the joined `code_tokens(text)` in one pass."""
    found = pieces(text)
    changed: dict[str, str] = {}
    codes: list[str] = []
    for piece in _odd(found):
        expanded, coded = look(piece)
        if expanded is not None:
            changed[piece] = expanded
        if coded:
            codes.append(coded)
    if changed or not text.isascii():
        text = " ".join(map(changed.get, found, found))
    return text, each_once(codes)


def each_once(codes: list[str]) -> str:
    """Join codes, some of them joined already, leaving out what was there before."""
    return " ".join(dict.fromkeys(" ".join(codes).split(" "))) if codes else ""


def look(piece: str) -> tuple[str | None, str]:
    """Return *piece* with its parts apart (None: as it is), and its joined codes."""
    return _known.get(piece) or _learn(piece)


def _odd(found: list[str]) -> list[str]:
    """Return those that may be more than a plain word, each once, in order."""
    plain = _plain
    # Lower-case words are told by two C calls: a new one must not cost a look into the memo.
    return [
        piece
        for piece in dict.fromkeys(found)
        if not (piece.islower() and piece.isalpha() and piece.isascii() and len(piece) <= MAX_PLAIN)
        and piece not in plain
    ]


def pieces(text: str) -> list[str]:
    """Cut *text* at whitespace and hard separators; lone surrogates become `?`."""
    if text.isascii():
        return text.translate(_TO_SPACES).split()
    # bytes.translate, because str.translate takes 40 ns per character once one is not ASCII.
    return text.encode("utf-8", "replace").translate(_TO_SPACES_UTF8).decode().split()


def _learn(piece: str) -> tuple[str | None, str]:
    """Work out the expansion (None: the piece itself) and the codes of *piece*; remember them."""
    if len(_plain) >= _MAX_KNOWN or len(_known) >= _MAX_KNOWN:
        _plain.clear()
        _known.clear()
    if piece.isascii():
        if _is_plain(piece):
            _plain.add(piece)
            return None, ""
        expanded, codes = _look(piece)
    else:
        expanded, codes = _look_beyond_ascii(piece)
    learnt = expanded, " ".join(codes)
    if len(piece) > _MAX_KNOWN_PIECE:
        return learnt
    if expanded is None and not codes:
        _plain.add(piece)
    else:
        _known[piece] = learnt
    return learnt


def _is_plain(piece: str) -> bool:
    """Tell of most pieces that are plain words that they are, quickly."""
    core = piece.rstrip(".") if piece[-1] == "." else piece
    if core.isalpha():
        cased = core.islower() or core.istitle() or core.isupper()
        return cased and len(core) <= MAX_PLAIN
    return core.isdigit() and len(core) <= MAX_PLAIN


def _look(piece: str) -> tuple[str | None, list[str]]:
    if len(piece) > MAX_PIECE:
        return "", []
    wholes, parts, _ = forms(piece)
    path = segments(piece) if "/" in piece or "\\" in piece else []
    if len(path) < 2:
        return spread(piece), wholes + parts
    expanded: list[str] = []
    codes = wholes + parts
    for segment in path:
        if segment.isascii():
            changed, found = look(segment)
            codes.append(found)
        else:  # folded already; the memo is of text as it was written
            changed, more = _look(segment)
            codes += more
        expanded.append(segment if changed is None else changed)
    return None if expanded == path else " ".join(expanded), list(filter(None, codes))


def _look_beyond_ascii(piece: str) -> tuple[str | None, list[str]]:
    expanded: list[str] = []
    codes: list[str] = []
    for kind, part in _parts_of(piece):
        if kind == PIECE:
            changed, found = _look(part)
            expanded.append((part if changed is None else changed).casefold())
            codes += found
        elif kind == RUN:
            expanded.append(_pairs(part))
            codes += dict.fromkeys(part)
        else:
            codes.append(part)
    return " ".join(expanded), codes


def _parts_of(piece: str) -> list[tuple[int, str]]:
    if not _folding:  # kept, because an import statement costs a third of folding a word
        from indexer.folding import parts_of

        _folding.append(parts_of)
    return _folding[0](piece)


def _pairs(run: str) -> str:
    """Return the overlapping pairs of *run*, or its one character."""
    return " ".join([run[at : at + 2] for at in range(len(run) - 1)]) or run


def query_words(text: str) -> list[Word]:
    """Return the words of a query in order; what holds no letter, digit or symbol gives none.

    A whitespace-separated word gives one Word, except that runs of scripts without spaces and
    symbols inside it become Words of their own: redis缓存 is two.
    """
    found = []
    for typed in text.split():
        words = _typed_words.get(typed)
        if words is None:
            words = _typed(typed)
            if len(typed) <= _MAX_KNOWN_PIECE:
                if len(_typed_words) >= _MAX_KNOWN_WORDS:
                    _typed_words.clear()
                _typed_words[typed] = words
        found += words
    return found


def windows(word: Word, most: int) -> list[Word]:
    """Return the parts, *most* at most, by which a run of a script without spaces is looked up.

    A short run may be a word, and is one part; a longer one is a sentence, which hardly anybody
    said in the same way. Of scripts that write syllables or words a part is a pair of signs, of
    alphabets three.
    """
    run = word.unspaced
    size, longest = 2, LONGEST_RUN
    if any(first <= run[:1] <= last for first, last in ALPHABETS):
        size = 3
    elif "\uac00" <= run[:1] <= "\ud7a3":
        longest = LONGEST_HANGUL
    if len(run) <= longest:
        return [word]
    parts = [run[at : at + size] for at in range(min(len(run) - size + 1, most))]
    return [Word(part, tuple(text_tokens(part)), unspaced=part, across=True) for part in parts]


def _typed(typed: str) -> list[Word]:
    """Return the Words of one whitespace-separated word."""
    surface = typed.strip(HARD)
    parts = [(PIECE, piece) for piece in pieces(typed)]
    if not typed.isascii():
        parts = [found for _, piece in parts for found in _parts_of(piece)]
    words: list[Word | None] = []
    group: list[str] = []
    for kind, part in parts:
        if kind == PIECE:
            group.append(part)
            continue
        words += [_word(group), _unspaced(kind, part)]
        group = []
    words.append(_word(group))
    found = [word for word in words if word]
    if len(found) == 1:
        found[0].surface = surface
    return found


def _unspaced(kind: int, part: str) -> Word:
    tokens = tuple(analyzer().analyze(_pairs(part))) if kind == RUN else ()
    codes = (part,) if kind == SYMBOL or len(part) == 1 else ()
    return Word(part, tokens, codes, unspaced=part if kind == RUN else "")


def _word(pieces: list[str]) -> Word | None:
    """Return the Word of neighbouring pieces, or None if there is nothing in them to look for."""
    pieces = [piece for piece in pieces if len(piece) <= MAX_PIECE]
    expanded = [piece if (apart := _look(piece)[0]) is None else apart for piece in pieces]
    tokens = tuple(analyzer().analyze(" ".join(expanded).casefold()))
    codes: list[str] = []
    strict = False
    if len(pieces) == 1:
        codes, _, strict = forms(pieces[0])
        if not codes and not (tokens and is_function_word(tokens[0])):
            codes = _codes_of_plain(pieces[0])
    if not tokens and not codes:
        return None
    others: tuple[Written, ...] = ()
    # What has humps or hyphens may be written as one plain word, while file_name is not filename.
    if len(tokens) > 1 and codes and codes[-1].startswith("~") and "_" not in pieces[0]:
        others = ((tuple(analyzer().analyze(codes[-1])), 1.0),)
    surface = " ".join(pieces)
    return Word(surface, tokens, tuple(codes), others=others, strict=strict and bool(codes))


def _codes_of_plain(piece: str) -> list[str]:
    """Return the whole forms that a plain word may stand for: an identifier's, or a hash's."""
    (atom,) = atoms(piece) or ("",)
    if atom.isdigit():
        return [atom[:HASH_PREFIX]] if len(atom) >= HASH_PREFIX else []
    return flat_form(atom) if len(atom) > 1 else []


def is_function_word(token: str) -> bool:
    """Tell whether a token of field `text` is an English closed-class word, such as "the"."""
    if not _function_words:
        from indexer.function_words import FUNCTION_WORDS

        _function_words.update(analyzer().analyze(FUNCTION_WORDS))
    return token in _function_words


def is_frame_word(token: str) -> bool:
    """Tell whether a token belongs to the frame of a polite question, such as "please"."""
    if not _frame_words:
        from indexer.function_words import FRAME_WORDS

        _frame_words.update(text_tokens(FRAME_WORDS))
    return token in _frame_words

r"""The forms under which one piece of text is indexed, and by which a query finds it again.

A *piece* is what is left between hard separators (whitespace, quotes, brackets, `= : @ , ; ! ? …`):
letters and digits of any script, held together by the soft separators `_ - . / \ + #` only.
An *atom* is what is left of a piece between soft separators as well.
"""

from __future__ import annotations

SOFT = "_-./\\+#"
PIECE, RUN, SYMBOL = range(3)  # a RUN is of a script without spaces
HARD = "".join(map(chr, range(33))) + "\x7f!\"$%&'()*,:;<=>?@[]^`{|}~"
MAX_PIECE = 1_000  # characters; a longer piece is a blob (base64, a minified line), not words
MAX_TOKEN_BYTES = 119  # of one token of field `text`, in UTF-8
MAX_PLAIN = MAX_TOKEN_BYTES // 4  # characters that fit into such a token, whatever they are
_MAX_CODE = 300  # characters
_MAX_IDENTIFIER = 64  # characters; longer ones are neither split at humps nor flattened
HASH_PREFIX = 7  # characters, as git abbreviates
_MAX_HASH = 128  # characters of SHA-512
_ENDS = (2, 3)  # numbers of segments that are indexed from either end of a path
_TO_ATOMS = str.maketrans(dict.fromkeys(SOFT, " "))
_ONLY_VERSIONS = (
    b" " * 46 + b". 0123456789" + b" " * 198
)  # bytes.translate table: the rest to spaces

# (whole forms, further forms, strict): a query carries the whole forms only, a document all of
# them. `strict`: nothing but a whole form counts, as in C++ or 0.26.1.
Forms = tuple[list[str], list[str], bool]


def atoms(piece: str) -> list[str]:
    """Split *piece* at its soft separators."""
    return [piece] if piece.isalnum() else piece.translate(_TO_ATOMS).split()


def humps(atom: str) -> list[str]:
    """Split an identifier at its humps: getUserById, HTTPServer, Base64Encoder; URLs stays whole."""
    if atom.islower() or atom.isupper() or len(atom) > _MAX_IDENTIFIER:
        return [atom]
    if atom.istitle() and atom.isalpha():
        return [atom]
    parts = []
    start = 0
    for at, letter in enumerate(atom):
        if letter.isupper() and at and _is_hump(atom, at):
            parts.append(atom[start:at])
            start = at
    parts.append(atom[start:])
    return parts


def _is_hump(atom: str, at: int) -> bool:
    before = atom[at - 1]
    if before.islower():
        return True
    after = atom[at + 1 : at + 3]
    if not after[:1].islower():
        return False
    plural = after[0] == "s" and not after[1:].islower()  # URLs, PDFsAndDocs
    return before.isdigit() or (before.isupper() and not plural)


def spread(piece: str) -> str | None:
    """Return *piece* with its humps apart and its overlong atoms gone; None when that is *piece*."""
    if _starts_with_date(piece):
        time = spread(piece[11:])
        return f"{piece[:10]} {piece[11:] if time is None else time}"
    fits = len(piece) <= MAX_PLAIN or (len(piece) <= MAX_TOKEN_BYTES and piece.isascii())
    if fits and (piece.islower() or piece.isupper()):
        return None
    changed = False
    parts: list[str] = []
    for atom in atoms(piece):
        if not fits and _is_overlong(atom):
            changed = True
            continue
        split = humps(atom)
        changed = changed or len(split) > 1
        parts += split
    return " ".join(parts) if changed else None


def _starts_with_date(piece: str) -> bool:
    """Tell whether *piece* begins like 2026-12-15T10, so that the date is found without the time."""
    return piece[10:11] == "T" and piece[:4].isdigit() and piece[4] == piece[7] == "-"


def _is_overlong(atom: str) -> bool:
    return len(atom) > MAX_PLAIN and len(atom.encode()) > MAX_TOKEN_BYTES


def segments(piece: str) -> list[str]:
    """Return the parts of a path or URL, `.` and `..` left out; none when *piece* is no path."""
    if "/" not in piece and "\\" not in piece:
        return []
    if "\\" in piece:
        piece = piece.replace("\\", "/")
    return [part for part in piece.split("/") if part.strip(".")]


def forms(piece: str) -> Forms:
    """Return the forms of *piece* for field `code`, all of them in lower case.

    The further forms of a path are its ends; those of its segments are for the caller to add.
    """
    if not piece.strip(SOFT):
        return [], [], False
    path = segments(piece)
    if len(path) < 2:
        name = path[0] if path else piece
        wholes, parts, strict = _name(name)
        return wholes, [*parts, name[:10]] if _starts_with_date(name) else parts, strict
    lower = path if piece.islower() else [segment.casefold() for segment in path]
    ends: list[str] = []
    for count in _ENDS:
        if count < len(path):
            ends += ["/".join(lower[-count:]), "/".join(lower[:count])]
    whole = "/".join(lower)
    if len(whole) > _MAX_CODE:
        return [], [end for end in ends if len(end) <= _MAX_CODE], False
    return [whole], ends, False


def _all(found: Forms) -> list[str]:
    return found[0] + found[1]


def _short(code: str) -> list[str]:
    return [code] if len(code) <= _MAX_CODE else []


def _name(name: str) -> Forms:
    """Return the forms of a piece without slashes."""
    if name.isalnum():
        return _atom(name), [], False
    name = name.rstrip(".-").lstrip("+")
    if "+" in name or "#" in name:
        return _with_operators(name)
    core = name.lstrip("-.")
    wholes: list[str] = []
    if len(core) < len(name) and not core[:1].isdigit():
        lead = name[: len(name) - len(core)]
        if lead in {"-", "--", "."}:  # -p, --no-cache, .env
            wholes = _short(lead + core.casefold())
    if "." not in core:
        return wholes + _identifier(core), _humped(core), False
    lower = core.casefold()
    version = lower.removeprefix("v")
    if _is_version(version):
        return _short(version), _minors(version), True
    parts = [code for part in core.split(".") for code in _identifier(part) + _humped(part)]
    if not core.replace(".", "").isalpha():
        parts += _versions_in(lower)
    return wholes + _short(lower), parts, False


def _versions_in(name: str) -> list[str]:
    found: list[str] = []
    for digits in name.encode().translate(_ONLY_VERSIONS).decode().split():
        chain = digits.strip(".")
        if _is_version(chain):
            found += [*_short(chain), *_minors(chain)]
    return found


def _is_version(text: str) -> bool:
    digits = text.replace(".", "")
    return text.isascii() and digits.isdigit() and "." in text[1:-1] and ".." not in text


def _minors(version: str) -> list[str]:
    numbers = version.split(".")
    return [".".join(numbers[:count]) for count in (2, 3) if count < len(numbers)]


def _identifier(name: str) -> list[str]:
    """Return the forms of a name without dots; one that is a plain word has none."""
    if "_" not in name and "-" not in name:
        return _atom(name)
    core = name.strip("_-")
    if not core:
        return []
    several = "_" in core or "-" in core
    return _short(name.casefold()) + (flat_form(core) if several else [])


def _humped(name: str) -> list[str]:
    """Return the flat forms of the parts with humps: _handleEvent, icon_arrowUp, 2-ParallelCode."""
    if "_" not in name and "-" not in name:
        return []
    if name.islower() or name.isupper():
        return []
    return [code for atom in atoms(name) if len(humps(atom)) > 1 for code in flat_form(atom)]


def _atom(name: str) -> list[str]:
    if len(name) >= HASH_PREFIX and _is_hash(name.casefold()):
        return list(dict.fromkeys((name.casefold(), name.casefold()[:HASH_PREFIX])))
    if _is_overlong(name):
        return _short(name.casefold())
    return flat_form(name) if len(humps(name)) > 1 else []


def flat_form(name: str) -> list[str]:
    """Return the form shared by every spelling of an identifier: get_user_by_id, getUserById.

    The mark keeps it apart from the words themselves: a query `file_name` must not find a
    document that says `filename`, while a query `filename` may find a document's `file_name`.
    """
    flat = name.replace("_", "").replace("-", "").casefold()
    return [] if len(flat) > _MAX_IDENTIFIER or flat.isdigit() else ["~" + flat]


def _is_hash(lower: str) -> bool:
    """Tell whether *lower* looks like a commit or a digest: hexadecimal, with a letter and a digit."""
    if len(lower) > _MAX_HASH or lower.isalpha() or lower.isdigit():
        return False
    return not lower.strip("0123456789abcdef")


def _with_operators(name: str) -> Forms:
    """Return the forms of a name with `+` or `#` inside or at its end: C++17, F#, repo#875."""
    wholes = _short(name.casefold())
    parts: list[str] = []
    strict = False
    if len(name) > _MAX_IDENTIFIER:  # base64, rather
        return wholes, parts, strict
    runs = _runs(name)
    for at, (word, operator) in enumerate(runs):
        after = runs[at + 1][0] if at + 1 < len(runs) else ""
        last = (atoms(word) or [""])[-1]
        if last and word.endswith(last) and last[0].isalpha() and _names(operator, after):
            code = last.casefold() + ("++" if operator.startswith("++") else operator[0])
            strict = strict or (code == name.casefold())
            parts += _short(code)
        if operator.endswith("#") and after and (tag := atoms(after)) and after.startswith(tag[0]):
            parts += _short("#" + tag[0].casefold())
        if word:
            parts += _all(_name(word))
    return wholes, parts, strict


def _names(operator: str, after: str) -> bool:
    """Tell whether *operator* is part of the name before it, as in C++, C# and Disney+."""
    if operator.startswith("++"):
        return True
    if operator.startswith("#"):
        return not after or after[0] in "-._"
    return operator == "+" and not after


def _runs(name: str) -> list[tuple[str, str]]:
    """Split *name* into runs of other characters, each with the `+` and `#` that follow it."""
    runs = [("", "")]
    end = 0
    for word in name.replace("#", "+").split("+"):
        end += len(word)
        operator = name[end : end + 1]
        end += 1
        if word:
            runs.append((word, operator))
        else:
            runs[-1] = (runs[-1][0], runs[-1][1] + operator)
    return runs

"""Keys, tokens and private keys are masked before anything is shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

PEM = r"[A-Z ]*PRIVATE KEY(?: BLOCK)?"
ESCAPES = (r"\\[nrt]", r"\\u[0-9A-Fa-f]{4}", r"%[0-9A-Fa-f]{2}")
COLOURS = (r"\[m", r"\[\dm", r"\[\d\dm", r"\[\d;\d\dm", r"\[\d\d;\d\dm")
START = rf"(?:(?<![A-Za-z0-9_])|{'|'.join(f'(?<={before})' for before in ESCAPES + COLOURS)})"
"""Before a short prefix: no letter that makes another word of it, as in task-, but for those that
end an escape of JSON or of a URL, or the colour of a terminal."""
KINDS = (
    (
        "private key",
        ("-----BEGIN ",),
        rf"-----BEGIN {PEM}-----[\s\S]*?(?:-----END {PEM}-----|\Z)",
    ),
    ("AWS key", ("AKIA", "ASIA"), r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])"),
    (
        "AWS key",
        ("AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"),
        r"(?:AWS_SECRET_ACCESS_KEY|aws_secret_access_key)[\"']?\s*[=:]\s*[\"']?[A-Za-z0-9/+]{40}",
    ),
    ("bearer token", ("Bearer ",), r"Bearer [A-Za-z0-9._~+/-]{20,}=*"),
    ("JWT", ("eyJ",), r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.?[A-Za-z0-9_-]*"),
    (
        "GitHub token",
        ("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_"),
        r"(?:gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
    ),
    ("GitLab token", ("glpat-",), r"glpat-[A-Za-z0-9_-]{16,}"),
    ("API key", ("sk-",), START + r"sk-[A-Za-z0-9_-]{20,}"),
    ("Stripe key", ("rk_live_", "sk_live_"), r"[rs]k_live_[A-Za-z0-9]{16,}"),
    ("Slack token", ("xox",), r"xox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("Google key", ("AIza",), r"AIza[0-9A-Za-z_-]{30,}"),
    ("npm token", ("npm_",), r"npm_[A-Za-z0-9]{30,}"),
    ("PyPI token", ("pypi-",), r"pypi-[A-Za-z0-9_-]{40,}"),
    ("Hugging Face token", ("hf_",), r"hf_[A-Za-z0-9]{30,}"),
    ("SendGrid key", ("SG.",), START + r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
)
"""Name, what each secret of that kind begins with, and its pattern."""

HINTS = tuple(prefix for _, prefixes, _ in KINDS for prefix in prefixes)
"""A text without any of these holds no secret that we know: most texts never load `re`."""


def masked(text: str) -> str:
    """Return *text* with every known secret replaced by `[masked: KIND]`."""
    for hint in HINTS:
        if hint in text:
            return _mask(text)
    return text


def all_masked(texts: list[str]) -> list[str]:
    """Return *texts*, each as `masked` does: many short ones are looked through at once."""
    together = "\n".join(texts)
    return texts if masked(together) is together else [masked(text) for text in texts]


def _mask(text: str) -> str:
    import re

    # Patterns are tried only where a prefix stands: one search for all of them at every
    # character takes 0.6 s a megabyte.
    spans: list[tuple[int, int, str]] = []
    for kind, prefixes, pattern in KINDS:
        compiled: re.Pattern[str] | None = None
        for prefix in prefixes:
            if prefix in text:
                compiled = compiled or re.compile(pattern)
                spans += [(*span, kind) for span in _spans(text, prefix, compiled)]
    parts = []
    end = 0
    for start, stop, kind in sorted(spans):
        if start >= end:
            parts += [text[end:start], f"[masked: {kind}]"]
        end = max(end, stop)
    return "".join(parts) + text[end:]


def _spans(text: str, prefix: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    at = text.find(prefix)
    while at >= 0:
        found = pattern.match(text, at)
        if found:
            yield found.span()
        at = text.find(prefix, found.end() if found else at + 1)

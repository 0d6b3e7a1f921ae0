"""Keys, tokens and private keys are masked before anything is shown."""

from __future__ import annotations

_HINTS = (
    "AKIA",
    "ASIA",
    "-----BEGIN",
    "eyJ",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "sk-",
    "sk_live",
    "xox",
    "AIza",
    "npm_",
    "pypi-",
    "hf_",
    "rk_live",
    "SG.",
)
"""A text without any of these holds no secret that we know: most texts never load `re`."""


PATTERNS = (
    (
        "private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ),
    ("AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("JWT", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.?[A-Za-z0-9_-]*"),
    ("GitHub token", r"\b(?:gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{16,}"),
    ("API key", r"\bsk-[A-Za-z0-9_-]{20,}"),
    ("Stripe key", r"\b[rs]k_live_[A-Za-z0-9]{16,}"),
    ("Slack token", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
    ("Google key", r"\bAIza[0-9A-Za-z_-]{30,}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{40,}"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
)


def masked(text: str) -> str:
    """Return *text* with every known secret replaced by `[masked: KIND]`."""
    for hint in _HINTS:
        if hint in text:
            return _mask(text)
    return text


def _mask(text: str) -> str:
    import re

    named = (f"(?P<p{number}>{pattern})" for number, (_, pattern) in enumerate(PATTERNS))

    def kind(found: re.Match[str]) -> str:
        return f"[masked: {PATTERNS[int((found.lastgroup or 'p0')[1:])][0]}]"

    return re.sub("|".join(named), kind, text)

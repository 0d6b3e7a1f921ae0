"""Every kind of secret is masked wherever it stands, and nothing else is changed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawa_search.secrets import KINDS, all_masked, masked

KEY = "-----BEGIN {0}PRIVATE KEY{1}-----\nMIIEow==\nAAAA\n-----END {0}PRIVATE KEY{1}-----"
SECRETS = {
    "AKIAABCDEFGHIJKLMNOP": "AWS key",
    "ASIA0123456789ABCDEF": "AWS key",
    f"AWS_SECRET_ACCESS_KEY={'a1/+' * 10}": "AWS key",
    'aws_secret_access_key": "' + "a1/+" * 10: "AWS key",
    f"Bearer {'a1-_' * 6}==": "bearer token",
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl": "JWT",
    **{f"gh{letter}_{'a1B2' * 9}": "GitHub token" for letter in "oprsu"},
    f"github_pat_{'a1_B' * 9}": "GitHub token",
    f"glpat-{'a1-B' * 5}": "GitLab token",
    f"sk-ant-{'a1_B' * 9}": "API key",
    f"sk-{'a1B2' * 9}": "API key",
    f"sk_live_{'a1B2' * 5}": "Stripe key",
    f"rk_live_{'a1B2' * 5}": "Stripe key",
    f"xoxb-{'12345-' * 4}": "Slack token",
    f"AIza{'a1_B' * 9}": "Google key",
    f"npm_{'a1B2' * 9}": "npm token",
    f"pypi-{'a1_B' * 12}": "PyPI token",
    f"hf_{'a1B2' * 9}": "Hugging Face token",
    f"SG.{'a1_B' * 5}.{'a1_B' * 5}": "SendGrid key",
    KEY.format("", ""): "private key",
    KEY.format("RSA ", ""): "private key",
    KEY.format("OPENSSH ", ""): "private key",
    KEY.format("PGP ", " BLOCK"): "private key",
}
PLAIN = ["sk-", "AKIA", "ghp_short", "eyJ.eyJ", "-----BEGIN CERTIFICATE-----", "task-list", "word",
         "hf_", "SG.x.y", "xoxo", "caf\xe9", "\n", "risk-averse", "Bearer of news", "-----BEGIN", "npm_config"]  # fmt: skip


@given(st.lists(st.sampled_from([*SECRETS, *PLAIN]), max_size=12))
def test_secrets_are_masked_and_everything_else_is_kept(pieces):
    expected = [f"[masked: {SECRETS[p]}]" if p in SECRETS else p for p in pieces]
    assert masked(" | ".join(pieces)) == " | ".join(expected)


def test_every_kind_is_tried():
    assert {name for name, _, _ in KINDS} == {*SECRETS.values()}


def test_a_private_key_without_its_end_is_masked_to_the_end():
    assert masked("see -----BEGIN PRIVATE KEY-----\nMIIE and more") == "see [masked: private key]"


@given(st.text(max_size=300))
def test_masking_twice_changes_nothing_more(text):
    assert masked(masked(text)) == masked(text)


@given(st.text("eyJ.ab_-AKI SG", max_size=200))
def test_it_masks_what_one_search_for_all_patterns_would(text):
    every = "|".join(f"(?:{pattern})" for _, _, pattern in KINDS)
    assert re.sub(r"\[masked: [^]]*]", "*", masked(text)) == re.sub(every, "*", text)


def test_a_text_full_of_beginnings_takes_no_time_to_speak_of():
    assert masked("eyJ sk- SG. " * 50_000).count("eyJ") == 50_000


@given(st.lists(st.sampled_from([*SECRETS, *PLAIN]), max_size=6))
def test_texts_are_masked_together_as_one_by_one(texts):
    assert all_masked(texts) == [masked(text) for text in texts]


@pytest.mark.parametrize(
    "before", ["密钥", "é", "\x1b[32m", "[1;31m", "\\n", "\\u003d", "%20", "="]
)
@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_are_masked_behind_other_scripts_and_escapes(before, secret):
    assert masked(f"{before}{secret} end") == f"{before}[masked: {SECRETS[secret]}] end"


def test_a_longer_word_is_no_secret():
    for word in (
        "task-management-system-of-2026",
        "desk-" + "a" * 30,
        "MSG." + "a" * 20 + "." * 20,
    ):
        assert masked(word) == word

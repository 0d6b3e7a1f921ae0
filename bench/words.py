"""The vocabulary of made-up histories: real common words first, then invented ones without end.

A word's rank follows a power law, so that a corpus twice as large keeps meeting new words
(Heaps' law), as real histories do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

# In order of frequency: function words with the words that every coding session repeats.
COMMON = (
    "the to and a of is in it that for you i this with on be file as we not are can so if or test "
    "but now have code from will should which use at by an all when need my do was run there then "
    "error check one its let just make has also your me add like what would only see how no fix "
    "get line change want up same out set more still here name some could after first time does "
    "before them new these they into function been value type other two work read call where any "
    "because why than right write path list build command way put each back off data both go over "
    "find did start without case output show session keep had were very problem version module "
    "project down think remember while agent search memory user message"
).split()

# Things people and agents talk about: they make the mid-frequency content words.
TERMS = (
    "index query token server client request response config branch merge commit patch release "
    "package import export schema table column row database migration cache queue worker thread "
    "process signal socket stream buffer parser lexer grammar syntax compiler linker loader module "
    "plugin hook event handler listener callback promise future task job schedule timer timeout "
    "retry backoff limit budget quota lock mutex deadlock race leak crash panic trace stack frame "
    "heap pointer reference object class method field property getter setter constructor interface "
    "protocol adapter wrapper factory builder visitor iterator generator pipeline filter mapper "
    "reducer encoder decoder serializer validator formatter printer renderer layout widget button "
    "dialog menu panel cursor selection clipboard keyboard terminal shell prompt history session "
    "login password secret key certificate signature hash digest salt cipher permission role group "
    "policy audit log metric gauge counter histogram alert dashboard report chart graph node edge "
    "path tree leaf root parent child sibling ancestor depth height width margin border colour font "
    "theme icon image picture camera video audio sound speaker battery sensor robot garden kitchen "
    "bicycle train harbour mountain river weather holiday birthday family doctor appointment "
    "invoice payment refund account balance ledger currency discount customer order basket shipment "
    "warehouse supplier contract deadline meeting agenda minutes draft chapter paragraph sentence "
    "translation dictionary glossary library museum concert guitar violin recipe butter pepper "
    "banana lemon coffee bread cheese soup salad dinner breakfast market village city bridge tunnel "
    "tower castle island desert forest meadow planet comet rocket satellite telescope microscope "
    "experiment theory proof lemma theorem equation matrix vector tensor gradient kernel sample "
    "variance median percentile outlier baseline benchmark latency throughput bandwidth capacity "
    "cluster replica shard partition snapshot backup restore rollback deploy container image volume "
    "network router gateway proxy firewall domain certificate registry mirror artifact bundle "
    "manifest licence readme changelog tutorial example fixture mock stub assertion coverage lint "
    "warning notice hint suggestion proposal decision tradeoff assumption constraint requirement "
    "milestone roadmap backlog ticket incident outage recovery postmortem escalation handover"
).split()

# 40 syllables make 1,600 words of two, 64,000 of three and 2.56 million of four.
SYLLABLES = (
    "ka lo mi ner ta sor vel qui dra pen zu fi mon gra bel tis ro cha hex nul "
    "syn ar con ver pro des in al ment tion er ing ly ed able io ux db net api"
).split()

SIZE = 2_600_000
EXPONENT = 1.1
_TABLE = 1 << 16
_PAIRS = [first + second for second in SYLLABLES for first in SYLLABLES]


def invented(number: int) -> str:
    """Return made-up word *number* (from 0): of two syllables first, then of three, then four."""
    if number < 1_600:
        return _PAIRS[number]
    high, low = divmod(number - 1_600, 1_600)
    if high < 40:
        return _PAIRS[low] + SYLLABLES[high]
    return _PAIRS[low] + _PAIRS[high - 40]


class Vocabulary:
    """Words by rank, drawn by a power law.

    Attributes:
        known: the words of the first ranks, most frequent first.
    """

    def __init__(self, exponent: float = EXPONENT, size: int = SIZE) -> None:
        listed = list(dict.fromkeys([*COMMON, *TERMS]))
        self.known: Sequence[str] = [
            *listed,
            *(invented(number) for number in range(_TABLE - len(listed))),
        ]
        self._listed = len(listed)
        # Inverse of the continuous power law's distribution: rank = (1 - u * spread) ** power.
        self._spread = 1 - size ** (1 - exponent)
        self._power = 1 / (1 - exponent)

    def word(self, rank: int) -> str:
        """Return the word of *rank* (from 0)."""
        return self.known[rank] if rank < _TABLE else invented(rank - self._listed)

    def draw(self, rng: Random, count: int) -> list[str]:
        """Return *count* words drawn independently."""
        random, known, spread, power = rng.random, self.known, self._spread, self._power
        listed = self._listed
        ranks = [int((1 - random() * spread) ** power) - 1 for _ in range(count)]
        return [known[rank] if rank < _TABLE else invented(rank - listed) for rank in ranks]

    def share(self, rank: int) -> float:
        """Return the expected share of all running words that have *rank*."""
        exponent = -1 / self._power
        low, high = (rank + 1) ** -exponent, (rank + 2) ** -exponent
        return float((low - high) / self._spread)

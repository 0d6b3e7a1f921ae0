"""What a verb of the command line is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clawa_search.cli.flags import Flag, Split
    from clawa_search.recall import Recall

    Runner = Callable[[Recall, Split], int]

from clawa_search.cli.flags import looks_like_flag, unknown
from clawa_search.errors import InvalidInputError

PROGRAM = "clawa-search"
MANY = 1 << 30


class Verb:
    """One verb: its flags, its words, what it does and what it says of itself.

    Attributes:
        usage: its words, as help shows them.
        least, most: how many words it takes.
        choices: allowed values of its one word, or empty for any.
        examples: command lines that show it at work.
        run: does it and returns the exit code; its docstring is the help.
    """

    __slots__ = ("choices", "examples", "flags", "least", "most", "name", "run", "usage")

    def __init__(
        self,
        run: Runner,
        *flags: Flag,
        usage: str = "",
        least: int = 0,
        most: int = 0,
        choices: tuple[str, ...] = (),
        examples: tuple[str, ...] = (),
    ) -> None:
        self.name = getattr(run, "__name__", "").replace("_", "-")
        self.run = run
        self.flags = flags
        self.usage = usage
        self.least = least
        self.most = most
        self.choices = choices
        self.examples = examples

    @property
    def help(self) -> str:
        return self.run.__doc__ or ""

    def check(self, words: list[str]) -> None:
        """Compare *words* with what the verb takes.

        Raises:
            InvalidInputError: too few, too many, or not one of those allowed.
        """
        hint = f"`{PROGRAM} {self.name} --help`"
        if len(words) < self.least:
            raise InvalidInputError(f"{self.name}: {self.usage} is missing", hint=hint)
        if len(words) > self.most:
            extra = words[self.most]
            if looks_like_flag(extra):
                raise unknown(
                    self.name, extra, [name for flag in self.flags for name in flag.names]
                )
            raise InvalidInputError(f"{self.name}: one word too many: {extra!r}", hint=hint)
        for word in words if self.choices else ():
            if word not in self.choices:
                allowed = ", ".join(self.choices)
                raise InvalidInputError(f"{self.name}: not one of {allowed}: {word!r}", hint=hint)

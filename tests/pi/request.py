"""What tests ask a bridge of, without Pi."""

from typing import Any

from clawa_search.pi.catch_up import CatchUp

Reply = dict[str, Any]


class Resting(CatchUp):
    """Notes what it was asked to index and runs nothing."""

    def __init__(self) -> None:
        super().__init__(("false",))
        self.folders: list[str] = []

    def request(self, folder: str, index_dir: str) -> bool:
        self.folders.append(folder)
        return True


def call(cwd, tool: str, args: Reply, **where: object) -> Reply:
    return {"method": "call", "params": {"cwd": str(cwd), **where, "tool": tool, "args": args}}

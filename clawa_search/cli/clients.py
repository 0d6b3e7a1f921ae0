"""Register the MCP server with an agent, through the agent's own command line.

Each keeps its settings in files of its own making, so it alone should write them.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys

from clawa_search.errors import InvalidInputError
from clawa_search.mcp_server import NAME, check_package

CLIENTS = ("claude", "codex")
SCOPE = {"claude": ("--scope", "user"), "codex": ()}
"""All projects of the user; of Codex that is the only one."""
TIMEOUT_S = 60
ADVICE = {
    "claude": (),
    "codex": (
        f"below [mcp_servers.{NAME}] in Codex's config.toml, two more lines help:",
        "required = true, so that its first request knows the tools as well",
        'default_tools_approval_mode = "approve", without which `codex exec` may not remember',
    ),
}


def register(client: str, named: list[str]) -> str:
    """Register the server with *client*, anew if it was before; return what there is to say.

    Args:
        named: flags that name its places. Without, its home is that of the project it is started
            in.

    Raises:
        InvalidInputError: the client or the package `mcp` is missing, or the client refused.
    """
    # `-P`: it is started in the user's project, and a `json.py` there must not become ours.
    command = [sys.executable, "-P", "-m", "clawa_search", *named, "mcp"]
    add = [client, "mcp", "add", *SCOPE[client], NAME, "--", *command]
    program = _find(client, hint=f"once it is there: {shlex.join(add)}")
    check_package()
    done = _run([program, *add[1:]])
    if done.returncode and "already exist" in _said(done):  # an older one, which must go first
        _run([program, "mcp", "remove", *SCOPE[client], NAME])
        done = _run([program, *add[1:]])
    if done.returncode:
        raise InvalidInputError(
            f"{client}: {_said(done) or f'ended with {done.returncode}'}",
            hint=f"by hand: {shlex.join(add)}",
        )
    return f"{client}: {NAME} is registered: {shlex.join(command)}"


def unregister(client: str) -> str:
    """Take the server out of *client* again; return what there is to say.

    Raises:
        InvalidInputError: the client is missing, or it does not know the server.
    """
    program = _find(client)
    done = _run([program, "mcp", "remove", *SCOPE[client], NAME])
    if done.returncode:
        raise InvalidInputError(f"{client}: {_said(done) or f'ended with {done.returncode}'}")
    return f"{client}: {NAME} is no longer registered"


def _find(client: str, hint: str = "") -> str:
    program = shutil.which(client)
    if program is None:
        raise InvalidInputError(f"{client}: there is no such command on the PATH", hint=hint)
    return program


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603  # the agent's own command, as the user would type it
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise InvalidInputError(f"{command[0]}: did not answer within {TIMEOUT_S} s") from None
    except OSError as error:
        raise InvalidInputError(f"{command[0]}: cannot be run: {error.strerror}") from error


def _said(done: subprocess.CompletedProcess[str]) -> str:
    """Return what the client said of its failure, in one line."""
    return " ".join((done.stderr.strip() or done.stdout.strip()).split())

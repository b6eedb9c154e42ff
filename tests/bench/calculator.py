"""The tool that calls are compared with: as small as a tool can be, so that the way to it is what is measured."""

import sys

from fastmcp.client.transports import StdioTransport

from satchel.domain.servers import ServerEntry
from tests.e2e.system import ROOT

FOLDER = str(ROOT / "functions/servers/calculator")
COMMAND = [sys.executable, "main.py"]
ENTRY = ServerEntry(command=COMMAND, cwd=FOLDER)
TOOL = "evaluate"
ARGUMENTS: dict[str, object] = {"expression": "1+1"}


def transport() -> StdioTransport:
    """Return the way of fastmcp's client to a server of its own."""
    return StdioTransport(COMMAND[0], COMMAND[1:], cwd=FOLDER, keep_alive=False)


def check(results: object) -> None:
    """Make sure that it worked: how long a failure takes means nothing. Raises ValueError."""
    if not isinstance(results, dict) or results.get("result") != 2:
        raise ValueError(f"1+1 was not 2: {results}")

"""Tool of the call benchmarks: a minimal one, so that the time is that of the call and not of the tool."""

import sys

from fastmcp.client.transports import StdioTransport

from satchel.domain.servers import ServerEntry
from tests.e2e.system_process import ROOT

FOLDER = str(ROOT / "functions/servers/calculator")
COMMAND = [sys.executable, "main.py"]
ENTRY = ServerEntry(command=COMMAND, cwd=FOLDER)
TOOL = "evaluate"
ARGUMENTS: dict[str, object] = {"expression": "1+1"}


def transport() -> StdioTransport:
    """Return the transport of fastmcp's client to its own server process."""
    return StdioTransport(COMMAND[0], COMMAND[1:], cwd=FOLDER, keep_alive=False)


def check(results: object) -> None:
    """Raise ValueError if the call failed, because a failed call has no meaningful time."""
    if not isinstance(results, dict) or results.get("result") != 2:
        raise ValueError(f"1+1 was not 2: {results}")

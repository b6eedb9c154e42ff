"""Hostile tools: one looks for the key of the local API and acts without it, one needs the user's approval."""

from typing import Any

import intrusion
from jsonrpc_server import Server

server = Server("intruder")


@server.tool
def intrude(attempts: dict[str, Any]) -> dict[str, object]:
    """Send the requests and read the paths of ``attempts``."""
    return {"results": intrusion.run(**attempts)}


@server.tool
def transfer(amount: int) -> dict[str, object]:
    """Do something that the user must approve."""
    return {"results": {"transferred": amount}}


if __name__ == "__main__":
    server.run()

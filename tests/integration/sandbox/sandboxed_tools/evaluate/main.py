"""Server whose tool runs Python code, and that writes in its home directory at its start, as many servers do."""

import sys
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[4] / "mcp_servers"))

from jsonrpc_server import Server

(Path.home() / "started").write_text("x")
server = Server("evaluate")


@server.tool
def run(code: str) -> dict[str, Any]:
    """Run code, and return its variable `result`."""
    variables: dict[str, Any] = {}
    exec(code, variables)
    return {"results": variables["result"]}


if __name__ == "__main__":
    server.run()

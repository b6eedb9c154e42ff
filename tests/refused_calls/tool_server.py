"""An MCP server whose tool writes a file and runs another program."""

import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "mcp_servers"))
from jsonrpc_server import Server

server = Server("worker")


@server.tool
def work(username: str) -> dict[str, Any]:
    """Write a file with the output of another program."""
    path = Path("/tmp") / username / "result.txt"
    path.write_bytes(subprocess.run([sys.executable, "-c", "print(6 * 7)"], check=True, capture_output=True).stdout)
    return {"results": "done", "artifacts": [{"name": "result.txt", "path": str(path)}]}


server.run()

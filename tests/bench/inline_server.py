"""Server with one tool that returns a file inside its result.

It uses stdio. With the argument ``http`` it uses HTTP on a free port, which it prints.
"""

import os
import socket
import sys
from base64 import b64encode
from functools import cache
from typing import Any

import uvicorn
from fastmcp import Context, FastMCP

MB = 1_000_000

mcp = FastMCP("inline")


@cache
def _encoded(megabytes: int) -> str:
    """Return random bytes in Base64, cached so that the benchmark measures only their transfer."""
    return b64encode(os.urandom(megabytes * MB)).decode("ascii")


@mcp.tool
async def inline(megabytes: int, context: Context) -> dict[str, Any]:
    """Return a file of this size. Reports progress first, so that over HTTP the result is an event of a stream."""
    await context.report_progress(1)
    return {"results": "done", "artifacts": [{"name": "random.bin", "b64": _encoded(megabytes)}]}


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            sys.stdout.write(f"{listener.getsockname()[1]}\n")
            sys.stdout.flush()
            app = mcp.http_app(path="/mcp")
            uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none")).run(sockets=[listener])
    else:
        mcp.run(show_banner=False, log_level="ERROR")

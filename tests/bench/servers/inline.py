"""A server whose one tool returns a file inside its answer; with ``http`` as its argument on a port that it tells."""

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
    """Made once, so that what is measured is the way of the answer."""
    return b64encode(os.urandom(megabytes * MB)).decode("ascii")


@mcp.tool
async def inline(megabytes: int, context: Context) -> dict[str, Any]:
    """Return a file of this size; progress comes first, so that over HTTP the answer is an event of a stream."""
    await context.report_progress(1)
    return {"results": "made", "artifacts": [{"name": "made.bin", "b64": _encoded(megabytes)}]}


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            sys.stdout.write(f"{listening.getsockname()[1]}\n")
            sys.stdout.flush()
            app = mcp.http_app(path="/mcp")
            uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none")).run(sockets=[listening])
    else:
        mcp.run(show_banner=False, log_level="ERROR")

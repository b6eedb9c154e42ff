"""Tools that misbehave, each in its own way."""

import asyncio
import os
import signal
import time
from pathlib import Path

from fastmcp import Context, FastMCP

mcp = FastMCP("trial")


@mcp.tool
def wait(seconds: float) -> dict[str, object]:
    """Wait without a word."""
    time.sleep(seconds)
    return {"results": {"waited": seconds, "pid": os.getpid()}}


@mcp.tool
def haunt(seconds: float, username: str) -> dict[str, object]:
    """Leave a daemon behind that ignores SIGTERM, and then wait without a word."""
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            Path(f"/tmp/{username}/daemon.pid").write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)
    os.waitpid(first, 0)
    time.sleep(seconds)
    return {"results": "survived"}


@mcp.tool
def write(name: str, text: str, username: str) -> dict[str, object]:
    """Write a file and return it."""
    path = Path(f"/tmp/{username}/{name}")
    path.write_text(text, encoding="utf-8")
    return {"results": username, "artifacts": [{"name": name, "path": str(path), "mime": "text/plain"}]}


@mcp.tool
def read(filename: str) -> dict[str, object]:
    """Say what a file holds, or what is wrong with the name."""
    path = Path(filename)
    if not path.exists():
        return {"results": {"missing": filename}}
    return {"results": {"text": path.read_text(encoding="utf-8")}}


@mcp.tool
async def chatter(lines: int, seconds: float, ctx: Context) -> dict[str, object]:
    """Say so many things in so much time."""
    for number in range(lines):
        await ctx.info(f"line {number}")
        await asyncio.sleep(seconds / lines)
    return {"results": lines}


if __name__ == "__main__":
    mcp.run(show_banner=False)

"""Tools that misbehave, each in its own way."""

import os
import time
from pathlib import Path

from fastmcp import FastMCP

mcp = FastMCP("trial")


@mcp.tool
def wait(seconds: float) -> dict[str, object]:
    """Wait without a word."""
    time.sleep(seconds)
    return {"results": {"waited": seconds, "pid": os.getpid()}}


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


if __name__ == "__main__":
    mcp.run(show_banner=False)

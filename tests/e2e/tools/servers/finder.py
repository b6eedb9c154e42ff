"""Reads the files that it is given, wherever they are: over stdio, or over HTTP with ``http`` as its argument."""

import base64
import socket
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAR = len(sys.argv) > 1
PLAIN = Path(__file__).resolve().parents[3] / "servers"

if FAR:
    import uvicorn
    from fastmcp import FastMCP
    from fastmcp.server.dependencies import get_http_headers

    server: Any = FastMCP("finder")
else:
    sys.path.append(str(PLAIN))

    from plain import Server

    server = Server("finder")

tool: Callable[[Callable[..., Any]], Callable[..., Any]] = server.tool


@tool
def look(filename: str, original_filename: str = "") -> dict[str, Any]:
    """Read one file."""
    return answer([filename], [original_filename])


@tool
def look_many(filenames: list[str], original_filenames: list[str]) -> dict[str, Any]:
    """Read several files. That it has to be told their names is no reason to refuse a call."""
    return answer(filenames, original_filenames)


@tool
def look_listed(file_names: list[str], original_filenames: list[str] | None = None) -> dict[str, Any]:
    """Read several files, named in the other way."""
    return answer(file_names, original_filenames or [])


@tool
def elsewhere(filename: str) -> dict[str, Any]:
    """Read one file whose place is another than that of the other tools'."""
    return answer([filename], [])


@tool
def who(username: str, text: str = "") -> dict[str, Any]:
    """Say for whom it runs."""
    return {"results": {"username": username, "text": text}}


@tool
def token() -> dict[str, Any]:
    """Say whether the caller brought the token that the entry has."""
    return {"results": get_http_headers(include_all=True).get("authorization") == "Bearer t0ken"}


def answer(places: list[str], names: list[str]) -> dict[str, Any]:
    """What was given goes into a file: results are searched for links, and those are taken out."""
    given = base64.b64encode("\n".join(places).encode()).decode()
    return {
        "results": {"names": names, "texts": [read(place) for place in places]},
        "artifacts": [{"name": "given.txt", "b64": given, "mime": "text/plain"}],
    }


def read(place: str) -> str:
    if not place.startswith("http"):
        return Path(place).read_text(encoding="utf-8")
    with urllib.request.urlopen(place) as response:  # noqa: S310  (the scheme was looked at)
        text: str = response.read().decode()
        return text


def serve() -> None:
    app = server.http_app(path="/mcp")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)  # noqa: T201  (the test reads it)
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws="none")
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    serve() if FAR else server.run()

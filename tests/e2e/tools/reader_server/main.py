"""Server that reads files by path or by URL. It uses stdio, or HTTP if its argument is ``http``."""

import base64
import socket
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

IS_REMOTE = len(sys.argv) > 1
MCP_SERVERS = Path(__file__).resolve().parents[3] / "mcp_servers"

if IS_REMOTE:
    import uvicorn
    from fastmcp import FastMCP
    from fastmcp.server.dependencies import get_http_headers

    server: Any = FastMCP("reader")
else:
    sys.path.append(str(MCP_SERVERS))

    from jsonrpc_server import Server

    server = Server("reader")

tool: Callable[[Callable[..., Any]], Callable[..., Any]] = server.tool


@tool
def look(filename: str, original_filename: str = "") -> dict[str, Any]:
    """Read one file."""
    return answer([filename], [original_filename])


@tool
def look_many(filenames: list[str], original_filenames: list[str]) -> dict[str, Any]:
    """Read several files. The required names are filled in, so that calls without them are valid."""
    return answer(filenames, original_filenames)


@tool
def look_listed(file_names: list[str], original_filenames: list[str] | None = None) -> dict[str, Any]:
    """Read several files, with the other spelling of the argument."""
    return answer(file_names, original_filenames or [])


@tool
def look_by_url(filename: str) -> dict[str, Any]:
    """Read one file. The entry can give this tool URLs while the other tools get paths."""
    return answer([filename], [])


@tool
def who(username: str, text: str = "") -> dict[str, Any]:
    """Return the user name that the server got."""
    return {"results": {"username": username, "text": text}}


@tool
def leak(filename: str, username: str = "") -> dict[str, Any]:
    """Return the location of a file in all places of the result, and name files after the last part of the location."""
    last_part = filename.rsplit("/", 1)[-1]
    artifacts: list[dict[str, Any]] = [
        {"name": last_part, "mime": "text/plain", "content": f"Source: {filename}"},
        {"name": filename.split("/")[-2], "mime": "text/csv", "b64": "QQ=="},
        {"type": "text/markdown", "title": filename, "content": filename, "metadata": {"source": filename}},
    ]
    token = filename.partition("token=")[2].partition("&")[0]
    if username and not IS_REMOTE:
        Path(f"/tmp/{username}/by_{token[:180]}.txt").write_text("undeclared", encoding="utf-8")
    return {
        "results": {"url": filename, "header": f"Bearer {token}", "token": token, "rows": ["x" * 100] * 400},
        "meta_data": {"source": filename, token: 1},
        "artifacts": artifacts,
        "display": {"notification": f"Read {filename}"},
    }


@tool
def token() -> dict[str, Any]:
    """Return True if the request has the token of the entry."""
    return {"results": get_http_headers(include_all=True).get("authorization") == "Bearer t0ken"}


def answer(locations: list[str], names: list[str]) -> dict[str, Any]:
    """Return the texts, and the locations in a file, because links are removed from results."""
    encoded = base64.b64encode("\n".join(locations).encode()).decode()
    return {
        "results": {"names": names, "texts": [read(location) for location in locations]},
        "artifacts": [{"name": "locations.txt", "b64": encoded, "mime": "text/plain"}],
    }


def read(location: str) -> str:
    if not location.startswith("http"):
        return Path(location).read_text(encoding="utf-8")
    with urllib.request.urlopen(location) as response:  # noqa: S310  (the scheme is http)
        text: str = response.read().decode()
        return text


def serve() -> None:
    app = server.http_app(path="/mcp")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(listener.getsockname()[1], flush=True)  # noqa: T201  (the test reads the port)
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws="none")
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    serve() if IS_REMOTE else server.run()

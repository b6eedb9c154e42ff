"""The examples of specification 2, MCP v2 Tool Contract. The tools return what it prints, or what it describes."""

import base64
import urllib.request
from pathlib import Path
from typing import Any

from jsonrpc_server import Server

Json = dict[str, Any]

HTML = b"<html><body><h1>Report</h1><script>alert(1)</script></body></html>"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
TYPES = {
    "photo.png": "image/png",
    "photo.jpg": "image/jpeg",
    "photo.gif": "image/gif",
    "photo.webp": "image/webp",
    "drawing.svg": "image/svg+xml",
    "paper.pdf": "application/pdf",
    "page.html": "text/html",
    "notes.txt": "text/plain",
    "notes.md": "text/markdown",
    "script.py": "text/x-python",
    "data.json": "application/json",
    "by_extension.pdf": "application/octet-stream",
    "archive.zip": "application/zip",
}

server = Server("spec2")


def encode(content: bytes) -> str:
    """Return base64."""
    return base64.b64encode(content).decode()


def artifact(name: str, mime: str, content: bytes = b"text", **fields: object) -> Json:
    """Return an artifact with its content."""
    return {"name": name, "b64": encode(content), "mime": mime, **fields}


@server.tool
def report() -> Json:
    """§6 example 2: artifacts with display hints."""
    return {
        "results": {"summary": "Report generated"},
        "meta_data": {"rows": 42, "elapsed_ms": 120},
        "artifacts": [
            artifact("report.html", "text/html", HTML, size=12345),
            artifact("chart.png", "image/png", PNG, size=34567),
        ],
        "display": {"open_canvas": True, "primary_file": "report.html", "mode": "replace", "viewer_hint": "html"},
    }


@server.tool
def embed() -> Json:
    """§6 example 3: the arrays of specification 1."""
    return {
        "results": "Generated embeddings (see files)",
        "returned_file_names": ["vec1.json", "vec2.json"],
        "returned_file_contents": [encode(b"[0.1]"), encode(b"[0.2]")],
        "meta_data": {"dimension": 1536, "chunks": 2},
    }


@server.tool
def monitor() -> Json:
    """§6 example 4: a dashboard."""
    return {
        "results": {"status": "opened"},
        "canvas": {
            "open": True,
            "id": "monitor-42",
            "persistence": "session",
            "type": "iframe",
            "url": "https://mcp.example.com/dash?session=abc",
            "token": "tool-made-capability",
            "title": "Live Monitor",
        },
    }


@server.tool
def open_dashboard(canvas: dict[str, Any]) -> Json:
    """§3: a dashboard with these fields."""
    return {"results": {"status": "opened"}, "canvas": canvas}


@server.tool
def open_metrics() -> Json:
    """§3: the envelope as printed, with another id than the example of §6."""
    return {
        "results": None,
        "canvas": {
            "open": True,
            "id": "my-dashboard-123",
            "persistence": "pinned",
            "type": "iframe",
            "url": "https://tool-host/view",
            "title": "My Metrics",
            "mode": "split",
        },
    }


@server.tool
def give(kind: str) -> Json:
    """§1: `results` of each JSON type."""
    values: Json = {"object": {"a": [1]}, "list": [1, "two", None], "text": "three", "number": 4.5, "boolean": True}
    return {"results": values[kind]}


@server.tool
def describe_file() -> Json:
    """§1: an artifact with every field."""
    fields = {"size": 4, "description": "Raw numbers", "viewer": "code"}
    return {"results": 1, "artifacts": [artifact("numbers.csv", "text/csv", b"1,2\n", **fields)]}


@server.tool
def give_invalid_base64() -> Json:
    """§1: an artifact whose `b64` is no base64, and a valid one."""
    invalid = {"name": "broken.txt", "b64": "no base64!", "mime": "text/plain"}
    return {"results": 1, "artifacts": [invalid, artifact("valid.txt", "text/plain")]}


@server.tool
def give_both_forms() -> Json:
    """§1 notes: `artifacts` and the arrays of specification 1."""
    arrays = {"returned_file_names": ["old.txt"], "returned_file_contents": [encode(b"old")]}
    return {"results": 1, "artifacts": [artifact("new.txt", "text/plain", b"new")], **arrays}


@server.tool
def give_large_meta_data() -> Json:
    """§1: `meta_data` of over 4 KB."""
    return {"results": 1, "meta_data": {"rows": 42, "trace": "step; " * 2000, "source": "inventory_db"}}


@server.tool
def every_type() -> Json:
    """§2: a file of each type of the showable defaults, one that only its extension identifies, and an archive."""
    return {"results": 1, "artifacts": [artifact(name, mime, PNG) for name, mime in TYPES.items()]}


@server.tool
def show(display: dict[str, Any]) -> Json:
    """§2: an archive, a picture and a page, with these display hints, or without any if there are none."""
    artifacts = [
        artifact("data.zip", "application/zip"),
        artifact("plot.png", "image/png", PNG),
        artifact("page.html", "text/html", HTML),
    ]
    return {"results": 1, "artifacts": artifacts, **({"display": display} if display else {})}


@server.tool
def archive() -> Json:
    """§7: a file that cannot be shown, without display hints."""
    return {"results": 1, "artifacts": [artifact("data.zip", "application/zip")]}


@server.tool
def read(filename: str) -> Json:
    """§4: read one file, by path or by URL."""
    return {"results": {"text": _read(filename)}}


@server.tool
def read_all(file_names: list[str]) -> Json:
    """§4: read several files, by path or by URL."""
    return {"results": {"texts": [_read(name) for name in file_names]}}


@server.tool
def locate(filename: str) -> Json:
    """§4: return where the file is, as a file, because links never reach the user or the model."""
    return {"results": 1, "artifacts": [artifact("location.txt", "text/plain", filename.encode())]}


@server.tool
def pass_through(filename: str) -> Json:
    """§4: return the argument."""
    return {"results": {"filename": filename}}


@server.tool
def who(username: str) -> Json:
    """§4: return the injected user name."""
    return {"results": {"username": username}}


@server.tool
def greet(greeting: str) -> Json:
    """§4: return the greeting. The tool declares no `username`, so that it fails if it receives one."""
    return {"results": {"greeting": greeting}}


def _read(location: str) -> str:
    if not location.startswith("http"):
        return Path(location).read_text(encoding="utf-8")
    with urllib.request.urlopen(location) as response:  # noqa: S310  (the scheme is http)
        text: str = response.read().decode()
        return text


if __name__ == "__main__":
    server.run()

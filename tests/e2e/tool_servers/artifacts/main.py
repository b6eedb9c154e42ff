"""Tools that return files in all valid forms and in several invalid ones."""

import json
import struct
import zlib
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from fastmcp.utilities.types import Audio, File, Image
from mcp_types import ResourceLink, TextContent

Json = dict[str, Any]

MAX_LENGTH_NAME = "n" * 251 + ".txt"
PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
PDF_BASE64 = b64encode(b"%PDF-1.4\n%%EOF\n").decode()

mcp = FastMCP("artifacts")


@mcp.tool
def contract_as_text() -> str:
    """Return the contract's object as JSON text, as a tool without structured output does."""
    output = {
        "results": {"files": 1},
        "meta_data": {"rows": 3},
        "artifacts": [{**inline("table.csv", b"a,b\n1,2\n"), "mime": "text/csv", "description": "A table"}],
        "display": {"open_canvas": True, "primary_file": "table.csv"},
    }
    return json.dumps(output)


@mcp.tool
def nine_valid_and_three_invalid(username: str) -> Json:
    """Return nine valid and three invalid artifacts."""
    home = Path(f"/tmp/{username}")
    good = [inline(f"good{number}.txt", f"{number}".encode()) for number in range(8)]
    bad = [
        {"name": "garbled.txt", "mime": "text/plain", "b64": "not base64!"},
        {"name": "passwd.txt", "mime": "text/plain", "path": "/etc/passwd"},
        {"name": "empty.txt", "mime": "text/plain"},
    ]
    return {
        "results": {"artifacts": 12},
        "artifacts": [good[0], bad[0], *good[1:5], bad[1], bad[2], *good[5:], by_path(home)],
    }


@mcp.tool
def colliding_names(filename: str) -> Json:
    """Return files whose names, made safe if necessary, are equal to each other or to the name of the input."""
    name = Path(filename).name
    files = [
        ("same.txt", b"first"),
        ("same.txt", b"second"),
        (name, b"output"),
        ("a?.txt", b"question mark"),
        ("a*.txt", b"asterisk"),
    ]
    files += [
        (MAX_LENGTH_NAME, b"long"),
        (MAX_LENGTH_NAME, b"long again"),
        ("n" * 300 + ".txt", b"too long"),
        ("empty.txt", b""),
    ]
    return {"results": Path(filename).read_text(), "artifacts": [inline(name, body) for name, body in files]}


@mcp.tool
def empty_file(username: str) -> Json:
    """Return an empty file by its path."""
    path = Path(f"/tmp/{username}/nothing.txt")
    path.write_bytes(b"")
    return {"results": 1, "artifacts": [{"name": path.name, "mime": "text/plain", "path": str(path)}]}


@mcp.tool
def deferred_file(username: str) -> Json:
    """Return a deferred artifact, which waits for an edit by the user, by its path."""
    path = Path(f"/tmp/{username}/draft.csv")
    path.write_text("a,b\n1,2\n")
    deferral = {
        "reason": "needs_editing",
        "description": "Draft of the totals",
        "next_actions": ["Edit it"],
        "expires_hours": 5,
    }
    return {
        "results": 1,
        "deferred_artifacts": [{"name": path.name, "mime": "text/csv", "path": str(path), **deferral}],
    }


@mcp.tool
def refused_parts(filename: str) -> Json:
    """Return a broken artifact, a dashboard of a site that is not allowed, and facts that contain a secret."""
    return {
        "results": filename,
        "meta_data": {"rows": 12, "api_key": "sk-live-51H", "note": "token=abcdef0123456789"},
        "artifacts": [{"name": "garbled.png", "mime": "image/png", "b64": "not base64!"}],
        "canvas": {"id": "board", "url": "https://elsewhere.example/board", "title": "Board"},
    }


@mcp.tool
def temporary_file() -> Json:
    """Return a file that is deleted when its session ends."""
    return {
        "artifacts": [inline("scratch.txt", b"gone soon")],
        "results": 1,
        "display": {"storage_action": "temporary"},
    }


@mcp.tool
def long_text(characters: int) -> Json:
    """Return a typed artifact whose text has this many characters."""
    text = {"type": "text/markdown", "id": "long-1", "title": "Long", "content": "x" * characters}
    return {"results": characters, "artifacts": [text]}


@mcp.tool
def long_results(lines: int) -> Json:
    """Return results of this many lines."""
    return {"results": "".join(f"measured value {number}\n" for number in range(1, lines + 1))}


@mcp.tool
def content_blocks(username: str) -> ToolResult:
    """Return content blocks of the library's types, and a link to a file in the user's directory."""
    path = Path(f"/tmp/{username}/linked.csv")
    path.write_text("a,b\n")
    link = ResourceLink(name="linked.csv", uri=f"file://{path}", mimeType="text/csv", title="Linked")
    return ToolResult(
        content=[
            TextContent(text="See the files."),
            Image(data=b"\x89PNG\r\n\x1a\n", format="png").to_image_content(),
            Audio(data=b"RIFF", format="wav").to_audio_content(),
            File(data=b"# Plan", format="plain", name="plan.md").to_resource_content(),
            link,
        ]
    )


@mcp.tool
def empty_answer() -> Json:
    """Return an empty object."""
    return {}


@mcp.tool
def failing() -> Json:
    """Fail without saying whether another try may succeed."""
    raise ToolError("The weather is bad.")


@mcp.tool
def answer_with_extra_keys(size: int) -> Json:
    """Return keys that the contract does not define beside the results."""
    return {"results": {"rows": 2}, "data": {"mean": 4.5}, "log": "x" * size, "meta_data": {"elapsed_ms": 3}}


@mcp.tool
def binary_content() -> Json:
    """Return typed artifacts whose content is base64, text, or neither of what its type requires."""
    png = b64encode(PNG).decode()
    return {
        "results": "Drawn.",
        "artifacts": [
            {"type": "image/png", "id": "plot", "title": "Plot", "content": png},
            {"type": "application/pdf", "title": "Paper", "content": f"data:application/pdf;base64,{PDF_BASE64}"},
            {"type": "text/markdown", "title": "Notes", "content": png},
            {"type": "image/svg+xml", "title": "Sketch", "content": "<svg/>"},
            {"type": "image/png", "title": "Sentence", "content": "A red circle."},
            {"type": "image/png", "title": "Word", "content": "plot"},
        ],
    }


@mcp.tool
def large_chart(username: str, width: int, height: int) -> Json:
    """Return a white picture of this size in pixels."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff" * width) * height, 1)
    path = Path(f"/tmp/{username}/large_chart.png")
    chunks = ((b"IHDR", header), (b"IDAT", rows), (b"IEND", b""))
    path.write_bytes(PNG[:8] + b"".join(_png_chunk(*chunk) for chunk in chunks))
    return {
        "results": "Drawn.",
        "artifacts": [{"name": path.name, "mime": "image/png", "path": str(path)}],
    }


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@mcp.tool
def files_without_mime(username: str) -> Json:
    """Return files by path and as base64 without a MIME type."""
    home = Path(f"/tmp/{username}")
    (home / "table.csv").write_text("a,b\n1,2\n")
    (home / "chart").write_bytes(PNG)
    by_path = [{"name": name, "path": str(home / name)} for name in ("table.csv", "chart")]
    return {"results": 3, "artifacts": [*by_path, {"name": "page.html", "b64": b64encode(b"<p>Hi</p>").decode()}]}


@mcp.tool
def viewer_hints(hint: str = "auto") -> Json:
    """Return files with viewers of their own, and a hint for the primary file."""
    return {
        "results": 4,
        "artifacts": [
            inline("primary.txt", b"<p>Hi</p>"),
            inline("page.txt", b"<p>Hi</p>") | {"viewer": "html"},
            inline("source.html", b"<p>Hi</p>") | {"mime": "text/html", "viewer": "code"},
            inline("notes.txt", b"Hi") | {"viewer": "pdf"},
        ],
        "display": {"open_canvas": True, "primary_file": "primary.txt", "viewer_hint": hint},
    }


@mcp.tool
def dashboard_in_display(url: str) -> Json:
    """Open a dashboard in the form of older tools."""
    display = {"open_canvas": True, "type": "iframe", "url": url, "title": "Monitor", "mode": "split"}
    return {"results": {"opened": True}, "display": display}


def inline(name: str, body: bytes) -> Json:
    return {"name": name, "mime": "text/plain", "b64": b64encode(body).decode()}


def by_path(home: Path) -> Json:
    path = home / "good8.txt"
    path.write_text("8")
    return {"name": path.name, "mime": "text/plain", "path": str(path)}


if __name__ == "__main__":
    mcp.run(show_banner=False)

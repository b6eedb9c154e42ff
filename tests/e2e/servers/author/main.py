"""Tools that return files in every way that an author may think of, the wrong ones among them."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from fastmcp.tools import ToolResult
from fastmcp.utilities.types import Audio, File, Image
from mcp_types import ResourceLink, TextContent

Json = dict[str, Any]

LONGEST = "n" * 251 + ".txt"

mcp = FastMCP("author")


@mcp.tool
def as_text() -> str:
    """Return the contract's object as text, as a tool without structured output does."""
    output = {
        "results": {"made": 1},
        "meta_data": {"rows": 3},
        "artifacts": [{**inline("table.csv", b"a,b\n1,2\n"), "mime": "text/csv", "description": "A table"}],
        "display": {"open_canvas": True, "primary_file": "table.csv"},
    }
    return json.dumps(output)


@mcp.tool
def twelve(username: str) -> Json:
    """Return nine files, and three things that are none."""
    home = Path(f"/tmp/{username}")
    good = [inline(f"good{number}.txt", f"{number}".encode()) for number in range(8)]
    bad = [
        {"name": "garbled.txt", "mime": "text/plain", "b64": "not base64!"},
        {"name": "passwd.txt", "mime": "text/plain", "path": "/etc/passwd"},
        {"name": "untyped.txt", "b64": "QQ=="},
    ]
    return {
        "results": {"made": 12},
        "artifacts": [good[0], bad[0], *good[1:5], bad[1], bad[2], *good[5:], on_disk(home)],
    }


@mcp.tool
def twins(filename: str) -> Json:
    """Return files whose names meet: each other's, the input's, or none before they are made safe."""
    name = Path(filename).name
    named = [
        ("same.txt", b"first"),
        ("same.txt", b"second"),
        (name, b"made"),
        ("a?.txt", b"asked"),
        ("a*.txt", b"starred"),
    ]
    named += [(LONGEST, b"long"), (LONGEST, b"long again"), ("n" * 300 + ".txt", b"too long"), ("empty.txt", b"")]
    return {"results": Path(filename).read_text(), "artifacts": [inline(*one) for one in named]}


@mcp.tool
def empty(username: str) -> Json:
    """Write an empty file, and return it by its path."""
    path = Path(f"/tmp/{username}/nothing.txt")
    path.write_bytes(b"")
    return {"results": 1, "artifacts": [{"name": path.name, "mime": "text/plain", "path": str(path)}]}


@mcp.tool
def draft(username: str) -> Json:
    """Leave a draft that waits for somebody, by its path."""
    path = Path(f"/tmp/{username}/draft.csv")
    path.write_text("a,b\n1,2\n")
    waits = {"reason": "needs_editing", "next_actions": ["Edit it"], "expires_hours": 5}
    return {"results": 1, "deferred_artifacts": [{"name": path.name, "mime": "text/csv", "path": str(path), **waits}]}


@mcp.tool
def scratch() -> Json:
    """Return a file that goes with the session."""
    return {
        "artifacts": [inline("scratch.txt", b"gone soon")],
        "results": 1,
        "display": {"storage_action": "temporary"},
    }


@mcp.tool
def long_text(characters: int) -> Json:
    """Return a typed artifact of that length."""
    text = {"type": "text/markdown", "id": "long-1", "title": "Long", "content": "x" * characters}
    return {"results": characters, "artifacts": [text]}


@mcp.tool
def blocks(username: str) -> ToolResult:
    """Return content blocks as the library makes them, and a link to a file that lies on the disk."""
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


def inline(name: str, body: bytes) -> Json:
    return {"name": name, "mime": "text/plain", "b64": b64encode(body).decode()}


def on_disk(home: Path) -> Json:
    path = home / "good8.txt"
    path.write_text("8")
    return {"name": path.name, "mime": "text/plain", "path": str(path)}


if __name__ == "__main__":
    mcp.run(show_banner=False)

"""MCP server in plain JSON-RPC, without dependencies, for the tests of a deployment (tests/live)."""

import json
import struct
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_TEXT = {"type": "string"}


def report(filename: str, username: str) -> Json:
    """Return an HTML page and a picture about a text file."""
    lines = Path(filename).read_text(encoding="utf-8").splitlines()
    home = Path(f"/tmp/{username}")
    (home / "report.html").write_text(f"<!doctype html><title>Report</title><p>{len(lines)} lines</p>")
    (home / "chart.png").write_bytes(_pixel_png())
    files = [("report.html", "text/html"), ("chart.png", "image/png")]
    return {
        "results": {"lines": len(lines)},
        "artifacts": [{"name": name, "path": name, "mime": mime} for name, mime in files],
        "display": {"open_canvas": True, "primary_file": "report.html"},
    }


def wait(seconds: float) -> Json:
    """Sleep without any progress."""
    time.sleep(seconds)
    return {"results": "waited"}


_TOOLS: dict[str, tuple[Callable[..., Json], Json]] = {
    "report": (report, {"filename": _TEXT, "username": _TEXT}),
    "wait": (wait, {"seconds": {"type": "number"}}),
}


def _pixel_png() -> bytes:
    """Return a PNG of one grey pixel."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\x00\x80")),
        (b"IEND", b""),
    ]
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def answer(method: str, params: Json) -> Json:
    match method:
        case "initialize":
            about = {"name": "live", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            tools = [
                {
                    "name": name,
                    "description": tool.__doc__,
                    "inputSchema": {
                        "type": "object",
                        "properties": properties,
                        "required": [key for key in properties if key != "username"],
                    },
                }
                for name, (tool, properties) in _TOOLS.items()
            ]
            return {"tools": tools}
        case "tools/call":
            tool, _ = _TOOLS[params["name"]]
            return {"content": [], "structuredContent": tool(**params.get("arguments", {}))}
        case _:
            return {}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and "method" in request:
            result = answer(request["method"], request.get("params", {}))
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

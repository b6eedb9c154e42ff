"""A server in nothing but JSON-RPC, which starts at once: its tools make, read and wait as the story of a run needs."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_TEXT = {"type": "string"}
_LARGE = 9 << 20  # bytes; above 8 MiB a file is stored in parts


def make(username: str) -> Json:
    """Make a file, one too large for one part, and one that waits for somebody."""
    home = Path(f"/tmp/{username}")
    (home / "small.txt").write_text("small")
    (home / "large.bin").write_bytes(bytes(_LARGE))
    (home / "later.txt").write_text("later")
    made = [("small.txt", "text/plain"), ("large.bin", "application/octet-stream")]
    later = {"name": "later.txt", "path": "later.txt", "mime": "text/plain", "reason": "to be looked at"}
    return {
        "results": "made",
        "artifacts": [{"name": name, "path": name, "mime": mime} for name, mime in made],
        "deferred_artifacts": [later],
    }


def pass_by(username: str) -> Json:
    """Make a file that goes with the session."""
    (Path(f"/tmp/{username}") / "passing.txt").write_text("passing")
    artifact = {"name": "passing.txt", "path": "passing.txt", "mime": "text/plain"}
    return {"results": "made", "artifacts": [artifact], "display": {"storage_action": "temporary"}}


def read(filenames: list[str]) -> Json:
    """Say how large the files are."""
    return {"results": [Path(name).stat().st_size for name in filenames]}


def take(filename: str) -> Json:
    """Say what was given for a file."""
    return {"results": filename.partition("?")[0]}


def ask(reason: str) -> Json:
    """Do nothing; the owner is asked before."""
    del reason
    return {"results": "asked"}


_TOOLS: dict[str, tuple[Callable[..., Json], Json]] = {
    "make": (make, {"username": _TEXT}),
    "pass_by": (pass_by, {"username": _TEXT}),
    "read": (read, {"filenames": {"type": "array", "items": _TEXT}}),
    "take": (take, {"filename": _TEXT}),
    "ask": (ask, {"reason": _TEXT}),
}


def answer(method: str, params: Json) -> Json:
    match method:
        case "initialize":
            about = {"name": "story", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            schemas = {name: {"type": "object", "properties": wanted} for name, (_, wanted) in _TOOLS.items()}
            return {"tools": [{"name": name, "inputSchema": schema} for name, schema in schemas.items()]}
        case "tools/call":
            tool, _ = _TOOLS[params["name"]]
            return {"content": [], "structuredContent": tool(**params.get("arguments", {}))}
        case _:
            return {}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and "method" in request:
            said = {
                "jsonrpc": "2.0",
                "id": request["id"],
                "result": answer(request["method"], request.get("params", {})),
            }
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

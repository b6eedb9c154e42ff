"""A minimal MCP server (JSON-RPC over stdio) that starts at once. Its tools do what the scenario needs."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]

_TEXT = {"type": "string"}
_LARGE = 9 << 20  # bytes; files over 8 MiB are uploaded in parts


def make(username: str) -> Json:
    """Create a small file, one that needs several parts, and a deferred one."""
    home = Path(f"/tmp/{username}")
    (home / "small.txt").write_text("small")
    (home / "large.bin").write_bytes(bytes(_LARGE))
    (home / "later.txt").write_text("later")
    files = [("small.txt", "text/plain"), ("large.bin", "application/octet-stream")]
    later = {"name": "later.txt", "path": "later.txt", "mime": "text/plain", "reason": "needs review"}
    return {
        "results": "created",
        "artifacts": [{"name": name, "path": name, "mime": mime} for name, mime in files],
        "deferred_artifacts": [later],
    }


def make_temporary(username: str) -> Json:
    """Create a temporary file, which is deleted with its session."""
    (Path(f"/tmp/{username}") / "temporary.txt").write_text("temporary")
    artifact = {"name": "temporary.txt", "path": "temporary.txt", "mime": "text/plain"}
    return {"results": "created", "artifacts": [artifact], "display": {"storage_action": "temporary"}}


def read(filenames: list[str]) -> Json:
    """Return the sizes of the files."""
    return {"results": [Path(name).stat().st_size for name in filenames]}


def take(filename: str) -> Json:
    """Return the value of ``filename`` without a query string."""
    return {"results": filename.partition("?")[0]}


def ask(reason: str) -> Json:
    """Do nothing. The tool needs the owner's approval."""
    del reason
    return {"results": "approved"}


_TOOLS: dict[str, tuple[Callable[..., Json], Json]] = {
    "make": (make, {"username": _TEXT}),
    "make_temporary": (make_temporary, {"username": _TEXT}),
    "read": (read, {"filenames": {"type": "array", "items": _TEXT}}),
    "take": (take, {"filename": _TEXT}),
    "ask": (ask, {"reason": _TEXT}),
}


def answer(method: str, params: Json) -> Json:
    match method:
        case "initialize":
            about = {"name": "scenario", "version": "1"}
            capabilities: Json = {"tools": {}, "prompts": {}}
            return {"protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": about}
        case "tools/list":
            schemas = {name: {"type": "object", "properties": properties} for name, (_, properties) in _TOOLS.items()}
            return {"tools": [{"name": name, "inputSchema": schema} for name, schema in schemas.items()]}
        case "tools/call":
            tool, _ = _TOOLS[params["name"]]
            return {"content": [], "structuredContent": tool(**params.get("arguments", {}))}
        case "prompts/list":
            return {"prompts": [{"name": "greet", "arguments": [{"name": "name", "required": True}]}]}
        case "prompts/get":
            content = {"type": "text", "text": f"Greet {params['arguments']['name']}."}
            return {"messages": [{"role": "user", "content": content}]}
        case _:
            return {}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request and "method" in request:
            response = {
                "jsonrpc": "2.0",
                "id": request["id"],
                "result": answer(request["method"], request.get("params", {})),
            }
            sys.stdout.write(json.dumps(response) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

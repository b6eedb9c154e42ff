"""MCP server with valid and invalid tools. It uses plain JSON-RPC, so it starts in 30 ms."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Arguments = dict[str, Any]


def send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def structured(value: Arguments) -> Arguments:
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}


def writes(arguments: Arguments) -> Arguments:
    """Write a file into the user's directory."""
    path = Path("/tmp") / arguments["username"] / "a.txt"
    path.write_text("a")
    return structured({"results": arguments, "artifacts": [{"name": "a.txt", "mime": "text/plain", "path": str(path)}]})


def forgets(arguments: Arguments) -> Arguments:
    """Return two files that do not exist, one of them in another user's directory."""
    paths = [f"/tmp/{arguments['username']}/b.txt", "/tmp/alice/b.txt"]
    return structured(
        {"results": 1, "artifacts": [{"name": "b", "mime": "text/plain", "path": path} for path in paths]}
    )


def has_no_name(_: Arguments) -> Arguments:
    """Return the home directory of a tool without a user name."""
    return structured({"results": {"home": os.environ["HOME"]}, "meta-data": {}})


def wraps(_: Arguments) -> Arguments:
    """Return text that the server wrapped; only the output schema says so."""
    return {"content": [], "structuredContent": {"result": "Done."}}


def fails(_: Arguments) -> Arguments:
    return {"content": [{"type": "text", "text": "no such table"}], "isError": True}


def reads_file(arguments: Arguments) -> Arguments:
    return structured({"results": Path(arguments["filename"]).read_text()})


def writes_elsewhere(_: Arguments) -> Arguments:
    try:
        Path("/tmp/elsewhere.txt").write_text("a")
    except OSError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    return structured({"results": 1})


def refuses(_: Arguments) -> Arguments:
    raise ValueError("not today")


def crashes(_: Arguments) -> Arguments:
    os._exit(3)


def hangs(_: Arguments) -> Arguments:
    sys.stdin.read()
    return {}


USER = {"username": {"type": "string"}}
TOOLS: dict[str, tuple[Callable[[Arguments], Arguments], Arguments]] = {
    "writes": (writes, {**USER, "rows": {"type": "integer"}}),
    "forgets": (forgets, USER),
    "has_no_name": (has_no_name, {}),
    "wraps": (wraps, {}),
    "fails": (fails, {}),
    "reads_file": (reads_file, {"filename": {"type": "string"}}),
    "writes_elsewhere": (writes_elsewhere, {}),
    "refuses": (refuses, {}),
    "crashes": (crashes, {}),
    "hangs": (hangs, {}),
}


def list_entry(name: str, properties: Arguments) -> Arguments:
    schema = {"type": "object", "x-fastmcp-wrap-result": True} if name == "wraps" else None
    tool = {"name": name, "inputSchema": {"type": "object", "properties": properties, "required": [*properties]}}
    return tool | ({"outputSchema": schema} if schema else {})


def answer(method: str, params: Arguments) -> Arguments:
    match method:
        case "initialize":
            about = {"name": "author", "version": "1"}
            return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            return {"tools": [list_entry(name, properties) for name, (_, properties) in TOOLS.items()]}
        case "tools/call":
            return TOOLS[params["name"]][0](params.get("arguments", {}))
        case _:
            raise ValueError(f"no method {method}")


def main() -> None:
    while line := sys.stdin.readline():
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        try:
            send(id=request["id"], result=answer(request["method"], request.get("params", {})))
        except ValueError as error:
            send(id=request["id"], error={"code": -32000, "message": str(error)})


if __name__ == "__main__":
    main()

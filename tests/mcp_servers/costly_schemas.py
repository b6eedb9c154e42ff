"""Tools whose input schemas take a naive checker seconds, hours or for ever on the arguments of a test."""

import json
import sys
from typing import Any

Json = dict[str, Any]
LEVELS = 30


def doubled() -> Json:
    """Return a schema with 30 definitions that each apply the next one twice, so that a checker visits 2^30 schemas."""
    definitions: Json = {f"level{n}": {"allOf": [{"$ref": f"#/$defs/level{n + 1}"}] * 2} for n in range(LEVELS)}
    return {"$ref": "#/$defs/level0", "$defs": definitions | {f"level{LEVELS}": {"type": "object"}}}


SCHEMAS: dict[str, Json] = {
    "words": {"properties": {"text": {"type": "string", "pattern": r"^(\w+\s?)+$"}}},
    "doubled": doubled(),
    "unique": {"properties": {"items": {"type": "array", "uniqueItems": True, "items": {"type": "object"}}}},
}


def answer(method: str, params: Json) -> Json:
    """Return the result of a request."""
    match method:
        case "initialize":
            about = {"serverInfo": {"name": "costly_schemas", "version": "1"}, "capabilities": {"tools": {}}}
            return {**about, "protocolVersion": params["protocolVersion"]}
        case "tools/list":
            return {
                "tools": [
                    {"name": name, "description": "Count the arguments.", "inputSchema": {"type": "object", **schema}}
                    for name, schema in SCHEMAS.items()
                ]
            }
        case "tools/call":
            return {"content": [{"type": "text", "text": json.dumps(len(params.get("arguments", {})))}]}
    return {}


if __name__ == "__main__":
    while line := sys.stdin.readline():
        request = json.loads(line)
        if "id" in request and "method" in request:
            response = {
                "jsonrpc": "2.0",
                "id": request["id"],
                "result": answer(request["method"], request.get("params", {})),
            }
            sys.stdout.write(json.dumps(response) + "\n")
            sys.stdout.flush()

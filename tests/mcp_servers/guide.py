"""A server in plain JSON-RPC that offers prompts, resources, and tools with titles, icons and hints.

It starts as fast as those of ``jsonrpc_server``, which offers tools only.
"""

import base64
import json
import sys
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="teal"/></svg>'
_PICTURE = f"data:image/svg+xml;base64,{base64.b64encode(_SVG.encode()).decode()}"
_FOREIGN_PICTURE = "https://icons.invalid/erase.png"
_NO_ARGUMENTS = {"type": "object", "properties": {}}
_CITIES = ["Lima", "Lisbon", "Oslo"]
_STREETS = {"Lima": ["Jirón Carabaya"], "Lisbon": ["Rua Augusta", "Rua do Ouro"]}

_TOOLS: list[Json] = [
    {
        "name": "look",
        "title": "Look up",
        "description": "Look something up.",
        "inputSchema": _NO_ARGUMENTS,
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
        "icons": [{"src": _PICTURE}],
    },
    {
        "name": "erase",
        "title": "Erase all",
        "description": "Erase all entries.",
        "inputSchema": _NO_ARGUMENTS,
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
        "icons": [{"src": _FOREIGN_PICTURE}],
    },
]
_PROMPTS: list[Json] = [
    {
        "name": "plan",
        "title": "Plan a trip",
        "description": "Plans a day in a city.",
        "arguments": [
            {"name": "city", "description": "Where to go", "required": True},
            {"name": "street", "description": "Where to begin"},
        ],
    },
    {"name": "review", "title": "Review notes", "description": "Reviews the notes of the guide."},
    {"name": "refuse", "description": "Always fails."},
]
_RESOURCES: list[Json] = [
    {"uri": "guide://notes.txt", "name": "notes.txt", "title": "Notes of the guide", "mimeType": "text/plain"},
    {"uri": "guide://gone.txt", "name": "gone.txt", "mimeType": "text/plain"},
]
_NOTES: Json = {"uri": "guide://notes.txt", "mimeType": "text/plain", "text": "bring water"}


def _message(content: Json) -> Json:
    return {"role": "user", "content": content}


def _get_prompt(params: Json) -> Json:
    arguments = params.get("arguments", {})
    if params["name"] == "plan":
        start = f" from {arguments['street']}" if arguments.get("street") else ""
        text = f"Plan a day in {arguments['city']}{start}."
        return {"messages": [_message({"type": "text", "text": text})]}
    if params["name"] == "review":
        text_message = _message({"type": "text", "text": "Review my notes."})
        return {"messages": [text_message, _message({"type": "resource", "resource": _NOTES})]}
    raise LookupError("the guide is asleep")


def _complete(params: Json) -> Json:
    argument, context = params["argument"], params.get("context", {}).get("arguments", {})
    chosen = _STREETS.get(context.get("city", ""), [])
    values = _CITIES if argument["name"] == "city" else chosen
    return {"completion": {"values": [each for each in values if each.startswith(argument["value"])]}}


def _read(params: Json) -> Json:
    if params["uri"] != _NOTES["uri"]:
        raise LookupError(f"no resource {params['uri']}")
    return {"contents": [_NOTES]}


def _initialize(params: Json) -> Json:
    capabilities: Json = {"tools": {}, "prompts": {}, "resources": {}, "completions": {}}
    about = {"serverInfo": {"name": "guide", "version": "1"}, "capabilities": capabilities}
    return {**about, "protocolVersion": params["protocolVersion"]}


_METHODS: dict[str, Callable[[Json], Json]] = {
    "initialize": _initialize,
    "ping": lambda _: {},
    "tools/list": lambda _: {"tools": _TOOLS},
    "tools/call": lambda params: {"content": [{"type": "text", "text": f"{params['name']} done"}]},
    "prompts/list": lambda _: {"prompts": _PROMPTS},
    "prompts/get": _get_prompt,
    "completion/complete": _complete,
    "resources/list": lambda _: {"resources": _RESOURCES},
    "resources/templates/list": lambda _: {"resourceTemplates": []},
    "resources/read": _read,
}


def _send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    while line := sys.stdin.readline():
        request = json.loads(line)
        if "id" not in request or "method" not in request:
            continue
        try:
            _send(id=request["id"], result=_METHODS[request["method"]](request.get("params", {})))
        except LookupError as error:
            _send(id=request["id"], error={"code": -32602, "message": str(error)})

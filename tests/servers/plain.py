"""A server in nothing but JSON-RPC, for tools that are a test's own.

It starts in a twentieth of the processor time that the libraries take to be imported, and a test run starts hundreds.
That servers made with the libraries work is shown with those: report, author, node and the strangers.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Tool = Callable[..., Any]

TALK = "talk"
"""A tool's parameter of this name is no argument: by it the tool speaks while it runs."""

_SCHEMAS: dict[object, Json] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    list[str]: {"type": "array", "items": {"type": "string"}},
    list[str] | None: {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
    dict[str, Any]: {"type": "object"},
}


class Talk:
    """What a running tool says."""

    def __init__(self, token: object) -> None:
        self._token = token

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self._token is not None:
            said = {"progressToken": self._token, "progress": progress, "total": total, "message": message}
            given = {name: value for name, value in said.items() if value is not None}
            _send(method="notifications/progress", params=given)

    def info(self, text: str) -> None:
        _send(method="notifications/message", params={"level": "info", "data": text})


class Server:
    """Functions as tools, one call at a time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tools: dict[str, Tool] = {}

    def tool(self, function: Tool) -> Tool:
        """Offer a function, annotated with types of ``_SCHEMAS``, under its name."""
        self._tools[function.__name__] = function
        return function

    def run(self) -> None:
        """Answer until standard input ends."""
        while line := sys.stdin.readline():
            request = json.loads(line)
            if "id" not in request or "method" not in request:
                continue
            try:
                _send(id=request["id"], result=self._answer(request["method"], request.get("params", {})))
            except LookupError as error:
                _send(id=request["id"], error={"code": -32601, "message": f"not known here: {error}"})

    def _answer(self, method: str, params: Json) -> Json:
        match method:
            case "initialize":
                can: Json = {"tools": {}, "logging": {}}
                about = {"serverInfo": {"name": self._name, "version": "1"}, "capabilities": can}
                return {**about, "protocolVersion": params["protocolVersion"]}
            case "logging/setLevel" | "ping":
                return {}
            case "tools/list":
                return {"tools": [_described(tool) for tool in self._tools.values()]}
            case "tools/call":
                return _called(self._tools[params["name"]], params)
        raise LookupError(method)


def _called(tool: Tool, params: Json) -> Json:
    given = params.get("arguments", {})
    if TALK in tool.__annotations__:
        given = {**given, TALK: Talk(params.get("_meta", {}).get("progressToken"))}
    try:
        returned = tool(**given)
    except Exception as error:  # noqa: BLE001  (whatever a tool raises, the model is told)
        return {"content": [{"type": "text", "text": f"{tool.__name__} failed: {error}"}], "isError": True}
    return {"content": [{"type": "text", "text": json.dumps(returned)}], "structuredContent": returned}


def _described(tool: Tool) -> Json:
    kinds = {name: kind for name, kind in tool.__annotations__.items() if name not in {"return", TALK}}
    optional = len(tool.__defaults__ or ())
    schema = {"type": "object", "properties": {name: _SCHEMAS[kind] for name, kind in kinds.items()}}
    required = list(kinds)[: len(kinds) - optional]
    return {"name": tool.__name__, "description": tool.__doc__, "inputSchema": {**schema, "required": required}}


def _send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()

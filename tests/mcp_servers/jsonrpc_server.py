"""Minimal MCP server in plain JSON-RPC, for the tools of tests.

It starts in a twentieth of the CPU time that importing the MCP libraries takes, and a test run starts hundreds of them.
Other servers of the tests use the libraries: report, artifacts, node and the third-party servers.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Tool = Callable[..., Any]

CONTEXT = "context"
"""A tool's parameter of this name is not an argument of the call: it receives a ``CallContext``."""

_SCHEMAS: dict[object, Json] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    list[str]: {"type": "array", "items": {"type": "string"}},
    list[str] | None: {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
    dict[str, Any]: {"type": "object"},
}


class RawResult(dict[str, Any]):
    """A result of `tools/call` that is sent as it is, for tools that set `content` or keys of their own."""


class CallContext:
    """Sends the progress and log notifications of a running call."""

    def __init__(self, progress_token: object) -> None:
        self._progress_token = progress_token

    def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self._progress_token is not None:
            fields = {"progressToken": self._progress_token, "progress": progress, "total": total, "message": message}
            params = {name: value for name, value in fields.items() if value is not None}
            _send(method="notifications/progress", params=params)

    def info(self, text: str) -> None:
        _send(method="notifications/message", params={"level": "info", "data": text})


class Server:
    """Serves functions as tools, one call at a time."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tools: dict[str, Tool] = {}

    def tool(self, function: Tool) -> Tool:
        """Register a function under its name. Its annotations must be types of ``_SCHEMAS``."""
        self._tools[function.__name__] = function
        return function

    def run(self) -> None:
        """Answer requests until standard input ends."""
        while line := sys.stdin.readline():
            request = json.loads(line)
            if "id" not in request or "method" not in request:
                continue
            try:
                _send(id=request["id"], result=self._answer(request["method"], request.get("params", {})))
            except LookupError as error:
                _send(id=request["id"], error={"code": -32601, "message": f"unknown: {error}"})

    def _answer(self, method: str, params: Json) -> Json:
        match method:
            case "initialize":
                capabilities: Json = {"tools": {}, "logging": {}}
                server_info = {"name": self._name, "version": "1"}
                about = {"serverInfo": server_info, "capabilities": capabilities}
                return {**about, "protocolVersion": params["protocolVersion"]}
            case "logging/setLevel" | "ping":
                return {}
            case "tools/list":
                return {"tools": [_tool_entry(tool) for tool in self._tools.values()]}
            case "tools/call":
                return _call(self._tools[params["name"]], params)
        raise LookupError(method)


def _call(tool: Tool, params: Json) -> Json:
    arguments = params.get("arguments", {})
    if CONTEXT in tool.__annotations__:
        arguments = {**arguments, CONTEXT: CallContext(params.get("_meta", {}).get("progressToken"))}
    try:
        output = tool(**arguments)
    except Exception as error:  # noqa: BLE001  (every error of a tool becomes an error result)
        return {"content": [{"type": "text", "text": f"{tool.__name__} failed: {error}"}], "isError": True}
    if isinstance(output, RawResult):
        return output
    return {"content": [{"type": "text", "text": json.dumps(output)}], "structuredContent": output}


def _tool_entry(tool: Tool) -> Json:
    types = {name: type_ for name, type_ in tool.__annotations__.items() if name not in {"return", CONTEXT}}
    optional = len(tool.__defaults__ or ())
    schema = {"type": "object", "properties": {name: _SCHEMAS[type_] for name, type_ in types.items()}}
    required = list(types)[: len(types) - optional]
    return {"name": tool.__name__, "description": tool.__doc__, "inputSchema": {**schema, "required": required}}


def _send(**message: object) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()

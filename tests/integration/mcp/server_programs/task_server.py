"""Server made with the SDK that works on calls as tasks (extension ``io.modelcontextprotocol/tasks``).

A task ends at its third poll, with the ``topic`` as its result. The topic ``ask`` asks a question first, ``fail`` and
``cancel`` end without a result, and ``hold`` works until ``POST /release``. Over HTTP, the server prints its port, and
``GET /requests`` returns the requests since the last ``GET /requests``: the MCP method and the header ``Mcp-Name``.
With the argument ``stdio``, it speaks stdio.
"""

import socket
import sys
import threading
from dataclasses import dataclass
from typing import Any

import uvicorn
from mcp import MCPError
from mcp.server.context import HandlerResult
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp_types import INVALID_PARAMS, CallToolRequestParams, RequestParams
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

IDENTIFIER = "io.modelcontextprotocol/tasks"
POLLS = 3
REQUESTS: list[list[str]] = []
RELEASED = threading.Event()
FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
QUESTION = {"method": "elicitation/create", "params": {"mode": "form", "message": "Who?", "requestedSchema": FORM}}


class TaskParams(RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    task_id: str
    input_responses: dict[str, Any] | None = None


@dataclass
class Task:
    topic: str
    polls: int = 0
    status: str = "working"
    answer: str | None = None

    def state(self, task_id: str) -> dict[str, Any]:
        times = {"createdAt": "2026-07-28T12:00:00Z", "lastUpdatedAt": "2026-07-28T12:00:00Z"}
        shared = {"taskId": task_id, "status": self.status, "ttlMs": None, "pollIntervalMs": 10, **times}
        return {**shared, "statusMessage": f"Poll {self.polls} of {POLLS}"}


class Tasks(Extension):
    identifier = IDENTIFIER

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}

    async def intercept_tool_call(self, params: CallToolRequestParams, ctx: Any, call_next: Any) -> HandlerResult:  # noqa: ANN401  (types of the SDK)
        del ctx, call_next
        task_id = f"task-{len(self._tasks) + 1}"
        self._tasks[task_id] = Task(str((params.arguments or {})["topic"]))
        return {"resultType": "task", **self._tasks[task_id].state(task_id)}

    def methods(self) -> list[MethodBinding]:
        handlers = {"tasks/get": self._get, "tasks/update": self._update, "tasks/cancel": self._cancel}
        return [MethodBinding(method, TaskParams, handler) for method, handler in handlers.items()]

    async def _get(self, _: Any, params: TaskParams) -> dict[str, Any]:  # noqa: ANN401  (a type of the SDK)
        task = self._find(params.task_id)
        if task.status == "working":
            task.polls += 1
            task.status = _status_after(task)
        ended: dict[str, Any] = {}
        if task.status == "completed":
            ended["result"] = {"content": [{"type": "text", "text": task.answer or task.topic}]}
        elif task.status == "failed":
            ended["error"] = {"code": -32603, "message": "the disk is full"}
        elif task.status == "input_required":
            ended["inputRequests"] = {"who": QUESTION}
        return {"resultType": "complete", **task.state(params.task_id), **ended}

    async def _update(self, _: Any, params: TaskParams) -> dict[str, Any]:  # noqa: ANN401  (a type of the SDK)
        task = self._find(params.task_id)
        task.answer = (params.input_responses or {})["who"]["content"]["name"]
        task.status = "working"
        return {"resultType": "complete"}

    async def _cancel(self, _: Any, params: TaskParams) -> dict[str, Any]:  # noqa: ANN401  (a type of the SDK)
        self._find(params.task_id).status = "cancelled"
        return {"resultType": "complete"}

    def _find(self, task_id: str) -> Task:
        if task_id not in self._tasks:
            raise MCPError(code=INVALID_PARAMS, message="Failed to retrieve task: Task not found")
        return self._tasks[task_id]


def _status_after(task: Task) -> str:
    if task.topic == "ask" and task.answer is None:
        return "input_required"
    if task.polls < POLLS or (task.topic == "hold" and not RELEASED.is_set()):
        return "working"
    return {"fail": "failed", "cancel": "cancelled"}.get(task.topic, "completed")


server = MCPServer("tasks", extensions=[Tasks()])


@server.tool()
def research(topic: str) -> str:
    """Work on a topic for a long time."""
    return topic


@server.custom_route("/requests", ["GET"])  # type: ignore[untyped-decorator]
async def requests(_: Request) -> Response:
    answer = JSONResponse(list(REQUESTS))
    REQUESTS.clear()
    return answer


@server.custom_route("/release", ["POST"])  # type: ignore[untyped-decorator]
async def release(_: Request) -> Response:
    RELEASED.set()
    return Response()


def recorded(app: ASGIApp) -> ASGIApp:
    async def record(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            headers = dict(scope["headers"])
            REQUESTS.append([headers.get(name, b"").decode() for name in (b"mcp-method", b"mcp-name")])
        await app(scope, receive, send)

    return record


if __name__ == "__main__":
    if sys.argv[1:] == ["stdio"]:
        server.run()
    else:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            print(listening.getsockname()[1], flush=True)  # noqa: T201  (the test reads it)
            config = uvicorn.Config(recorded(server.streamable_http_app()), log_level="error", ws="none")
            uvicorn.Server(config).run(sockets=[listening])

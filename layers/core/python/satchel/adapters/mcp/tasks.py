"""Tasks of servers: the requests that poll and cancel them, and their states.

Servers of the current MCP revision decide themselves which calls they answer with a task (extension
``io.modelcontextprotocol/tasks``). Servers of MCP 2025-11-25 expect the client to ask for a task, and return the result
of a finished task on a request of its own (``tasks/result``).
"""

from typing import Any, NamedTuple

from mcp.client.extension import advertise
from mcp_types import CallToolRequest, CallToolRequestParams, Request, RequestParams, TaskMetadata
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from satchel.domain.tasks import MAX_TASK_ID_CHARS
from satchel.ports.tool_client import TaskRunning

TASKS_EXTENSION = advertise("io.modelcontextprotocol/tasks")
POLL_SECONDS = 1.0
"""The interval of polls if the server suggests none."""

_MAX_POLL_SECONDS = 300.0


class _TaskParams(RequestParams):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    task_id: str
    input_responses: dict[str, Any] | None = None


class TaskRequest(Request[_TaskParams, str]):
    """A request about a task. Over HTTP, the header ``Mcp-Name`` has the task's id."""

    name_param = "taskId"


class TaskState(NamedTuple):
    """The state of a task. ``outcome`` is the server's answer that has it."""

    running: TaskRunning
    status: str
    message: str | None
    outcome: dict[str, Any]


def task_request(method: str, task_id: str, responses: dict[str, Any] | None = None) -> TaskRequest:
    """Return a request with this method: ``tasks/get``, ``tasks/result``, ``tasks/update`` or ``tasks/cancel``."""
    return TaskRequest(method=method, params=_TaskParams(task_id=task_id, input_responses=responses))


def asking_for_task(request: CallToolRequest) -> CallToolRequest:
    """Return the request with the wish for a task, which servers of MCP 2025-11-25 need."""
    params: CallToolRequestParams = request.params.model_copy(update={"task": TaskMetadata()})
    return request.model_copy(update={"params": params})


def created_task(raw: dict[str, Any], *, asks_for_task: bool) -> TaskState | None:
    """Return the task with which a server answered a call, or None if the answer is a result.

    ``asks_for_task`` says that the request asks for a task: only then, an older server answers with one.
    """
    if raw.get("resultType") == "task":
        return parse_task(raw)
    return parse_task(raw["task"]) if asks_for_task and isinstance(raw.get("task"), dict) else None


def parse_task(raw: dict[str, Any]) -> TaskState | None:
    """Return the state of a task in an answer, or None if the answer has none."""
    task_id, status, message = raw.get("taskId"), raw.get("status"), raw.get("statusMessage")
    if not isinstance(task_id, str) or not 0 < len(task_id) <= MAX_TASK_ID_CHARS or not isinstance(status, str):
        return None
    millis = raw.get("pollIntervalMs", raw.get("pollInterval"))
    seconds = POLL_SECONDS
    if isinstance(millis, int | float) and millis > 0:
        seconds = min(millis / 1000, _MAX_POLL_SECONDS)
    running = TaskRunning(task_id=task_id, poll_seconds=seconds)
    return TaskState(running, status, message if isinstance(message, str) else None, raw)


def failure_of(state: TaskState) -> str:
    """Return why a task has ended without a result."""
    error = state.outcome.get("error")
    reason = error.get("message") if isinstance(error, dict) else None
    verb = "cancelled the task" if state.status == "cancelled" else "failed to complete the task"
    detail = reason or state.message
    return f"The tool's server {verb}: {detail}" if detail else f"The tool's server {verb}"

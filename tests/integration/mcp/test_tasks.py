"""Tasks of servers: who polls them, their results and failures, and their questions."""

import os
import sys
from collections.abc import Iterator

import httpx2
import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import (
    Answers,
    CallFailure,
    CallOutcome,
    InputRequired,
    ProgressUpdate,
    TaskRunning,
    ToolEvent,
    ToolResult,
)
from tests.integration.mcp.test_http_sessions import serve
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, TIMEOUT

PROGRAM = SERVER_PROGRAMS / "task_server.py"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    yield from serve(PROGRAM)


@pytest.fixture
def client(url: str, loop: EventLoop) -> Iterator[McpToolClient]:
    client = McpToolClient("tasks", ServerEntry(url=f"{url}/mcp", allow_private=True), loop, os.environ)
    httpx2.get(f"{url}/requests", timeout=60)
    yield client
    client.close()


@pytest.fixture(scope="module")
def process(loop: EventLoop) -> Iterator[McpToolClient]:
    entry = ServerEntry(command=[sys.executable, str(PROGRAM), "stdio"], cwd=str(SERVER_PROGRAMS))
    client = McpToolClient("tasks", entry, loop, os.environ)
    yield client
    client.close()


def events(
    client: McpToolClient, topic: str, task_id: str | None = None, answers: Answers | None = None
) -> list[ToolEvent]:
    """Start a task, or poll one. Return the events of the call."""
    found: list[ToolEvent] = []
    with client.call("research", {"topic": topic}, None, writes=False, task_id=task_id, answers=answers) as running:
        while not found or not isinstance(found[-1], CallOutcome):
            event = running.receive(TIMEOUT)
            assert event is not None, "the call does not end"
            found.append(event)
    return found


def outcome(client: McpToolClient, topic: str) -> ToolEvent:
    """Start a task, and poll it until it ends or asks. Return the last event."""
    last = events(client, topic)[-1]
    while isinstance(last, TaskRunning):
        last = events(client, topic, last.task_id)[-1]
    return last


def text_of(event: ToolEvent) -> str:
    assert isinstance(event, ToolResult), event
    return str(event.raw["content"][0]["text"])


def test_calls_to_a_remote_server_end_while_its_task_works(client: McpToolClient, url: str) -> None:
    *_, task = events(client, "ducks")
    assert isinstance(task, TaskRunning)
    assert task.poll_seconds == 0.01

    for poll in (1, 2):
        assert events(client, "ducks", task.task_id) == [
            ProgressUpdate(progress=0, message=f"Poll {poll} of 3"),
            task,
        ]
    assert text_of(events(client, "ducks", task.task_id)[-1]) == "ducks"
    requests = httpx2.get(f"{url}/requests", timeout=60).json()
    assert [name for method, name in requests if method == "tasks/get"] == [task.task_id] * 3


def test_runner_waits_for_the_task_of_a_local_process(process: McpToolClient) -> None:
    *progress, result = events(process, "ducks")

    assert text_of(result) == "ducks"
    assert [each.message for each in progress if isinstance(each, ProgressUpdate)] == [
        f"Poll {number} of 3" for number in range(3)
    ]


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("fail", "The tool's server failed to complete the task: the disk is full"),
        ("cancel", "The tool's server cancelled the task: Poll 3 of 3"),
    ],
)
def test_task_without_a_result_says_why(client: McpToolClient, topic: str, message: str) -> None:
    assert outcome(client, topic) == CallFailure(crashed=False, message=message)


def test_lost_task_is_said(client: McpToolClient) -> None:
    (failure,) = events(client, "ducks", "of-an-earlier-process")

    assert isinstance(failure, CallFailure)
    assert failure.message.startswith("The tool's server does not know its task any more, for example after a restart")


def test_task_asks_and_continues_with_the_answer(client: McpToolClient) -> None:
    question = outcome(client, "ask")
    assert isinstance(question, InputRequired)
    assert question.task is not None
    assert question.requests["who"]["params"]["message"] == "Who?"

    answers = Answers({"who": {"action": "accept", "content": {"name": "Ada"}}}, None)
    *_, last = events(client, "ask", question.task.task_id, answers)
    while isinstance(last, TaskRunning):
        *_, last = events(client, "ask", last.task_id)
    assert text_of(last) == "Ada"


def test_question_of_a_local_task_is_refused(process: McpToolClient) -> None:
    failure = outcome(process, "ask")

    assert isinstance(failure, CallFailure)
    assert "streamable HTTP only" in failure.message


def test_cancelled_task_ends(client: McpToolClient) -> None:
    *_, task = events(client, "ducks")
    assert isinstance(task, TaskRunning)
    client.cancel_task(task.task_id, None)

    *_, failure = events(client, "ducks", task.task_id)
    assert isinstance(failure, CallFailure)
    assert "cancelled the task" in failure.message

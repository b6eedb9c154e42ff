"""The fakes behind the state machine: a model that follows a script, and the tool server ``bench`` in this process."""

import base64
import json
import queue
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satchel.domain.conversation import (
    AssistantMessage,
    CallMethod,
    CompletionRequest,
    ModelReply,
    ProposedCall,
    TokenUsage,
    ToolSpec,
    UserMessage,
)
from satchel.domain.inputs import InputAnswer
from satchel.domain.isolation import Isolation
from satchel.domain.prompt import CONTEXT_START
from satchel.domain.resources import OfferMethod, Offers
from satchel.ports.llm import StreamListener
from satchel.ports.tool_client import (
    Answers,
    AppRequest,
    AskedQuestion,
    CallFailure,
    FileTransfer,
    InputRequired,
    ProgressUpdate,
    QuestionRefused,
    ServerSession,
    ServerSessions,
    TaskRunning,
    ToolEvent,
    ToolResult,
)
from tests.pictures import png

Script = list[list[tuple[str, dict[str, Any] | str]]]
"""The tool calls of each round: the tool, and its arguments or an invalid text in their place.

A tool name without a dot is a tool of ``bench``. After the last round the model answers.
"""

ANSWER = "Done."
TOKENS_PER_REPLY = TokenUsage(input_tokens=100, output_tokens=10)

_POLLS = 3
_TEXT = {"type": "string"}
_ARGUMENTS = {
    "write": {"name": _TEXT, "text": _TEXT, "username": _TEXT},
    "ask": {"name": _TEXT, "text": _TEXT, "username": _TEXT},
    "say": {"size": {"type": "integer"}},
    "draw": {},
    "wait": {},
    "inquire": {},
    "work": {},
    "interview": {},
}


class ScriptedModel:
    """Implements ``ports.llm.Model``: the user's message is the script of the turn, as JSON.

    ``requests`` are the latest requests.
    """

    def __init__(self) -> None:
        self.requests: deque[CompletionRequest] = deque(maxlen=100)

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        self.requests.append(request)
        start = max(index for index, message in enumerate(request.messages) if isinstance(message, UserMessage))
        message = request.messages[start]
        assert isinstance(message, UserMessage)
        script: Script = json.loads(message.text.partition(CONTEXT_START)[0])
        finished_rounds = sum(isinstance(message, AssistantMessage) for message in request.messages[start:])
        if finished_rounds >= len(script):
            listener(ANSWER)
            return ModelReply(text=ANSWER, usage=TOKENS_PER_REPLY)
        calls = [
            ProposedCall(
                tool=tool if "." in tool else f"bench.{tool}",
                arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
                ref=f"r{finished_rounds}-{index}",
            )
            for index, (tool, arguments) in enumerate(script[finished_rounds])
        ]
        return ModelReply(text="", calls=calls, usage=TOKENS_PER_REPLY)


class FakeRunningCall:
    """Implements ``ports.tool_client.RunningCall``."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[ToolEvent] = queue.SimpleQueue()
        self.killed = threading.Event()
        self.ended = threading.Event()
        self.replies: list[InputAnswer | QuestionRefused] = []

    def emit(self, event: ToolEvent) -> None:
        self._events.put(event)

    def receive(self, timeout: float) -> ToolEvent | None:
        try:
            return self._events.get(timeout=timeout)
        except queue.Empty:
            return None

    def reply(self, question: int, answer: InputAnswer | QuestionRefused) -> None:
        """Ask a second question after the first answer, and end with the answer to it."""
        self.replies.append(answer)
        content = answer.content if isinstance(answer, InputAnswer) else None
        self.emit(_structured_result({"results": (content or {}).get("name")}) if question else _interview_question(1))

    def kill(self) -> None:
        self.killed.set()
        self.emit(CallFailure(crashed=True, message="The call was ended"))


class BenchServer:
    """Implements ``ports.tool_client.ToolClient``. The tool ``wait`` never returns; ``waiting`` are its calls.

    ``inquire`` ends with its questions, ``interview`` asks them while it runs; ``interviews`` are its calls.
    ``drawing`` is the picture that the tool ``draw`` returns.
    """

    isolation: Isolation | None = None
    is_legacy = False

    def __init__(self) -> None:
        self.called_tools: list[str] = []
        self.drawing = png()
        self.polls: list[str] = []
        self.cancelled_tasks: list[str] = []
        self.holds_tasks = False
        self.reports_progress = True
        self.open_calls = 0
        self.waiting: queue.SimpleQueue[FakeRunningCall] = queue.SimpleQueue()
        self._waiting_calls: list[FakeRunningCall] = []
        self.interviews: list[FakeRunningCall] = []

    @contextmanager
    def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        workspace: Path | None,
        *,
        writes: bool,
        state: Path | None = None,
        method: CallMethod | OfferMethod = "tools/call",
        input_schema: dict[str, Any] | None = None,
        sessions: ServerSessions | None = None,
        answers: Answers | None = None,
        as_task: bool = False,
        task_id: str | None = None,
        is_legacy: bool = False,
        can_ask: bool = False,
        app: AppRequest | None = None,
        files: FileTransfer | None = None,
    ) -> Iterator[FakeRunningCall]:
        del can_ask, app, files, method, input_schema, sessions, state, as_task, is_legacy
        assert writes is ("username" in _ARGUMENTS[tool])
        self.called_tools.append(tool)
        running = FakeRunningCall()
        if self.reports_progress:
            running.emit(ProgressUpdate(progress=1, total=2))
        if tool == "inquire" and (answers is None or answers.state != "1"):
            running.emit(_next_question(answers))
        elif tool == "inquire" and answers is not None:
            running.emit(_structured_result({"results": answers.responses["name"]["content"]["name"]}))
        elif tool == "work":
            running.emit(self._work(task_id))
        elif tool == "interview":
            self.interviews.append(running)
            running.emit(_interview_question(0))
        elif tool == "wait":
            self._waiting_calls.append(running)
            self.waiting.put(running)
        else:
            running.emit(_picture_result(self.drawing) if tool == "draw" else _run_tool(arguments, workspace))
        self.open_calls += 1
        try:
            yield running
        finally:
            self.open_calls -= 1
            running.ended.set()

    def _work(self, task_id: str | None) -> ToolEvent:
        """Start a task, or finish it at the third poll. While ``holds_tasks``, no task finishes."""
        if task_id is None:
            return TaskRunning(task_id=f"task-{len(self.called_tools)}", poll_seconds=0)
        self.polls.append(task_id)
        if self.holds_tasks or self.polls.count(task_id) < _POLLS:
            return TaskRunning(task_id=task_id, poll_seconds=0)
        return _structured_result({"results": "worked"})

    def cancel_task(self, task_id: str, session: ServerSession | None) -> None:
        del session
        self.cancelled_tasks.append(task_id)

    def list_tools(self) -> Sequence[ToolSpec]:
        return [
            ToolSpec(server="bench", name=name, input_schema={"type": "object", "properties": arguments})
            for name, arguments in _ARGUMENTS.items()
        ]

    def list_all(self) -> tuple[Sequence[ToolSpec], Offers]:
        return self.list_tools(), Offers()

    def close(self) -> None:
        """Do nothing: the server has no resources."""

    def end_calls(self) -> None:
        """End the calls that still wait, because their runners would send heartbeats until the process ends."""
        for call in self._waiting_calls:
            call.kill()
            assert call.ended.wait(60), "a runner did not end its call"


_NAME_FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


def _interview_question(number: int) -> AskedQuestion:
    """Ask whether to continue, then for a name, while the tool runs."""
    form = _NAME_FORM if number else {"type": "object", "properties": {}}
    return AskedQuestion(id=number, request={"message": ["Continue?", "Your name?"][number], "requestedSchema": form})


def _next_question(answers: Answers | None) -> InputRequired:
    """Ask whether to continue, then for a name."""
    message, number = ("Your name?", "1") if answers else ("Continue?", "0")
    params = {"message": message, "requestedSchema": _NAME_FORM if answers else {"properties": {}}}
    return InputRequired(requests={"name": {"method": "elicitation/create", "params": params}}, state=number)


def _run_tool(arguments: dict[str, Any], workspace: Path | None) -> ToolResult:
    if workspace is None:
        return _structured_result({"results": "x" * arguments["size"]})
    (workspace / arguments["name"]).write_text(arguments["text"], encoding="utf-8")
    artifact = {"name": arguments["name"], "path": arguments["name"], "mime": "text/plain"}
    return _structured_result({"results": arguments["text"], "artifacts": [artifact]})


def _picture_result(picture: bytes) -> ToolResult:
    block = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(picture).decode()}
    return ToolResult(raw={"content": [block]})


def _structured_result(payload: dict[str, Any]) -> ToolResult:
    return ToolResult(raw={"content": [], "structuredContent": payload})

"""AG-UI 1.0: a thread is a session, a run is a turn, or a part of a turn that ends where the user must decide.

The id of an interrupt has all that is needed to resume: turn, cursor, call and question. What was shown before is read
again from the events of the turn. So the bridge keeps nothing of a run in memory.
"""

import json
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    CustomEvent,
    Interrupt,
    Message,
    MessagesSnapshotEvent,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    ResumeEntry,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    TokenUsage,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
    UserMessage,
)

from local.bridge.caller import Caller, InvalidRequest, OutOfTime, canceled_on_hang_up
from satchel_client import AsyncSession, AsyncTurn, Event, SatchelError
from satchel_client.models import (
    FilesUpdate,
    FinalResponse,
    InputRequested,
    OpenInput,
    ReasoningStream,
    ResponseComplete,
    TokenStream,
    ToolApprovalRequest,
    ToolComplete,
    ToolStart,
    TurnFailed,
    TurnStarted,
)

_MAX_THREADS = 10_000
APPROVAL_SCHEMA = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "arguments": {"type": "object", "description": "Other arguments than the model's."},
        "reason": {"type": "string"},
    },
    "required": ["approved"],
}
"""The answer to an interrupt ``tool_approval``. ``true`` and ``false`` alone are accepted, too."""


class InterruptId(NamedTuple):
    """The call or question that an interrupt waits for, as its id: ``turn:seq:call`` or ``turn:seq:call:input``."""

    turn_id: str
    seq: int
    call_id: str
    input_id: str | None = None

    @classmethod
    def parse(cls, text: str) -> "InterruptId":
        """Return the parts of an id. Raise InvalidRequest if the bridge did not make it."""
        turn_id, _, rest = text.partition(":")
        seq, _, rest = rest.partition(":")
        call_id, _, input_id = rest.partition(":")
        if not (turn_id and seq.isdecimal() and call_id):
            raise InvalidRequest(f"There is no interrupt {text[:100]!r}.")
        return cls(turn_id, int(seq), call_id, input_id or None)

    def __str__(self) -> str:
        """Return the id as text."""
        return ":".join(str(each) for each in self if each is not None)


class Threads:
    """The sessions of the latest threads, in memory, by the caller's token and the id that the front end chose."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[str, str], str] = OrderedDict()

    async def session(self, caller: Caller, owner: str, thread_id: str) -> AsyncSession:
        """Return the session of a thread. A server that knows the key returns the same one after a restart, too."""
        key = (owner, thread_id)
        if key not in self._sessions:
            started = await caller.client.start_session(idempotency_key=f"ag-ui-{thread_id}"[:200])
            self._sessions[key] = started.session_id
            while len(self._sessions) > _MAX_THREADS:
                self._sessions.popitem(last=False)
        return caller.client.session(self._sessions[key])


@dataclass(frozen=True)
class Run:
    """One run of a thread."""

    caller: Caller
    session: AsyncSession
    input: RunAgentInput

    async def events(self) -> AsyncIterator[BaseEvent]:
        """Yield the events of the run. An error of Satchel is the event RUN_ERROR, and the time limit, too."""
        yield RunStartedEvent(thread_id=self.input.thread_id, run_id=self.input.run_id)
        try:
            async for event in self._events():
                yield event
        except (SatchelError, InvalidRequest, OutOfTime) as error:
            yield RunErrorEvent(message=str(error), code=getattr(error, "code", None))

    async def _events(self) -> AsyncIterator[BaseEvent]:
        if self.input.resume:
            turn, cursor = await self._resume(self.input.resume)
        elif self.input.messages and isinstance(message := self.input.messages[-1], UserMessage):
            turn, cursor = await self._ask(message), 0
        else:  # the front end has reconnected
            yield MessagesSnapshotEvent(messages=[message async for message in self._history()])
            running = (await self.session.read()).running_turn
            if running is None:
                yield self._finished(RunFinishedSuccessOutcome())
                return
            turn, cursor = self.session.turn(running), 0
        async with canceled_on_hang_up(turn):
            async for event in self._follow(turn, cursor):
                yield event

    async def _follow(self, turn: AsyncTurn, cursor: int) -> AsyncIterator[BaseEvent]:
        """Yield the events after a cursor, until the turn ends or waits for the user."""
        shown = ShownEvents()
        async for event in self.caller.follow(turn):
            if event.seq <= cursor:
                list(shown.add(event))  # the front end has them
                continue
            if isinstance(event, ToolApprovalRequest):
                for each in shown.approval(event, (await turn.approval(event.call_id)).arguments):
                    yield each
            elif isinstance(event, FilesUpdate):
                links = [await self.caller.link(file) for file in event.files]
                yield _custom(event, urls={link.file_key: link.url for link in links if link})
            else:
                for each in shown.add(event):
                    yield each
            if end := self._end(event):
                yield end
                return

    def _end(self, event: Event) -> BaseEvent | None:
        """Return the event that ends the run, if this event of the turn does."""
        match event:
            case ToolApprovalRequest():
                return self._finished(RunFinishedInterruptOutcome(interrupts=[_approval(event)]))
            case InputRequested():
                return self._finished(RunFinishedInterruptOutcome(interrupts=[_question(event)]))
            case ResponseComplete():
                return self._succeeded(event.response)
            case TurnFailed() if event.status == "cancelled":
                return self._finished(RunFinishedCancelledOutcome())
            case TurnFailed():
                return RunErrorEvent(message=event.error.message, code=event.error.error_code)
            case _:
                return None

    def _succeeded(self, response: FinalResponse | None) -> RunFinishedEvent:
        if response is None:  # too large for an event; the client has the streamed text
            return self._finished(RunFinishedSuccessOutcome())
        counts = TokenUsage(input_tokens=response.usage.input_tokens, output_tokens=response.usage.output_tokens)
        return self._finished(RunFinishedSuccessOutcome(), result=response.message, usage=[counts])

    def _finished(self, outcome: Any, **fields: Any) -> RunFinishedEvent:  # noqa: ANN401  (fields of the event)
        return RunFinishedEvent(thread_id=self.input.thread_id, run_id=self.input.run_id, outcome=outcome, **fields)

    async def _ask(self, message: UserMessage) -> AsyncTurn:
        texts: list[str] = []
        files: list[str] = []
        for part in [message.content] if isinstance(message.content, str) else message.content:
            if isinstance(part, str) or part.type == "text":
                texts.append(part if isinstance(part, str) else part.text)
            elif part.source.type == "data":
                number = len(files) + 1
                files.append(
                    await self.caller.upload(
                        self.session.session_id, part.source.value, part.source.mime_type, None, number
                    )
                )
            else:
                raise InvalidRequest("A file of a message must have its content, not an address.")
        key = f"{self.input.thread_id}-{message.id}"[:200]
        return await self.session.ask("\n".join(texts), files=files, idempotency_key=key)

    async def _resume(self, entries: Sequence[ResumeEntry]) -> tuple[AsyncTurn, int]:
        """Send the user's decisions. Return the turn, and the cursor up to which its events have been shown."""
        ids = [InterruptId.parse(entry.interrupt_id) for entry in entries]
        turn = self.session.turn(ids[0].turn_id)
        for entry, interrupt in zip(entries, ids, strict=True):
            if interrupt.input_id is None:
                await self._decide(turn, interrupt.call_id, entry)
            else:
                await self._answer(turn, interrupt, entry)
        return turn, max(interrupt.seq for interrupt in ids)

    @staticmethod
    async def _decide(turn: AsyncTurn, call_id: str, entry: ResumeEntry) -> None:
        answer = entry.payload if isinstance(entry.payload, Mapping) else {"approved": entry.payload}
        if entry.status == "cancelled" or answer.get("approved") is not True:
            reason = answer.get("reason")
            await turn.deny(call_id, reason=reason if isinstance(reason, str) else None)
            return
        await turn.approve(await turn.approval(call_id), arguments=answer.get("arguments"))

    @staticmethod
    async def _answer(turn: AsyncTurn, interrupt: InterruptId, entry: ResumeEntry) -> None:
        response = await turn.response()
        ids = (interrupt.call_id, interrupt.input_id)
        question: OpenInput | None = next(
            (each for each in response.inputs if (each.call_id, each.input_id) == ids), None
        )
        if question is None:
            raise InvalidRequest(f"The question {interrupt} is not open.")
        if entry.status == "cancelled":
            await turn.answer(question, action="cancel")
        elif question.mode == "url":
            await turn.answer(question)
        else:
            await turn.answer(question, entry.payload or {})

    async def _history(self) -> AsyncIterator[Message]:
        async for turn in self.session.turns():
            yield UserMessage(id=f"{turn.turn_id}-message", content=turn.message)
            if turn.answer:
                yield AssistantMessage(id=f"{turn.turn_id}-answer", content=turn.answer)


class ShownEvents:
    """The events of one turn as events of AG-UI, in order. It knows which message is open and which calls are shown."""

    def __init__(self) -> None:
        self._open: str | None = None
        self._open_reasoning: str | None = None
        self._calls: set[str] = set()

    def add(self, event: Event) -> Iterator[BaseEvent]:
        """Yield the events of AG-UI for an event of the turn."""
        match event:
            case TokenStream():
                yield from self._text(event)
            case ReasoningStream():
                yield from self._reasoning(event)
            case TurnStarted():
                pass  # RUN_STARTED
            case ToolApprovalRequest():
                yield from self._end_text()
                self._calls.add(event.call_id)
            case ToolStart():
                yield from self._call(event.call_id, event.tool, event.arguments)
            case ToolComplete():
                content = event.results if isinstance(event.results, str) else _json(event.results)
                yield ToolCallResultEvent(
                    message_id=f"{event.call_id}-result", tool_call_id=event.call_id, content=content
                )
            case InputRequested() | ResponseComplete() | TurnFailed():
                yield from self._end_text()
            case _:
                yield _custom(event)

    def approval(self, event: ToolApprovalRequest, arguments: object) -> Iterator[BaseEvent]:
        """Yield the call that waits for approval, so that the front end shows its arguments."""
        yield from self._call(event.call_id, event.tool, arguments)

    def _text(self, event: TokenStream) -> Iterator[BaseEvent]:
        """Yield a piece of a message. Each attempt of a round is a message of its own."""
        message_id = f"{event.turn_id}-{event.round}-{event.attempt}"
        if not event.text:
            return
        if self._open != message_id:
            yield from self._end_text()
            yield TextMessageStartEvent(message_id=message_id, role="assistant")
            self._open = message_id
        yield TextMessageContentEvent(message_id=message_id, delta=event.text)

    def _reasoning(self, event: ReasoningStream) -> Iterator[BaseEvent]:
        """Yield a piece of reasoning. Each attempt of a round is a message of its own."""
        message_id = f"{event.turn_id}-{event.round}-{event.attempt}-reasoning"
        if not event.text:
            return
        if self._open_reasoning != message_id:
            yield from self._end_text()
            yield ReasoningStartEvent(message_id=message_id)
            yield ReasoningMessageStartEvent(message_id=message_id, role="reasoning")
            self._open_reasoning = message_id
        yield ReasoningMessageContentEvent(message_id=message_id, delta=event.text)

    def _end_text(self) -> Iterator[BaseEvent]:
        """Yield the end of the message or of the reasoning that is open."""
        if self._open_reasoning is not None:
            yield ReasoningMessageEndEvent(message_id=self._open_reasoning)
            yield ReasoningEndEvent(message_id=self._open_reasoning)
            self._open_reasoning = None
        if self._open is not None:
            yield TextMessageEndEvent(message_id=self._open)
            self._open = None

    def _call(self, call_id: str, tool: str, arguments: object) -> Iterator[BaseEvent]:
        yield from self._end_text()
        if call_id in self._calls:
            return
        self._calls.add(call_id)
        yield ToolCallStartEvent(tool_call_id=call_id, tool_call_name=tool)
        yield ToolCallArgsEvent(tool_call_id=call_id, delta=_json(arguments))
        yield ToolCallEndEvent(tool_call_id=call_id)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _custom(event: Event, **added: Any) -> CustomEvent:  # noqa: ANN401  (JSON)
    value = event.model_dump(mode="json", exclude={"turn_id"}, exclude_unset=True)
    return CustomEvent(name=f"satchel.{getattr(event, 'update_type', event.type)}", value={**value, **added})


def _approval(event: ToolApprovalRequest) -> Interrupt:
    return Interrupt(
        id=str(InterruptId(event.turn_id, event.seq, event.call_id)),
        reason="tool_approval",
        message=f"{event.tool} needs your approval.",
        tool_call_id=event.call_id,
        response_schema=APPROVAL_SCHEMA,
        expires_at=event.model_dump(mode="json")["expires_at"],
    )


def _question(event: InputRequested) -> Interrupt:
    schema = event.schema_.model_dump(mode="json", exclude_none=True) if event.schema_ else None
    return Interrupt(
        id=str(InterruptId(event.turn_id, event.seq, event.call_id, event.input_id)),
        reason="input_required" if schema else "url_visit",
        message=f"{event.message} {event.url}" if event.url else event.message,
        tool_call_id=event.call_id,
        response_schema=schema,
        expires_at=event.model_dump(mode="json")["expires_at"],
    )

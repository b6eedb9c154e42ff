"""The stream of UI messages of npm `ai`, for its chat transport (`DefaultChatTransport`, `useChat`): version 1.

A chat is a session, and its last message starts a turn. A call that needs approval ends the stream; the front end sends
the chat again with the user's decision. The id of an approval has all that is needed to resume, as in AG-UI.
"""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from local.bridge.ag_ui import InterruptId
from local.bridge.caller import Caller, InvalidRequest, OutOfTime, canceled_on_hang_up
from local.bridge.chat_completions import parse_data_url
from satchel_client import AsyncSession, AsyncTurn, Event, SatchelError
from satchel_client.models import (
    FilesUpdate,
    InputRequested,
    ReasoningStream,
    ResponseComplete,
    TokenStream,
    ToolApprovalRequest,
    ToolComplete,
    ToolStart,
    TurnFailed,
    TurnStarted,
)

HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}
Chunk = dict[str, Any]
_LASTING = {"canvas", "files_update", "input_requested", "notification"}
"""Events that stay in the message. The parts of all others are transient: only `onData` receives them."""


class _Approval(BaseModel):
    id: str
    approved: bool = False
    reason: str | None = None


class _Part(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    type: str
    text: str = ""
    url: str = ""
    filename: str | None = None
    state: str | None = None
    approval: _Approval | None = None


class UIMessage(BaseModel):
    """A message of the chat."""

    id: str
    role: Literal["system", "user", "assistant"]
    parts: list[_Part]


class UIChatRequest(BaseModel):
    """The body that the chat transport sends: the whole chat. Satchel needs its last message only."""

    id: str
    messages: Annotated[list[UIMessage], Field(min_length=1)]
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"


@dataclass(frozen=True)
class UIStream:
    """The events of one turn after a cursor, as the chunks of one stream."""

    caller: Caller
    turn: AsyncTurn
    cursor: int = 0
    message_id: str | None = None
    """The message that the stream continues; None starts a new one."""

    async def lines(self) -> AsyncIterator[str]:
        """Yield the chunks as JSON. An error of Satchel is a chunk, too."""
        try:
            async with canceled_on_hang_up(self.turn):
                async for chunk in self._chunks():
                    yield json.dumps(chunk)
        except SatchelError as error:
            yield json.dumps({"type": "error", "errorText": str(error)})
        yield "[DONE]"

    async def _chunks(self) -> AsyncIterator[Chunk]:
        yield {"type": "start", "messageId": self.message_id or f"{self.turn.turn_id}-answer"}
        yield {"type": "start-step"}
        shown = ShownChunks(self.caller.page(self.turn.session_id))
        try:
            async for chunk in self._follow(shown):
                yield chunk
        except OutOfTime as left:
            for chunk in shown.leave(self.turn.turn_id, left):
                yield chunk

    async def _follow(self, shown: "ShownChunks") -> AsyncIterator[Chunk]:
        async for event in self.caller.follow(self.turn):
            if event.seq <= self.cursor:
                list(shown.add(event))  # the front end has them
                continue
            if isinstance(event, ToolApprovalRequest):
                arguments = (await self.turn.approval(event.call_id)).arguments
                for chunk in shown.approval(event, arguments):
                    yield chunk
                return
            for chunk in shown.add(event):
                yield chunk
            if isinstance(event, FilesUpdate):
                for link in [await self.caller.link(file) for file in event.files]:
                    if link:
                        yield {"type": "file", "url": link.url, "mediaType": link.mime}


class ShownChunks:
    """The events of one turn as chunks, in order. It knows which text is open and which calls are shown."""

    def __init__(self, page: str) -> None:
        self._page = page
        self._open: tuple[str, str] | None = None
        self._calls: set[str] = set()

    def add(self, event: Event) -> Iterator[Chunk]:
        """Yield the chunks for an event of the turn."""
        match event:
            case TokenStream():
                yield from self._text(f"{event.turn_id}-{event.round}-{event.attempt}", event.text)
            case ReasoningStream():
                yield from self._text(f"{event.turn_id}-{event.round}-{event.attempt}", event.text, "reasoning")
            case TurnStarted():
                pass  # `start`
            case ToolApprovalRequest():
                self._calls.add(event.call_id)
            case ToolStart():
                yield from self._call(event.call_id, event.tool, event.arguments)
            case ToolComplete():
                yield _result(event)
            case InputRequested():
                yield _data(event)
                text = f"{event.tool} asks: {event.message} Answer in Satchel: {self._page}"
                yield from self._text(f"{event.call_id}-{event.input_id}", text)
            case ResponseComplete():
                yield from self._end("stop")
            case TurnFailed():
                yield from self._fail(event)
            case _:
                yield _data(event)

    def approval(self, event: ToolApprovalRequest, arguments: object) -> Iterator[Chunk]:
        """Yield the call that waits for approval, and the end of the stream."""
        yield from self._call(event.call_id, event.tool, arguments)
        approval_id = str(InterruptId(event.turn_id, event.seq, event.call_id))
        yield {"type": "tool-approval-request", "approvalId": approval_id, "toolCallId": event.call_id}
        yield from self._end("tool-calls")

    def leave(self, turn_id: str, left: OutOfTime) -> Iterator[Chunk]:
        """Yield where the turn continues, unless a question says already where to answer, and the end of the stream."""
        if not left.is_waiting:
            yield from self._text(f"{turn_id}-continues", str(left))
        yield from self._end("stop")

    def _text(self, text_id: str, text: str, kind: Literal["text", "reasoning"] = "text") -> Iterator[Chunk]:
        """Yield a piece of a text. Each attempt of a round is a text of its own."""
        if not text:
            return
        if self._open != (kind, text_id):
            yield from self._end_text()
            yield {"type": f"{kind}-start", "id": text_id}
            self._open = (kind, text_id)
        yield {"type": f"{kind}-delta", "id": text_id, "delta": text}

    def _end_text(self) -> Iterator[Chunk]:
        if self._open is not None:
            kind, text_id = self._open
            yield {"type": f"{kind}-end", "id": text_id}
            self._open = None

    def _call(self, call_id: str, tool: str, arguments: object) -> Iterator[Chunk]:
        yield from self._end_text()
        if call_id in self._calls:
            return
        self._calls.add(call_id)
        fields = {"toolCallId": call_id, "toolName": tool, "input": arguments}
        yield {"type": "tool-input-available", **fields, "providerExecuted": True, "dynamic": True}

    def _end(self, reason: str) -> Iterator[Chunk]:
        yield from self._end_text()
        yield {"type": "finish-step"}
        yield {"type": "finish", "finishReason": reason}

    def _fail(self, event: TurnFailed) -> Iterator[Chunk]:
        yield from self._end_text()
        if event.status == "cancelled":
            yield {"type": "abort"}
        else:
            yield {"type": "error", "errorText": event.error.message}


def _result(event: ToolComplete) -> Chunk:
    fields = {"toolCallId": event.call_id, "providerExecuted": True, "dynamic": True}
    if not event.is_error:
        return {"type": "tool-output-available", **fields, "output": event.results}
    text = event.results if isinstance(event.results, str) else json.dumps(event.results)
    return {"type": "tool-output-error", **fields, "errorText": text}


def _data(event: Event) -> Chunk:
    name = getattr(event, "update_type", event.type)
    value = event.model_dump(mode="json", exclude={"turn_id"})
    lasting = {} if name in _LASTING else {"transient": True}
    return {"type": f"data-satchel-{name}", "data": value, **lasting}


async def start_stream(caller: Caller, session: AsyncSession, request: UIChatRequest) -> UIStream:
    """Send the last message, or the user's decisions in it. Raise InvalidRequest if the message has neither."""
    message = request.messages[-1]
    if message.role == "user":
        key = f"{request.id}-{message.id}"[:200] if request.trigger == "submit-message" else None
        return UIStream(caller, await _ask(caller, session, message, key))
    approvals = [part.approval for part in message.parts if part.state == "approval-responded" and part.approval]
    if not approvals:
        raise InvalidRequest("The last message must be the user's, or have an answer to an approval.")
    turn, cursor = await _decide(session, approvals)
    return UIStream(caller, turn, cursor, message.id)


async def running_stream(caller: Caller, session: AsyncSession) -> UIStream | None:
    """Return the turn that runs in a session from its start, or None: for a front end that was loaded again."""
    running = (await session.read()).running_turn
    return UIStream(caller, session.turn(running)) if running else None


async def _ask(caller: Caller, session: AsyncSession, message: UIMessage, key: str | None) -> AsyncTurn:
    files: list[str] = []
    for part in message.parts:
        if part.type == "file":
            content, mime = parse_data_url(part.url)
            number = len(files) + 1
            files.append(await caller.upload(session.session_id, content, mime, part.filename, number))
    text = "\n".join(part.text for part in message.parts if part.type == "text")
    return await session.ask(text, files=files, idempotency_key=key)


async def _decide(session: AsyncSession, approvals: Sequence[_Approval]) -> tuple[AsyncTurn, int]:
    """Send the decisions. Return the turn, and the cursor up to which its events have been shown."""
    ids = [InterruptId.parse(approval.id) for approval in approvals]
    last = max(ids, key=lambda each: each.seq)
    turn = session.turn(last.turn_id)
    for approval, interrupt in zip(approvals, ids, strict=True):
        if interrupt.turn_id != last.turn_id or interrupt.seq < last.seq:
            continue  # decided in an earlier request
        if approval.approved:
            await turn.approve(await turn.approval(interrupt.call_id))
        else:
            await turn.deny(interrupt.call_id, reason=approval.reason)
    return turn, last.seq

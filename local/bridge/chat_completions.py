"""Chat completions of OpenAI: a conversation is a session, tools run inside Satchel, files are links in the text.

Clients send the whole history with each message and no id of the conversation. So the bridge remembers which session
has which history, as hashes. A history that it does not know, for example after its restart, becomes a new session
whose first message contains the earlier ones.
"""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel, ConfigDict, Field

from local.bridge.caller import Caller, InvalidRequest, Link, OutOfTime, canceled_on_hang_up
from satchel_client import AsyncSession, AsyncTurn, Event
from satchel_client.models import (
    FinalResponse,
    InputRequested,
    ReasoningStream,
    TokenStream,
    ToolApprovalRequest,
    TurnError,
)

_MAX_CONVERSATIONS = 10_000
SESSION_HEADER = "X-Satchel-Session"


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """A message of the history."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[_Part] | None = None

    @property
    def text(self) -> str:
        """Return the text of the message without its files."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class _StreamOptions(BaseModel):
    include_usage: bool = False


class ChatRequest(BaseModel):
    """A request for a chat completion. Members such as ``temperature`` are ignored: the deployment decides.

    ``tools`` are ignored, too, because front ends such as Open WebUI always send theirs. A request that forces a call
    of one of them is refused.
    """

    model: str
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    stream: bool = False
    stream_options: _StreamOptions | None = None
    n: int | None = None
    tools: list[Any] | None = None
    tool_choice: Any = None

    def check(self) -> None:
        """Raise InvalidRequest for what Satchel cannot do."""
        if self.tools and self.tool_choice not in (None, "auto", "none"):
            raise InvalidRequest("`tool_choice` is not supported: the tools of Satchel run inside Satchel.")
        if self.n not in {None, 1}:
            raise InvalidRequest("`n` must be 1.")
        if self.messages[-1].role != "user":
            raise InvalidRequest("The last message must be the user's.")


class Conversations:
    """The sessions of the latest histories, in memory. A hash says nothing about the messages or the token."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, str] = OrderedDict()

    def find(self, owner: str, history: Sequence[ChatMessage]) -> str | None:
        """Return the session that has exactly this history."""
        return self._sessions.get(_hash(owner, history))

    def remember(self, owner: str, history: Sequence[ChatMessage], session_id: str) -> None:
        """Remember the session of a history."""
        self._sessions[_hash(owner, history)] = session_id
        while len(self._sessions) > _MAX_CONVERSATIONS:
            self._sessions.popitem(last=False)


def _hash(owner: str, history: Sequence[ChatMessage]) -> str:
    messages = [[message.role, message.text.strip()] for message in history]
    return hashlib.sha256(json.dumps([owner, messages]).encode()).hexdigest()


class ChatText:
    """The events of a turn as one text that only grows, because a chat completion can take nothing back."""

    def __init__(self, page: str) -> None:
        self.text = ""
        self._page = page
        self._place = (-1, 0)
        self._attempt = ""
        self._shown = ""
        self.reasoning = ""

    def add_reasoning(self, event: Event) -> str:
        """Return the reasoning that an event adds. Clients show it apart from the text and do not send it again."""
        addition = event.text if isinstance(event, ReasoningStream) else ""
        self.reasoning += addition
        return addition

    def add(self, event: Event) -> str:
        """Return the text that an event adds."""
        match event:
            case TokenStream():
                addition = self._stream(event)
            case ToolApprovalRequest():
                addition = self._paragraph(
                    f"**{event.tool} needs your approval.** Allow or deny it in Satchel: {self._page}"
                )
            case InputRequested():
                addition = self._paragraph(f"**{event.tool} asks: {event.message}** Answer in Satchel: {self._page}")
            case _:
                addition = ""
        self.text += addition
        return addition

    def leave(self, left: OutOfTime) -> str:
        """Return where the turn continues, unless the text says already where to decide."""
        addition = "" if left.is_waiting else self._paragraph(str(left))
        self.text += addition
        return addition

    def end(self, links: Sequence[Link]) -> str:
        """Return the text that follows the answer: links to its files."""
        addition = self._paragraph("\n".join(f"[{link.name}]({link.url})" for link in links)) if links else ""
        self.text += addition
        return addition

    def _stream(self, event: TokenStream) -> str:
        """Return what is new. The text of a new attempt is skipped as long as it repeats the text that is shown."""
        place = (event.round, event.attempt)
        if event.round != self._place[0]:
            self._shown = ""
        if place != self._place:
            self._attempt = ""
        self._place = place
        self._attempt += event.text
        if self._shown.startswith(self._attempt):
            return ""
        if self._attempt.startswith(self._shown):
            addition = self._attempt[len(self._shown) :]
            addition = addition if self._shown else self._paragraph(addition)
        else:
            addition = self._paragraph(self._attempt)
        self._shown = self._attempt
        return addition

    def _paragraph(self, text: str) -> str:
        return f"\n\n{text}" if self.text and text else text


class TurnFailed(Exception):
    """The turn ended without an answer."""

    def __init__(self, error: TurnError | None, status: str) -> None:
        super().__init__(error.message if error else f"The turn ended as {status}.")
        self.code = error.error_code if error else None


class Completion:
    """One request: its session and turn, and the answer in the format of OpenAI."""

    def __init__(self, caller: Caller, request: ChatRequest, session: AsyncSession, turn: AsyncTurn) -> None:
        self._caller, self._request, self._turn = caller, request, turn
        self._text = ChatText(caller.page(session.session_id))
        self._created = int(time.time())
        self.session_id = session.session_id

    async def whole(self) -> Mapping[str, Any]:
        """Return the completion. It ends early if the user must decide something in Satchel, or at the time limit."""
        async with canceled_on_hang_up(self._turn):
            try:
                async for event in self._caller.follow(self._turn):
                    self._text.add_reasoning(event)
                    self._text.add(event)
                    if isinstance(event, ToolApprovalRequest | InputRequested):
                        return self._completion(None)
            except OutOfTime as left:
                self._text.leave(left)
                return self._completion(None)
            response = await self._final_response()
        return self._completion(response)

    async def stream(self) -> AsyncIterator[str]:
        """Yield the chunks as JSON. The stream waits while the user decides something in Satchel, up to its limits."""
        yield self._chunk({"role": "assistant", "content": ""})
        response = None
        async with canceled_on_hang_up(self._turn):
            try:
                async for event in self._caller.follow(self._turn):
                    if reasoning := self._text.add_reasoning(event):
                        yield self._chunk({"reasoning_content": reasoning})
                    if addition := self._text.add(event):
                        yield self._chunk({"content": addition})
                before = self._text.text
                response = await self._final_response()
                ending = self._text.text[len(before) :]
            except OutOfTime as left:
                ending = self._text.leave(left)
        if ending:
            yield self._chunk({"content": ending})
        yield self._chunk({}, "stop")
        if response and self._request.stream_options and self._request.stream_options.include_usage:
            yield json.dumps(self._head("chat.completion.chunk") | {"choices": [], "usage": _usage(response)})
        yield "[DONE]"

    @property
    def history(self) -> list[ChatMessage]:
        """Return the history that the client sends with its next message."""
        return [*self._request.messages, ChatMessage(role="assistant", content=self._text.text)]

    async def _final_response(self) -> FinalResponse:
        response = await self._turn.response()
        if response.status != "complete":
            raise TurnFailed(response.error, response.status)
        if not self._text.text:
            self._text.text = response.message
        self._text.end(await self._caller.links(response))
        return response

    def _completion(self, response: FinalResponse | None) -> Mapping[str, Any]:
        message = {"role": "assistant", "content": self._text.text, "refusal": None}
        if self._text.reasoning:
            message["reasoning_content"] = self._text.reasoning
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        usage = {"usage": _usage(response)} if response else {}
        return self._head("chat.completion") | {"choices": [choice]} | usage

    def _chunk(self, delta: Mapping[str, str], finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
        return json.dumps(self._head("chat.completion.chunk") | {"choices": [choice]})

    def _head(self, kind: str) -> dict[str, Any]:
        fields = {"id": f"chatcmpl-{self._turn.turn_id}", "object": kind, "created": self._created}
        return fields | {"model": self._request.model}


def _usage(response: FinalResponse) -> Mapping[str, int]:
    sent, received = response.usage.input_tokens, response.usage.output_tokens
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


async def start_completion(
    caller: Caller, request: ChatRequest, session_id: str | None, *, idempotency_key: str | None
) -> Completion:
    """Send the last message in its session, or in a new one. Raise InvalidRequest for files that are no data URLs."""
    *history, message = request.messages
    text = message.text
    if session_id is None:
        instructions = "\n\n".join(each.text for each in history if each.role in {"system", "developer"})
        session = await caller.client.start_session(model=request.model, instructions=instructions or None)
        text = _with_history(history, text)
    else:
        session = caller.client.session(session_id)
    files = [
        await caller.upload(session.session_id, content, mime, name, number)
        for number, (content, mime, name) in enumerate(_files(message), 1)
    ]
    turn = await session.ask(text, files=files, idempotency_key=idempotency_key)
    return Completion(caller, request, session, turn)


def _with_history(history: Sequence[ChatMessage], text: str) -> str:
    earlier = [f"{each.role}: {each.text}" for each in history if each.role in {"user", "assistant"}]
    return "\n\n".join(["Earlier in this conversation:", *earlier, "Now:", text]) if earlier else text


def _files(message: ChatMessage) -> Iterator[tuple[str, str, str | None]]:
    """Yield content as base64, MIME type and name of each file of a message."""
    for part in message.content if isinstance(message.content, list) else ():
        extra = part.model_extra or {}
        match part.type:
            case "text":
                continue
            case "image_url":
                image = extra.get("image_url")
                yield (*parse_data_url(image.get("url") if isinstance(image, dict) else image), None)
            case "file":
                file = extra.get("file")
                fields = file if isinstance(file, dict) else {}
                yield (*parse_data_url(fields.get("file_data")), fields.get("filename"))
            case _:
                raise InvalidRequest(f"Parts of the type {part.type!r} are not supported.")


def parse_data_url(url: object) -> tuple[str, str]:
    """Return the content as base64 and the MIME type of a data URL."""
    head, separator, content = url.partition(",") if isinstance(url, str) else ("", "", "")
    if not (separator and head.startswith("data:") and head.endswith(";base64")):
        raise InvalidRequest("A file of a message must be a data URL with base64 (data:image/png;base64,…).")
    return unquote_to_bytes(content).decode("latin-1"), head.removeprefix("data:").partition(";")[0]

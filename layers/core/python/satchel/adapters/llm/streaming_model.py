"""Sends a request to a language model through pydantic_ai, and streams the answer to a listener."""

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.llm.connection import ModelConnection
from satchel.adapters.llm.errors import PROVIDER_ERRORS, check_finish, map_error
from satchel.adapters.llm.messages import (
    PART_SEPARATOR,
    extract_calls,
    extract_text,
    extract_thinking,
    to_parameters,
    to_provider_messages,
    to_token_usage,
)
from satchel.domain.conversation import AssistantMessage, CompletionRequest, ModelReply, ThinkingLevel
from satchel.domain.history import latest_turn, split_rounds
from satchel.domain.llm import ModelTimedOut
from satchel.domain.tools import names_for_request
from satchel.ports.llm import StreamListener
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from concurrent.futures import Future

TRUNCATION_NOTICE = "\n\n[The answer stops here because it reached the model's maximum length.]"
_POLL_SECONDS = 0.1


class _Piece(NamedTuple):
    """The text of one event of the model ("" if it has none). ``is_thinking``: reasoning, and not the answer."""

    text: str
    is_thinking: bool = False


_NO_TEXT = _Piece("")
_Queue = SimpleQueue[_Piece | None]
"""Queue of pieces from the model, None at the end."""


@dataclass(frozen=True)
class Timeouts:
    """Maximum seconds between two events from the model (``silence``), and for the whole answer (``total``)."""

    silence: float = 90.0
    total: float = 270.0


@dataclass(frozen=True)
class StreamingModel:
    """Send requests to one model and stream the answers. Implements ``ports.llm.Model``.

    Requests run on the process's event loop, which owns the connections. The listener, which receives the streamed
    text, runs on the caller's thread, so that a slow listener (one that writes events) does not delay other answers.
    """

    connection: ModelConnection
    settings: ModelSettings
    loop: EventLoop
    clock: Clock
    timeouts: Timeouts

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        names = names_for_request(request)
        parameters = to_parameters(request, names)
        settings = self.connection.settings | self.settings
        if request.must_answer and parameters.function_tools:
            settings |= ModelSettings(tool_choice="none")
        if request.thinking is not None:
            settings |= ModelSettings(thinking=self._thinking(request))
        queue: _Queue = SimpleQueue()
        messages = to_provider_messages(request, names)
        stream = _ResponseStream(self.connection, messages, settings, parameters, queue.put)
        response = self._wait(self.loop.portal.start_task_soon(stream.read), queue, listener, stream)
        text = extract_text(response) + (TRUNCATION_NOTICE if response.finish_reason == "length" else "")
        return ModelReply(
            text=text,
            calls=extract_calls(response, names),
            usage=to_token_usage(response.usage),
            thinking=extract_thinking(response),
        )

    def _thinking(self, request: CompletionRequest) -> ThinkingLevel:
        """Return the level of thinking, or False if the provider would reject a request with it.

        Claude models without adaptive thinking want each round of the current turn to begin with thinking. The calls
        that Satchel makes for attached files have none.
        """
        model = self.connection.model
        is_adaptive = any(model.profile.get(f"{name}_supports_adaptive_thinking") for name in ("anthropic", "bedrock"))
        if model.canonical_system != "anthropic" or is_adaptive:
            return request.thinking or False
        rounds = split_rounds(latest_turn(request.messages))
        replies = [each[0] for each in rounds]
        has_thinking = all(isinstance(reply, AssistantMessage) and reply.thinking for reply in replies)
        return has_thinking and (request.thinking or False)

    def close(self) -> None:
        """Close the HTTP client of the connection."""
        self.loop.portal.call(self.connection.close)

    def _wait(
        self, future: "Future[ModelResponse]", queue: _Queue, listener: StreamListener, stream: "_ResponseStream"
    ) -> ModelResponse:
        future.add_done_callback(lambda _: queue.put(None))
        try:
            self._forward(queue, listener)
            response = future.result()
        except PROVIDER_ERRORS as error:
            raise map_error(error, started=stream.started) from None
        finally:
            future.cancel()
        if problem := check_finish(response):
            raise problem
        return response

    def _forward(self, queue: _Queue, listener: StreamListener) -> None:
        """Pass the model's text to the listener, or "" after 0.1 s without an event. Raise ModelTimedOut on timeout."""
        start = last_event = self.clock.monotonic()
        while True:
            try:
                piece = queue.get(timeout=_POLL_SECONDS)
                last_event = self.clock.monotonic()
            except Empty:
                piece = _NO_TEXT
            if piece is None:
                return
            if piece.is_thinking:
                listener.think(piece.text)
            else:
                listener(piece.text)
            now = self.clock.monotonic()
            if now - last_event > self.timeouts.silence or now - start > self.timeouts.total:
                raise ModelTimedOut


class _ResponseStream:
    """Reads a streamed response on the event loop. Calls ``on_piece`` with the text of each event."""

    def __init__(
        self,
        connection: ModelConnection,
        messages: list[ModelMessage],
        settings: ModelSettings,
        parameters: ModelRequestParameters,
        on_piece: Callable[[_Piece], None],
    ) -> None:
        self._request = (connection.model, messages, settings, parameters)
        self._on_piece = on_piece
        self._has_text = self._has_thinking = False
        self.started = False

    async def read(self) -> ModelResponse:
        """Send the request, read all events of its stream, and return the complete response."""
        model, messages, settings, parameters = self._request
        prepared = model.prepare_messages(messages, parameters)
        async with model.request_stream(prepared, settings, parameters) as stream:
            async for event in stream:
                self.started = True
                self._on_piece(self._piece(event))
            return stream.get()

    def _piece(self, event: ModelResponseStreamEvent) -> _Piece:
        """Return the text of an event. Put a separator before it if the event starts a second or later part."""
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                separator = PART_SEPARATOR if self._has_text and text else ""
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                separator = ""
            case PartStartEvent(part=ThinkingPart(content=text)):
                return self._thought(text, PART_SEPARATOR if self._has_thinking and text else "")
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=thought)):
                return self._thought(thought or "", "")
            case _:
                return _NO_TEXT
        self._has_text = self._has_text or bool(text)
        return _Piece(separator + text)

    def _thought(self, text: str, separator: str) -> _Piece:
        self._has_thinking = self._has_thinking or bool(text)
        return _Piece(separator + text, is_thinking=True)

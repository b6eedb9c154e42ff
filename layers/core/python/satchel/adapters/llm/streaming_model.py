"""One question to one model of pydantic_ai, heard while it is answered."""

from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.llm.connection import Connection
from satchel.adapters.llm.failures import EXPECTED, failure, unfinished
from satchel.adapters.llm.messages import BETWEEN_PARTS, calls_of, history, parameters, text_of, usage_of
from satchel.domain.conversation import CompletionRequest, ModelReply
from satchel.domain.llm import ModelSilent
from satchel.domain.tools import names_for
from satchel.ports.llm import StreamListener
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from concurrent.futures import Future

CUT = "\n\n[The answer ends here: the model may not write more at once.]"
_BEAT = 0.1
_News = SimpleQueue[str | None]


@dataclass(frozen=True)
class Patience:
    """How long a model is waited for, in seconds: while nothing comes, and for the whole answer."""

    silence: float = 90.0
    whole: float = 270.0


@dataclass(frozen=True)
class StreamingModel:
    """Implements ``ports.model.Model``.

    The answer comes on the process's one event loop, to which the connections belong; who asks hears it on his own
    thread, so that what he does meanwhile (writing events) holds up nobody's answer.
    """

    connection: Connection
    settings: ModelSettings
    loop: EventLoop
    clock: Clock
    patience: Patience

    def reply(self, task: CompletionRequest, heard: StreamListener) -> ModelReply:
        """Ask the model once."""
        names = names_for(task)
        given = parameters(task, names)
        settings = self.connection.settings | self.settings
        if task.last_word and given.function_tools:
            settings |= ModelSettings(tool_choice="none")
        news: _News = SimpleQueue()
        speaking = _Speaking(self.connection, history(task, names), settings, given, news.put)
        response = self._hear(self.loop.portal.start_task_soon(speaking.speak), news, heard, speaking)
        text = text_of(response) + (CUT if response.finish_reason == "length" else "")
        return ModelReply(text=text, calls=calls_of(response, names), usage=usage_of(response.usage))

    def close(self) -> None:
        """Hang up."""
        self.loop.portal.call(self.connection.close)

    def _hear(
        self, answer: "Future[ModelResponse]", news: _News, heard: StreamListener, speaking: "_Speaking"
    ) -> ModelResponse:
        answer.add_done_callback(lambda _: news.put(None))
        try:
            self._listen(news, heard)
            response = answer.result()
        except EXPECTED as error:
            raise failure(error, begun=speaking.begun) from None
        finally:
            answer.cancel()
        if problem := unfinished(response):
            raise problem
        return response

    def _listen(self, news: _News, heard: StreamListener) -> None:
        """Pass on what comes, and a beat where nothing does. Raises ModelSilent."""
        begun = last = self.clock.monotonic()
        while True:
            try:
                piece = news.get(timeout=_BEAT)
                last = self.clock.monotonic()
            except Empty:
                piece = ""
            if piece is None:
                return
            heard(piece)
            now = self.clock.monotonic()
            if now - last > self.patience.silence or now - begun > self.patience.whole:
                raise ModelSilent


class _Speaking:
    """The model's half of it, on the event loop. ``tell`` gets each piece of text, and "" at other signs of life."""

    def __init__(
        self,
        connection: Connection,
        messages: list[ModelMessage],
        settings: ModelSettings,
        parameters: ModelRequestParameters,
        tell: Callable[[str], None],
    ) -> None:
        self._asked = (connection.model, messages, settings, parameters)
        self._tell = tell
        self._said = False
        self.begun = False

    async def speak(self) -> ModelResponse:
        """Ask, and return the whole answer."""
        model, messages, settings, parameters = self._asked
        prepared = model.prepare_messages(messages, parameters)
        async with model.request_stream(prepared, settings, parameters) as stream:
            async for event in stream:
                self.begun = True
                self._tell(self._text(event))
            return stream.get()

    def _text(self, event: ModelResponseStreamEvent) -> str:
        """Return what an event adds to the text, with what stands between two parts of it."""
        if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
            text = event.part.content
            between = BETWEEN_PARTS if self._said and text else ""
        elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
            text, between = event.delta.content_delta, ""
        else:
            return ""
        self._said = self._said or bool(text)
        return between + text

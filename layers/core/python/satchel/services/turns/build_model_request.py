"""Build the request to the model: instructions, tools, and as much of the conversation as the token budget allows."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from satchel.contract.binary_types import HEAD_BYTES, guess_mime
from satchel.domain.conversation import AssistantMessage, CompletionRequest, Message, ModelReply
from satchel.domain.history import latest_turn, normalize_turn
from satchel.domain.llm import OFFLINE, ModelCatalog
from satchel.domain.media import PDF, MediaRef
from satchel.domain.media_budget import (
    PICTURE_TYPES,
    MediaSupport,
    fit_media,
    max_media_tokens,
    media_in,
    without_media,
)
from satchel.domain.metrics import TOKENS_IN, TOKENS_OUT
from satchel.domain.prompt import MUST_ANSWER_NOTE, STARTING_NOTE, USER_NOTE, system_prompt
from satchel.domain.sessions import Session, Turn
from satchel.domain.token_budget import FittedConversation, estimate_tokens, fit_to_budget, message_tokens, tool_tokens
from satchel.domain.tool_search import choose_tools
from satchel.domain.turn_messages import TurnMessages, messages_of
from satchel.ports.llm import Model, StreamListener
from satchel.ports.storage import FileStore
from satchel.ports.system import Metrics
from satchel.services.tools.tool_lists import OfferedTools

_PARALLEL_READS = 8
_DELETED = "it was deleted"
_CHANGED = "its content is not what its description says"


@dataclass(frozen=True)
class BuildModelRequest:
    """Build requests to the model. A session's instructions and a model's token limit override the default values.

    The user's own instructions follow those of the deployment or session.
    """

    models: ModelCatalog
    store: FileStore
    instructions: str
    context_tokens: int

    def __call__(
        self,
        turn: Turn,
        session: Session | None,
        turns: Sequence[TurnMessages],
        offered: OfferedTools,
        *,
        tool_use: Mapping[str, int] | None = None,
        must_answer: bool = False,
    ) -> CompletionRequest:
        """Return the request. If ``must_answer`` is True, it tells the model to answer without further tool calls.

        ``turns`` are the conversation, and ``turn`` is the last of them. ``tool_use`` is how often the user has called
        each tool, by full name.
        """
        instructions = (session.instructions if session else None) or self.instructions
        entry = self.models.get(turn.model)
        # The offline model answers with all tools, and no token is paid for them.
        if entry.model == OFFLINE:
            tools = list(offered.tools)
        else:
            tools = choose_tools(offered.tools, messages_of(turns), tool_use or {})
        own = session.user_instructions if session else None
        fixed_notes = [USER_NOTE.format(instructions=own)] if own else []
        notes = [MUST_ANSWER_NOTE] if must_answer else []
        if offered.starting:
            notes.append(STARTING_NOTE.format(servers=", ".join(server.name for server in offered.starting)))
        fixed = estimate_tokens(system_prompt(instructions, *fixed_notes, *notes)) + sum(map(tool_tokens, tools))
        max_tokens = (entry.context_tokens or self.context_tokens) - fixed
        fitted = _fit(turns, MediaSupport.of(entry), max_tokens)
        # The offline model describes what the latest turn shows. The history can have hundreds of pictures.
        shown = latest_turn(fitted.messages) if entry.model == OFFLINE else fitted.messages
        media, missing = self._read_media(shown)
        return CompletionRequest(
            model=entry.model,
            instructions=system_prompt(instructions, *fixed_notes, fitted.note, *notes),
            messages=[_for_model(without_media(each, missing) if missing else each) for each in fitted.messages],
            tools=tools,
            must_answer=must_answer,
            thinking=entry.thinking,
            media=media,
        )

    def _read_media(self, messages: Sequence[Message]) -> tuple[dict[str, bytes], dict[str, str]]:
        """Return the pictures and documents of the messages by S3 key, and why the others cannot be shown."""
        refs = {item.key: item for message in messages for item in media_in(message)}
        if not refs:
            return {}, {}
        with ThreadPoolExecutor(_PARALLEL_READS) as pool:
            contents = dict(zip(refs, pool.map(self._read, refs.values()), strict=True))
        reasons = {key: content for key, content in contents.items() if isinstance(content, str)}
        return {key: content for key, content in contents.items() if isinstance(content, bytes)}, reasons

    def _read(self, media: MediaRef) -> bytes | str:
        """Return the bytes of a picture or document, or the reason why they cannot be shown."""
        try:
            content = self.store.read(media.key, media.size)
        except ValueError:  # the runner that stored the object has replaced it by a larger one
            return _CHANGED
        if content is None:
            return _DELETED
        kind = guess_mime(content[:HEAD_BYTES])
        return content if kind == PDF or kind in PICTURE_TYPES else _CHANGED


def _fit(turns: Sequence[TurnMessages], support: MediaSupport, max_tokens: int) -> FittedConversation:
    """Return as much of the conversation, with its pictures and documents, as ``max_tokens`` allow."""
    *earlier, latest = turns
    current = normalize_turn(latest.messages)
    messages = [message for turn in earlier for message in turn.finished] + current
    if any(turn.has_media for turn in turns):
        return fit_to_budget(fit_media(messages, support, max_media_tokens(max_tokens)), max_tokens)
    tokens = sum(turn.tokens for turn in earlier) + sum(map(message_tokens, current))
    return fit_to_budget(messages, max_tokens, tokens)


def media_tokens(request: CompletionRequest) -> int:
    """Estimate how many of the request's tokens its pictures and documents use."""
    return sum(item.tokens for message in request.messages for item in media_in(message))


def reject_media(request: CompletionRequest) -> CompletionRequest:
    """Return the request without pictures and documents, for a provider that rejected it with them."""
    reasons = dict.fromkeys(request.media, "the provider of the model rejected it")
    messages = [_for_model(without_media(message, reasons)) for message in request.messages]
    return request.model_copy(update={"messages": messages, "media": {}})


def _for_model(message: Message) -> Message:
    return message if isinstance(message, AssistantMessage) else message.for_model()


@dataclass(frozen=True)
class CountTokens:
    """Wrap a ``Model`` and add the tokens that it uses to the metrics. Failed requests are not counted."""

    model: Model
    metrics: Metrics

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        """Return the wrapped model's reply, and count the tokens that the provider reports."""
        reply = self.model.reply(request, listener)
        if reply.usage.input_tokens or reply.usage.output_tokens:
            self.metrics.add(TOKENS_IN, reply.usage.input_tokens, request.model)
            self.metrics.add(TOKENS_OUT, reply.usage.output_tokens, request.model)
        return reply

"""Build the request to the model: instructions, tools, and as much of the conversation as the token budget allows."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.conversation import CompletionRequest, Message, ModelReply, UserMessage
from satchel.domain.history import normalize_history
from satchel.domain.llm import ModelCatalog
from satchel.domain.metrics import TOKENS_IN, TOKENS_OUT
from satchel.domain.prompt import MUST_ANSWER_NOTE, STARTING_NOTE, FileContext, append_file_list, system_prompt
from satchel.domain.sessions import Turn
from satchel.domain.token_budget import estimate_tokens, fit_to_budget, tool_tokens
from satchel.ports.llm import Model, StreamListener
from satchel.ports.sessions import Sessions
from satchel.ports.system import Metrics
from satchel.services.files.file_context import FileContextBuilder
from satchel.services.tools.tool_lists import OfferedTools


@dataclass(frozen=True)
class BuildModelRequest:
    """Build requests to the model. A session's instructions and a model's token limit override the default values."""

    sessions: Sessions
    file_context: FileContextBuilder
    models: ModelCatalog
    instructions: str
    context_tokens: int

    def __call__(
        self, turn: Turn, messages: Sequence[Message], offered: OfferedTools, *, must_answer: bool = False
    ) -> CompletionRequest:
        """Return the request. If ``must_answer`` is True, it tells the model to answer without further tool calls."""
        session = self.sessions.get(turn.user, turn.session_id)
        instructions = (session.instructions if session else None) or self.instructions
        entry = self.models.get(turn.model)
        tools = list(offered.tools)
        notes = [MUST_ANSWER_NOTE] if must_answer else []
        if offered.starting:
            notes.append(STARTING_NOTE.format(servers=", ".join(server.name for server in offered.starting)))
        fixed = estimate_tokens(system_prompt(instructions, *notes)) + sum(map(tool_tokens, tools))
        conversation = _add_file_context(normalize_history(messages), self.file_context(turn))
        fitted = fit_to_budget(conversation, (entry.context_tokens or self.context_tokens) - fixed)
        return CompletionRequest(
            model=entry.model,
            instructions=system_prompt(instructions, fitted.note, *notes),
            messages=fitted.messages,
            tools=tools,
            must_answer=must_answer,
        )


def _add_file_context(messages: list[Message], files: FileContext) -> list[Message]:
    """Add the list of files to the latest user message only."""
    index, message = next((i, m) for i, m in reversed(list(enumerate(messages))) if isinstance(m, UserMessage))
    return [*messages[:index], UserMessage(text=append_file_list(message.text, files)), *messages[index + 1 :]]


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

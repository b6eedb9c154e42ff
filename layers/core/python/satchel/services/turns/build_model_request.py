"""Put together what a model is asked in one round: the conversation within its budget, the tools, what it must know.

Count the tokens of whatever a model is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.conversation import CompletionRequest, Message, ModelReply, UserMessage
from satchel.domain.history import in_form
from satchel.domain.llm import Models
from satchel.domain.metrics import TOKENS_IN, TOKENS_OUT
from satchel.domain.prompt import LAST_WORD, FileContext, system_prompt, with_files
from satchel.domain.sessions import Turn
from satchel.domain.token_budget import fit, tokens, tokens_of_tool
from satchel.ports.llm import Model, StreamListener
from satchel.ports.sessions import Sessions
from satchel.ports.system import Metrics
from satchel.services.files.file_context import FileContextBuilder
from satchel.services.tools.tool_lists import ListTools


@dataclass(frozen=True)
class BuildModelRequest:
    """``instructions`` and ``context_tokens`` are the deployment's; a session and a model may have their own."""

    sessions: Sessions
    file_context: FileContextBuilder
    tools: ListTools
    models: Models
    instructions: str
    context_tokens: int

    def __call__(self, turn: Turn, messages: Sequence[Message], *, last_word: bool = False) -> CompletionRequest:
        """Return the question. ``messages`` are the whole conversation, as it is kept."""
        session = self.sessions.get(turn.user, turn.session_id)
        instructions = (session.instructions if session else None) or self.instructions
        entry = self.models.named(turn.model)
        tools = self.tools.tools(turn.groups, turn.tools)
        notes = [LAST_WORD] if last_word else []
        fixed = tokens(system_prompt(instructions, *notes)) + sum(map(tokens_of_tool, tools))
        told = _in_context(in_form(messages), self.file_context(turn))
        fitted = fit(told, (entry.context_tokens or self.context_tokens) - fixed)
        return CompletionRequest(
            model=entry.model,
            instructions=system_prompt(instructions, fitted.note, *notes),
            messages=fitted.messages,
            tools=tools,
            last_word=last_word,
        )


def _in_context(messages: list[Message], files: FileContext) -> list[Message]:
    """The latest user message gets the file context; earlier ones stand as they were written."""
    last = max(index for index, message in enumerate(messages) if isinstance(message, UserMessage))
    told = messages[last]
    assert isinstance(told, UserMessage)  # noqa: S101  (it was chosen by that)
    return [*messages[:last], UserMessage(text=with_files(told.text, files)), *messages[last + 1 :]]


@dataclass(frozen=True)
class CountTokens:
    """Implements ``ports.model.Model`` before another one; what a question that failed took is not known."""

    model: Model
    metrics: Metrics

    def reply(self, task: CompletionRequest, heard: StreamListener) -> ModelReply:
        """Ask the model, and note what its answer took where it says so."""
        reply = self.model.reply(task, heard)
        if reply.usage.input_tokens or reply.usage.output_tokens:
            self.metrics.add(TOKENS_IN, reply.usage.input_tokens, task.model)
            self.metrics.add(TOKENS_OUT, reply.usage.output_tokens, task.model)
        return reply

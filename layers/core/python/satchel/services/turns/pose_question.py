"""Put together what a model is asked in one round: the conversation within its budget, the tools, what it must know."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.budget import fit, tokens, tokens_of_tool
from satchel.domain.conversation import Message, ModelTask, UserMessage
from satchel.domain.history import in_form
from satchel.domain.models import Models
from satchel.domain.prompt import LAST_WORD, FileContext, instructions, with_files
from satchel.domain.sessions import Turn
from satchel.ports.catalog import Sessions
from satchel.services.files.tell_files import TellFiles
from satchel.services.tools.list_tools import ListTools


@dataclass(frozen=True)
class PoseQuestion:
    """``behaviour`` and ``context_tokens`` are the deployment's; a session and a model may have their own."""

    sessions: Sessions
    tell_files: TellFiles
    tools: ListTools
    models: Models
    behaviour: str
    context_tokens: int

    def __call__(self, turn: Turn, messages: Sequence[Message], *, last_word: bool = False) -> ModelTask:
        """Return the question. ``messages`` are the whole conversation, as it is kept."""
        session = self.sessions.get(turn.user, turn.session_id)
        behaviour = (session.instructions if session else None) or self.behaviour
        entry = self.models.named(turn.model)
        tools = self.tools.tools(turn.groups, turn.tools)
        notes = [LAST_WORD] if last_word else []
        fixed = tokens(instructions(behaviour, *notes)) + sum(map(tokens_of_tool, tools))
        told = _in_context(in_form(messages), self.tell_files(turn))
        fitted = fit(told, (entry.context_tokens or self.context_tokens) - fixed)
        return ModelTask(
            model=entry.model,
            instructions=instructions(behaviour, fitted.note, *notes),
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

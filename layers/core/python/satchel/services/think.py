"""One round of the model: what it says and which tools it wants (state Think)."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.bounds import MOST_ANSWER_CHARS, cut, pieces
from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ModelTask, UserMessage, answered
from satchel.domain.events import NewEvent
from satchel.domain.files import FileRecord, expired
from satchel.domain.ids import call_id
from satchel.domain.prompt import INSTRUCTIONS, with_files
from satchel.domain.sessions import Turn
from satchel.domain.steps import CallRef, NextStep, TurnStep
from satchel.ports.catalog import Calls, Files, Transcript, Turns
from satchel.ports.clock import Clock
from satchel.ports.events import Events
from satchel.ports.model import Model
from satchel.services.list_tools import ListTools

MOST_CALLS = 40
MOST_TOOL_CHARS = 200


@dataclass(frozen=True)
class Think:
    """Runs again after every round of tools until the model wants no more, or may have no more rounds."""

    turns: Turns
    transcript: Transcript
    calls: Calls
    files: Files
    events: Events
    model: Model
    tools: ListTools
    clock: Clock
    most_rounds: int

    def __call__(self, step: TurnStep) -> NextStep:
        """Return the calls to make, or that the turn is done. A second time for the same round answers the same."""
        turn = self.turns.get(step.session_id, step.turn_id)
        if turn is None or turn.ended or step.round >= self.most_rounds:
            return self._next(step, [], done=True)
        reply = self.transcript.reply_of(turn.session_id, turn.turn_id, step.round)
        if reply is None:
            reply = self.transcript.add_reply(turn.session_id, turn.turn_id, step.round, self._ask(turn))
        self._tell(turn, step.round, reply)
        calls = self._calls(turn, step.round, reply)
        self.calls.add(calls)
        return self._next(step, [self._reference(turn, call) for call in calls], done=not calls)

    def _reference(self, turn: Turn, call: Call) -> CallRef:
        """A tool that the person may not use is refused, not asked about."""
        registry = self.tools.registry
        place = registry.split(call.tool)
        may = place is not None and place[0] in registry.open_to(turn.groups)
        return CallRef(call_id=call.call_id, approval=may and registry.asks_first(call.tool))

    @staticmethod
    def _next(step: TurnStep, calls: list[CallRef], *, done: bool) -> NextStep:
        return NextStep(
            user=step.user,
            session_id=step.session_id,
            turn_id=step.turn_id,
            round=step.round + 1,
            calls=calls,
            done=done,
        )

    def _ask(self, turn: Turn) -> AssistantMessage:
        reply = self.model.reply(self._task(turn))
        calls = [wish.model_copy(update={"tool": cut(wish.tool, MOST_TOOL_CHARS)}) for wish in reply.calls]
        return AssistantMessage(text=cut(reply.text, MOST_ANSWER_CHARS), calls=calls[:MOST_CALLS])

    def _tell(self, turn: Turn, round_number: int, reply: AssistantMessage) -> None:
        """Only the answer that stands is told: of two that were asked for, the other is nobody's."""
        for number, piece in enumerate(pieces(reply.text)):
            event = NewEvent(type="token_stream", payload={"text": piece}, once=f"text-{round_number}-{number}")
            self.events.append(turn.turn_id, event)

    def _task(self, turn: Turn) -> ModelTask:
        messages = list(self.transcript.messages(turn.session_id))
        return ModelTask(
            instructions=INSTRUCTIONS,
            messages=_in_context(answered(messages), self._files(turn)),
            tools=self.tools.tools(turn.groups, turn.tools),
        )

    def _files(self, turn: Turn) -> Sequence[FileRecord]:
        """The files of the session, with those that the message names even if they are of another session."""
        mine = list(self.files.of_session(turn.user, turn.session_id))
        known = {file.file_key for file in mine}
        named = [self.files.get(turn.user, key) for key in dict.fromkeys(turn.files) if key not in known]
        now = self.clock.now()
        return [file for file in [*named, *mine] if file is not None and not expired(file, now)]

    @staticmethod
    def _calls(turn: Turn, round_number: int, reply: AssistantMessage) -> list[Call]:
        return [
            Call(
                call_id=call_id(turn.turn_id, round_number, index),
                turn_id=turn.turn_id,
                session_id=turn.session_id,
                user=turn.user,
                tool=wish.tool,
                arguments=wish.arguments,
                ref=wish.ref,
                round=round_number,
                index=index,
            )
            for index, wish in enumerate(reply.calls)
        ]


def _in_context(messages: list[Message], files: Sequence[FileRecord]) -> list[Message]:
    """The latest user message gets the file context; earlier ones stand as they were written."""
    last = max(index for index, message in enumerate(messages) if isinstance(message, UserMessage))
    told = messages[last]
    assert isinstance(told, UserMessage)  # noqa: S101  (it was chosen by that)
    return [*messages[:last], UserMessage(text=with_files(told.text, files)), *messages[last + 1 :]]

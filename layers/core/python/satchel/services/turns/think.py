"""One round of the model: what it says and which tools it wants (state Think)."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage
from satchel.domain.history import rounds_of, turns_of
from satchel.domain.ids import call_id
from satchel.domain.sessions import Turn
from satchel.domain.size_limits import MAX_ANSWER_CHARS, cut
from satchel.domain.steps import MAX_CALLS_IN_ROUND, MAX_CALLS_IN_TURN, MAX_MENDS, CallRef, NextStep, TurnStep
from satchel.ports.calls import Calls
from satchel.ports.llm import Model, StreamListener
from satchel.ports.system import Clock
from satchel.ports.turns import Events, Transcript, Turns
from satchel.services.tools.tool_lists import ListTools
from satchel.services.turns.build_model_request import BuildModelRequest
from satchel.services.turns.token_streamer import TokenStreamer, TurnCancelled

MAX_TOOL_CHARS = 200


@dataclass(frozen=True)
class Think:
    """Runs again after every round of tools until the model wants no more.

    Where it may have no more, for its rounds, its calls or its mistakes, it is asked once for its last word.
    """

    turns: Turns
    transcript: Transcript
    calls: Calls
    events: Events
    build_request: BuildModelRequest
    model: Model
    tools: ListTools
    clock: Clock
    max_rounds: int

    def __call__(self, step: TurnStep) -> NextStep:
        """Return the calls to make, or that the turn is done. A second time for the same round answers the same."""
        turn = self.turns.get(step.session_id, step.turn_id)
        if turn is None or turn.ended or step.round > self.max_rounds:
            return self._next(step, [], done=True)
        try:
            reply = self._reply(turn, step)
        except TurnCancelled:
            reply = None
        if reply is None:
            return self._next(step, [], done=True)
        calls = self._calls(turn, step.round, reply)
        self.calls.add(calls)
        return self._next(step, [self._reference(turn, call) for call in calls], done=not calls)

    def _reference(self, turn: Turn, call: Call) -> CallRef:
        """A tool that the person may not use is refused, not asked about."""
        registry = self.tools.registry
        place = registry.split(call.tool)
        may = place is not None and place[0] in registry.visible_to(turn.groups)
        return CallRef(call_id=call.call_id, approval=may and registry.needs_approval(call.tool))

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

    def _reply(self, turn: Turn, step: TurnStep) -> AssistantMessage | None:
        """Return what the model says in a round, or said when it was asked before, and see that it was told.

        None where it came to no last word, or where the turn was ended while it thought: what it said is nobody's then.
        Of two that were asked for, the answer stands that was kept first. Raises NobodyListens, ModelError.
        """
        telling = TokenStreamer(
            self.events, self.clock, turn.turn_id, step.round, step.tries, lambda: self._open(turn) is not None
        )
        said = self.transcript.stored_reply(turn.session_id, turn.turn_id, step.round)
        if said is not None:
            telling.again(said.text)
            return said
        said = self._new_reply(turn, step.round, telling)
        if said is not None:
            telling.whole(said.text)
        return said

    def _open(self, turn: Turn) -> Turn | None:
        now = self.turns.get(turn.session_id, turn.turn_id)
        return None if now is None or now.ended else now

    def _new_reply(self, turn: Turn, round_number: int, telling: TokenStreamer) -> AssistantMessage | None:
        answer = self._ask(turn, round_number, telling)
        if answer is None or self._open(turn) is None:
            return None
        return self.transcript.add_reply(turn, round_number, answer)

    def _ask(self, turn: Turn, round_number: int, heard: StreamListener) -> AssistantMessage | None:
        messages = self.transcript.messages(turn.session_id)
        this_turn = turns_of(messages)[-1]
        left = MAX_CALLS_IN_TURN - _calls_so_far(this_turn)
        last_word = round_number >= self.max_rounds or left <= 0 or _mistakes(this_turn) > MAX_MENDS
        reply = self.model.reply(self.build_request(turn, messages, last_word=last_word), heard)
        self.turns.spent(turn, reply.usage)
        if last_word and (reply.calls or not reply.text.strip()):
            return None
        calls = _named(turn, round_number, reply.calls[: min(left, MAX_CALLS_IN_ROUND)])
        return AssistantMessage(text=cut(reply.text, MAX_ANSWER_CHARS), calls=calls)

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


def _named(turn: Turn, round_number: int, wishes: Sequence[ProposedCall]) -> list[ProposedCall]:
    """Give the calls our own ids: a provider's may come twice in a session, and another provider may not take them."""
    return [
        ProposedCall(
            tool=cut(wish.tool, MAX_TOOL_CHARS),
            arguments=wish.arguments,
            ref=call_id(turn.turn_id, round_number, index),
        )
        for index, wish in enumerate(wishes)
    ]


def _calls_so_far(turn: Sequence[Message]) -> int:
    return sum(len(message.calls) for message in turn if isinstance(message, AssistantMessage))


def _mistakes(turn: Sequence[Message]) -> int:
    """Count the rounds in which the model called something wrongly."""
    return sum(any(isinstance(said, ToolMessage) and said.mistaken for said in each) for each in rounds_of(turn))

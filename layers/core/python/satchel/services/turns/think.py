"""Run one round of a turn: request the model's reply and return the tool calls that it contains (state Think)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.calls import Call
from satchel.domain.conversation import AssistantMessage, Message, ProposedCall, ToolMessage
from satchel.domain.events import NewEvent
from satchel.domain.history import split_rounds, split_turns
from satchel.domain.ids import call_id
from satchel.domain.sessions import Turn
from satchel.domain.size_limits import MAX_ANSWER_CHARS, truncate
from satchel.domain.steps import MAX_CALLS_IN_ROUND, MAX_CALLS_IN_TURN, MAX_CORRECTIONS, CallRef, NextStep, TurnStep
from satchel.ports.calls import Calls
from satchel.ports.llm import Model, StreamListener
from satchel.ports.system import Clock
from satchel.ports.turns import Events, Transcript, Turns
from satchel.services.tools.tool_lists import ListTools, OfferedTools
from satchel.services.turns.build_model_request import BuildModelRequest
from satchel.services.turns.token_streamer import TokenStreamer, TurnCancelled

MAX_TOOL_CHARS = 200
MAX_WAIT = timedelta(seconds=10)
"""A turn waits so long for servers that are still starting. Then it continues without their tools."""

_MAX_START = timedelta(seconds=90)  # a server start that takes longer was interrupted, so turns do not wait for it


class ServersStarting(Exception):
    """The model request must wait, because servers whose tools the turn may call are still starting."""


@dataclass(frozen=True)
class Think:
    """Request the model's reply. Runs once per round, until a reply contains no tool calls.

    If the turn reaches the maximum number of rounds, calls or invalid calls, ask the model once for a final answer.
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
        """Return the tool calls to make, or ``done`` if there are none. A repeated round returns the same calls."""
        turn = self.turns.get(step.session_id, step.turn_id)
        if turn is None or turn.has_ended or step.round > self.max_rounds:
            return self._next(step, [], done=True)
        try:
            reply = self._reply(turn, step)
        except ServersStarting:
            ids = step.model_dump(include={"user", "session_id", "turn_id", "round"})
            return NextStep(**ids, done=False, waiting=True)
        except TurnCancelled:
            reply = None
        if reply is None:
            return self._next(step, [], done=True)
        calls = self._calls(turn, step.round, reply)
        self.calls.add(calls)
        return self._next(step, [self._reference(turn, call) for call in calls], done=not calls)

    def _reference(self, turn: Turn, call: Call) -> CallRef:
        """Return the call's id, and True if the call needs approval. Calls of forbidden tools fail without approval."""
        registry = self.tools.registry
        place = registry.split_tool_name(call.tool)
        is_visible = place is not None and place[0] in registry.visible_to(turn.groups)
        return CallRef(call_id=call.call_id, approval=is_visible and registry.needs_approval(call.tool))

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
        """Return and publish the round's reply: the stored reply, or a new one. Raise TurnCancelled or ModelError.

        Return None if the final answer is unusable or the turn has ended. Concurrent attempts return the same reply.
        """
        streamer = TokenStreamer(
            self.events, self.clock, turn.turn_id, step.round, step.tries, lambda: self._is_running(turn)
        )
        stored = self.transcript.get_reply(turn.session_id, turn.turn_id, step.round)
        if stored is not None:
            streamer.replay(stored.text)
            return stored
        reply = self._request_reply(turn, step.round, streamer)
        if reply is None or not self._is_running(turn):
            return None
        stored = self.transcript.add_reply(turn, step.round, reply)
        streamer.finish(stored.text)
        return stored

    def _is_running(self, turn: Turn) -> bool:
        current = self.turns.get(turn.session_id, turn.turn_id)
        return current is not None and not current.has_ended

    def _request_reply(self, turn: Turn, round_number: int, listener: StreamListener) -> AssistantMessage | None:
        offered = self._offered(turn, round_number)
        messages = self.transcript.list_messages(turn.session_id)
        this_turn = split_turns(messages)[-1]
        calls_left = MAX_CALLS_IN_TURN - _count_calls(this_turn)
        must_answer = round_number >= self.max_rounds or calls_left <= 0 or _count_mistakes(this_turn) > MAX_CORRECTIONS
        reply = self.model.reply(self.build_request(turn, messages, offered, must_answer=must_answer), listener)
        self.turns.add_usage(turn, reply.usage)
        if must_answer and (reply.calls or not reply.text.strip()):
            return None
        calls = _with_own_ids(turn, round_number, reply.calls[: min(calls_left, MAX_CALLS_IN_ROUND)])
        return AssistantMessage(text=truncate(reply.text, MAX_ANSWER_CHARS), calls=calls)

    def _offered(self, turn: Turn, round_number: int) -> OfferedTools:
        """Return the tools to offer. In the first round, raise ServersStarting if servers are still starting.

        The state machine then waits and tries again, so that no Lambda function runs during the wait. When the turn is
        older than ``MAX_WAIT``, publish the names of the starting servers and offer the tools of the other servers.
        """
        offered = self.tools.offered(turn.groups, turn.tools)
        now = self.clock.now()
        if round_number > 0 or not offered.starting:
            return offered
        if now - turn.created_at < MAX_WAIT and any(
            server.since and now - server.since < _MAX_START for server in offered.starting
        ):
            raise ServersStarting
        payload = {"servers": [server.name for server in offered.starting]}
        event = NewEvent(type="servers_starting", payload=payload, dedupe_key="servers-starting")
        self.events.append(turn.turn_id, event)
        return offered

    @staticmethod
    def _calls(turn: Turn, round_number: int, reply: AssistantMessage) -> list[Call]:
        return [
            Call(
                call_id=call_id(turn.turn_id, round_number, index),
                turn_id=turn.turn_id,
                session_id=turn.session_id,
                user=turn.user,
                tool=proposed.tool,
                arguments=proposed.arguments,
                ref=proposed.ref,
                round=round_number,
                index=index,
            )
            for index, proposed in enumerate(reply.calls)
        ]


def _with_own_ids(turn: Turn, round_number: int, calls: Sequence[ProposedCall]) -> list[ProposedCall]:
    """Replace the provider's call ids with new ids. The old ids may repeat, and other providers may reject them."""
    return [
        ProposedCall(
            tool=truncate(proposed.tool, MAX_TOOL_CHARS),
            arguments=proposed.arguments,
            ref=call_id(turn.turn_id, round_number, index),
        )
        for index, proposed in enumerate(calls)
    ]


def _count_calls(turn: Sequence[Message]) -> int:
    return sum(len(message.calls) for message in turn if isinstance(message, AssistantMessage))


def _count_mistakes(turn: Sequence[Message]) -> int:
    """Return the number of rounds in which the model made an invalid call."""
    return sum(any(isinstance(m, ToolMessage) and m.mistaken for m in messages) for messages in split_rounds(turn))

"""Run one round of a turn: request the model's reply and return the tool calls that it contains (state Think)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.attachments import LOOK, plan_views
from satchel.domain.calls import Call
from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    Message,
    ModelReply,
    ProposedCall,
    TokenUsage,
    ToolHints,
    ToolMessage,
    ToolSpec,
)
from satchel.domain.events import NewEvent
from satchel.domain.history import split_rounds
from satchel.domain.ids import call_id, is_from_app
from satchel.domain.llm import ModelRequestRejected
from satchel.domain.media_budget import MediaSupport
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.size_limits import MAX_ANSWER_CHARS, truncate
from satchel.domain.steps import MAX_CALLS_IN_ROUND, MAX_CALLS_IN_TURN, MAX_CORRECTIONS, CallRef, NextStep, TurnStep
from satchel.domain.turn_messages import TurnMessages
from satchel.ports.calls import Calls
from satchel.ports.llm import Model, StreamListener
from satchel.ports.steps import Round, RoundRecords, Steps
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Events, Transcript, Turns
from satchel.services.side_by_side import side_by_side
from satchel.services.tools.tool_lists import ListTools, OfferedTools
from satchel.services.turns.build_model_request import BuildModelRequest, media_tokens, reject_media
from satchel.services.turns.finish_turn import count_tool_use, count_turn, last_event
from satchel.services.turns.make_title import MakeTitle
from satchel.services.turns.token_streamer import TokenStreamer, TurnCancelled

_NOT_LISTED = ToolHints(read_only=True)  # a tool that is not listed fails without approval
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
    steps: Steps
    transcript: Transcript
    events: Events
    calls: Calls
    build_request: BuildModelRequest
    model: Model
    tools: ListTools
    make_title: MakeTitle
    clock: Clock
    metrics: Metrics
    max_rounds: int

    def __call__(self, step: TurnStep) -> NextStep:
        """Return the tool calls to make, or ``done`` if there are none. A repeated round returns the same calls.

        Before the turn has an execution, two invocations may run its first round. If the other one was faster, return
        ``ended``.
        """
        is_first = step.round == 0 and step.tries == 0
        find_number = self.events.expect_first if is_first else self.events.read_last_number
        turns, records, _ = side_by_side(
            lambda: [] if is_from_app(step.turn_id) else self.transcript.list_turns(step.session_id, step.turn_id),
            lambda: self.steps.read_round(step),
            lambda: find_number(step.turn_id),
        )
        turn = records.turn
        if turn is None or self._is_over(turn, step):
            return self._next(step, [], done=True)
        try:
            reply, ended = self._reply(turn, step, records, turns)
        except ServersStarting:
            ids = step.model_dump(include={"user", "session_id", "turn_id", "round"})
            return NextStep(**ids, done=False, waiting=True)
        except TurnCancelled:
            return self._next(step, [], done=True, ended=not step.has_execution)
        if reply is None or ended:
            return self._next(step, [], done=True, ended=ended)
        calls = self._calls(turn, step.round, reply)
        tools = self._known_tools(turn, records.tools_version) if calls else []
        return self._next(step, [self._reference(turn, call, tools) for call in calls], done=not calls)

    def _is_over(self, turn: Turn, step: TurnStep) -> bool:
        """Return True if there is no reply to request: the turn has ended, was an app's call, or had its last round."""
        if turn.is_from_app and step.round >= turn.first_round:
            return True
        return turn.user != step.user or turn.has_ended or step.round > self.max_rounds + turn.first_round

    def _known_tools(self, turn: Turn, version: int) -> Sequence[ToolSpec]:
        if not turn.is_from_app:
            return self.tools.offered(turn.groups, version=version).tools
        return [tool for server in self.tools(turn.groups, version) for tool in server.tools or []]

    def _reference(self, turn: Turn, call: Call, tools: Sequence[ToolSpec]) -> CallRef:
        """Return the call's id, and True if the call needs approval. Calls of forbidden tools fail without approval."""
        registry = self.tools.registry
        place = registry.split_tool_name(call.tool)
        if place is None or place[0] not in registry.visible_to(turn.groups):
            return CallRef(call_id=call.call_id, approval=False)
        stored = {tool.full_name: tool for tool in tools}
        tool = stored.get(call.tool) or ToolSpec(server=place[0], name=place[1], hints=_NOT_LISTED)
        entry = registry.servers[place[0]]
        asks = entry.needs_approval_of_app(tool) if turn.is_from_app else entry.needs_approval(tool)
        return CallRef(call_id=call.call_id, approval=asks)

    @staticmethod
    def _next(step: TurnStep, calls: list[CallRef], *, done: bool, ended: bool = False) -> NextStep:
        return NextStep(
            user=step.user,
            session_id=step.session_id,
            turn_id=step.turn_id,
            round=step.round + 1,
            calls=calls,
            done=done,
            ended=ended,
        )

    def _reply(
        self, turn: Turn, step: TurnStep, records: RoundRecords, turns: Sequence[TurnMessages]
    ) -> tuple[AssistantMessage | None, bool]:
        """Return and publish the round's reply: the stored reply, or a new one. Raise TurnCancelled or ModelError.

        Return None if the final answer is unusable or the turn has ended. Concurrent attempts return the same reply.
        Also return True if this reply has ended the turn.
        """
        streamer = TokenStreamer(
            self.events,
            self.clock,
            turn.turn_id,
            step.round,
            step.tries,
            lambda: self._is_running(turn),
            is_only_writer=not step.has_execution,
        )
        stored = records.reply
        if stored is not None:
            streamer.replay(stored.text)
            return stored, False
        reply, usage = self._prepared_reply(turn, step.round, records, turns), TokenUsage()
        if reply is None:
            reply, usage = self._request_reply(turn, step.round, records, turns, streamer)
        if reply is None:
            self.turns.add_usage(turn, usage)
            return None, False
        try:
            rest = streamer.publish_all_but_last(reply.text)
        except TurnCancelled:
            self.turns.add_usage(turn, usage)
            raise
        done = Round(step.round, reply, self._calls(turn, step.round, reply), usage, rest)
        if not reply.calls and self._end(turn, done):
            return reply, True
        stored = self.steps.save_round(turn, done)
        if stored != reply:
            self.turns.add_usage(turn, usage)
            if stored is not None:
                streamer.replay(stored.text)
        return stored, False

    def _end(self, turn: Turn, done: Round) -> bool:
        """End the turn together with its last round. If anything has interfered, return False."""
        calls = self.calls.list(turn.turn_id) if done.number else []
        ended = turn.model_copy(
            update={
                "status": TurnStatus.COMPLETE,
                "answer": done.reply.text,
                "ended_at": self.clock.now(),
                "usage": turn.usage + done.usage,
            }
        )
        if not self.steps.save_answer(turn, done, ended, last_event(ended, calls), count_tool_use(calls)):
            return False
        count_turn(self.metrics, ended)
        return True

    def _prepared_reply(
        self, turn: Turn, round_number: int, records: RoundRecords, turns: Sequence[TurnMessages]
    ) -> AssistantMessage | None:
        """Return the calls that prepare files for the next model request: attached files, or pictures of tools.

        Return None if there is nothing to prepare.
        """
        is_before_model = round_number < turn.first_round
        calls = turn.prepared if is_before_model else self._views(turn, round_number, records, turns)
        return AssistantMessage(text="", calls=_with_own_ids(turn, round_number, calls)) if calls else None

    def _views(
        self, turn: Turn, round_number: int, records: RoundRecords, turns: Sequence[TurnMessages]
    ) -> list[ProposedCall]:
        """Return the calls that make the large pictures of the latest tool results small enough for the model.

        They count as calls and as a round of the turn. Return none if the model must answer now, or if the turn may
        not call ``documents.look``.
        """
        this_turn = turns[-1].messages
        rounds = split_rounds(this_turn)
        support = MediaSupport.of(self.build_request.models.get(turn.model))
        views = plan_views(rounds[-1], support) if rounds else []
        if not views or self._must_answer(turn, round_number, this_turn):
            return []
        tools = self.tools.offered(turn.groups, turn.tools, records.tools_version).tools
        if LOOK not in {tool.full_name for tool in tools}:
            return []
        return views[: _calls_left(this_turn)]

    def _must_answer(self, turn: Turn, round_number: int, this_turn: Sequence[Message]) -> bool:
        """Return True if the turn has reached its maximum number of rounds, calls or invalid calls."""
        is_last = round_number >= self.max_rounds + turn.first_round
        return is_last or _calls_left(this_turn) <= 0 or _count_mistakes(this_turn) > MAX_CORRECTIONS

    def _is_running(self, turn: Turn) -> bool:
        current = self.turns.get(turn.session_id, turn.turn_id)
        return current is not None and not current.has_ended

    def _request_reply(
        self,
        turn: Turn,
        round_number: int,
        records: RoundRecords,
        turns: Sequence[TurnMessages],
        listener: StreamListener,
    ) -> tuple[AssistantMessage | None, TokenUsage]:
        """Return the model's reply and its tokens. The reply is None if it is no usable final answer."""
        offered = self._offered(turn, round_number, records.tools_version)
        this_turn = turns[-1].messages
        must_answer = self._must_answer(turn, round_number, this_turn)
        request = self.build_request(
            turn, records.session, turns, offered, tool_use=records.tool_use, must_answer=must_answer
        )
        with self.make_title.beside(turn, round_number, records.session, turns):
            reply = self._ask(request, listener)
        if must_answer and (reply.calls or not reply.text.strip()):
            return None, reply.usage
        calls = _with_own_ids(turn, round_number, reply.calls[: min(_calls_left(this_turn), MAX_CALLS_IN_ROUND)])
        thinking = reply.thinking if calls else []  # no later request of the turn needs that of the answer
        return AssistantMessage(
            text=truncate(reply.text, MAX_ANSWER_CHARS), calls=calls, thinking=thinking
        ), reply.usage

    def _ask(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        """Send a request. If the provider rejects it, send it without pictures: one may be damaged or unsupported."""
        try:
            reply = self.model.reply(request, listener)
        except ModelRequestRejected:
            if not request.media:
                raise
        else:
            return reply.model_copy(update={"usage": reply.usage + TokenUsage(media_tokens=media_tokens(request))})
        listener.restart()
        return self.model.reply(reject_media(request), listener)

    def _offered(self, turn: Turn, round_number: int, tools_version: int) -> OfferedTools:
        """Return the tools to offer. In the first round, raise ServersStarting if servers are still starting.

        The state machine then waits and tries again, so that no Lambda function runs during the wait. When the turn is
        older than ``MAX_WAIT``, publish the names of the starting servers and offer the tools of the other servers.
        """
        offered = self.tools.offered(turn.groups, turn.tools, tools_version)
        now = self.clock.now()
        if round_number > turn.first_round or not offered.starting:
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


def _calls_left(turn: Sequence[Message]) -> int:
    """Return how many tool calls the turn may still make."""
    return MAX_CALLS_IN_TURN - sum(len(message.calls) for message in turn if isinstance(message, AssistantMessage))


def _count_mistakes(turn: Sequence[Message]) -> int:
    """Return the number of rounds in which the model made an invalid call."""
    return sum(any(isinstance(m, ToolMessage) and m.mistaken for m in messages) for messages in split_rounds(turn))

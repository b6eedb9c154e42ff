"""A turn that is cancelled has ended within two seconds, wherever it was, and nothing of it goes on."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from satchel.bootstrap.functions import use_cases
from satchel.domain.calls import Decision
from satchel.domain.conversation import CompletionRequest, ModelReply, UserMessage
from satchel.domain.errors import ApprovalClosed
from satchel.domain.events import ENDS
from satchel.domain.sessions import Turn, TurnStatus
from satchel.ports.llm import StreamListener
from tests.integration.turn.model import Plan, PlannedModel
from tests.integration.turn.turns import Asker, Turns, handler_of

MAX_SECONDS = 2.0


@contextmanager
def within_two_seconds() -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < MAX_SECONDS


def cancel(turns: Turns, asker: Asker, turn: Turn) -> None:
    """Cancel a turn and look that it has ended: its record, its last event, its session."""
    assert use_cases().cancel_turn(asker.who, turn.session_id, turn.turn_id) is TurnStatus.CANCELLED
    assert turns.now(turn).status is TurnStatus.CANCELLED
    assert [event.type for event in turns.events(turn) if event.type in ENDS] == ["turn_failed"]
    session = use_cases().read_sessions(asker.who, turn.session_id)
    assert session.running_turn is None


def test_while_its_tool_runs_the_tool_is_killed(turns: Turns) -> None:
    asker = turns.asker()
    turn = turns.begin(asker, [[("wait", {}), ("wait", {})]])
    running = [turns.bench.waiting.get(timeout=10) for _ in range(2)]
    with within_two_seconds():
        cancel(turns, asker, turn)
        assert turns.status(turn) == "ABORTED"
        assert all(call.killed.wait(MAX_SECONDS) for call in running)
    (first, second) = use_cases().read_audit(asker.who, turn.session_id, 10, None).items
    assert (first.error_code, second.error_code) == ("E_CANCELLED", "E_CANCELLED")


def test_while_its_owner_is_asked_the_call_is_never_made(turns: Turns) -> None:
    asker = turns.asker()
    made = turns.bench.called.count("ask")
    turn = turns.begin(asker, [[("ask", {"name": "a.txt", "text": ""})]])
    turns.wait(lambda: turns.events(turn)[-1].type == "tool_approval_request")
    with within_two_seconds():
        cancel(turns, asker, turn)
        assert turns.status(turn) == "ABORTED"
    (call,) = use_cases().ports.calls.list(turn.turn_id)
    with pytest.raises(ApprovalClosed):
        use_cases().decide_approval(asker.who, turn.session_id, turn.turn_id, call.call_id, Decision(approved=True))
    assert turns.bench.called.count("ask") == made


class Slow:
    """The model, which says nothing to one message until it may, and the function that asks it."""

    def __init__(self, message: str) -> None:
        self.asked, self.may_speak, self.over = threading.Event(), threading.Event(), threading.Event()
        self._message, self._planned, self._think = message, PlannedModel.reply, handler_of("think")

    def reply(self, task: CompletionRequest, heard: StreamListener) -> ModelReply:
        said = self._planned(PlannedModel(), task, heard)
        if isinstance(last := task.messages[-1], UserMessage) and last.text.startswith(self._message):
            self.asked.set()
            assert self.may_speak.wait(20)
        return said

    def think(self, event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda's event and context)
        try:
            return self._think(event, context)
        finally:
            if self.may_speak.is_set():
                self.over.set()


def test_while_the_model_thinks_nobody_hears_what_it_says_then(turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    asker, called = turns.asker(), len(turns.bench.called)
    plan: Plan = [[("say", {"size": 77})]]
    slow = Slow(json.dumps(plan))
    monkeypatch.setattr(PlannedModel, "reply", slow.reply)
    with turns.instead("think", slow.think):
        turn = turns.begin(asker, plan)
        assert slow.asked.wait(10)
        with within_two_seconds():
            cancel(turns, asker, turn)
        told = turns.events(turn)
        assert turns.run(asker, []).status is TurnStatus.COMPLETE  # the session is free though the model still thinks
        slow.may_speak.set()
        assert slow.over.wait(10)
        assert turns.status(turn) == "ABORTED"  # moto's interpreter waits for the function; AWS does not
    assert turns.events(turn) == told
    assert use_cases().ports.calls.list(turn.turn_id) == []
    assert len(turns.bench.called) == called

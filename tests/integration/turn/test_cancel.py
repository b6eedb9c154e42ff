"""A cancelled turn ends within two seconds, in any state, and nothing of it continues."""

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
from satchel.domain.events import FINAL_EVENTS
from satchel.domain.sessions import Turn, TurnStatus
from satchel.ports.llm import StreamListener
from tests.integration.turn.fakes import Script, ScriptedModel
from tests.integration.turn.turn_driver import TurnDriver, UserSession, real_handler
from tests.priority import prioritized

MAX_SECONDS = 2.0


@contextmanager
def within_two_seconds() -> Iterator[None]:
    with prioritized():
        started = time.monotonic()
        yield
        seconds = time.monotonic() - started
    assert seconds < MAX_SECONDS


def cancel(turns: TurnDriver, session: UserSession, turn: Turn) -> None:
    """Cancel a turn, and assert that its record, its last event and its session show the end."""
    assert use_cases().cancel_turn(session.user, turn.session_id, turn.turn_id) is TurnStatus.CANCELLED
    assert turns.load(turn).status is TurnStatus.CANCELLED
    assert [event.type for event in turns.events(turn) if event.type in FINAL_EVENTS] == ["turn_failed"]
    stored = use_cases().read_sessions(session.user, turn.session_id)
    assert stored.running_turn is None


def test_cancel_kills_running_tools_within_two_seconds(turns: TurnDriver) -> None:
    session = turns.new_session()
    turn = turns.start(session, [[("wait", {}), ("wait", {})]])
    running = [turns.bench.waiting.get(timeout=60) for _ in range(2)]
    with within_two_seconds():
        cancel(turns, session, turn)
        assert turns.wait_for_execution(turn) == "ABORTED"
        assert all(call.killed.wait(MAX_SECONDS) for call in running)
    (first, second) = use_cases().read_audit(session.user, turn.session_id, 10, None).items
    assert (first.error_code, second.error_code) == ("E_CANCELLED", "E_CANCELLED")


def test_cancel_during_an_approval_prevents_the_call(turns: TurnDriver) -> None:
    session = turns.new_session()
    calls_before = turns.bench.called_tools.count("ask")
    turn = turns.start(session, [[("ask", {"name": "a.txt", "text": ""})]])
    turns.wait_until(lambda: turns.events(turn)[-1].type == "tool_approval_request")
    with within_two_seconds():
        cancel(turns, session, turn)
        assert turns.wait_for_execution(turn) == "ABORTED"
    (call,) = use_cases().ports.calls.list(turn.turn_id)
    with pytest.raises(ApprovalClosed):
        use_cases().decide_approval(session.user, turn.session_id, turn.turn_id, call.call_id, Decision(approved=True))
    assert turns.bench.called_tools.count("ask") == calls_before


class PausingModel:
    """A model that waits before its reply to one message, and the handler think that uses it."""

    def __init__(self, message: str) -> None:
        self.requested, self.may_reply, self.finished = threading.Event(), threading.Event(), threading.Event()
        self._message, self._scripted_reply, self._think = message, ScriptedModel.reply, real_handler("think")

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        reply = self._scripted_reply(ScriptedModel(), request, listener)
        if isinstance(last := request.messages[-1], UserMessage) and last.text.startswith(self._message):
            self.requested.set()
            assert self.may_reply.wait(100)
        return reply

    def think(self, event: Any, context: Any) -> object:  # noqa: ANN401  (a Lambda's event and context)
        try:
            return self._think(event, context)
        finally:
            if self.may_reply.is_set():
                self.finished.set()


def test_cancel_during_a_model_request_ignores_the_reply(turns: TurnDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    session, calls_before = turns.new_session(), len(turns.bench.called_tools)
    script: Script = [[("say", {"size": 77})]]
    model = PausingModel(json.dumps(script))
    monkeypatch.setattr(ScriptedModel, "reply", model.reply)
    with turns.replaced("think", model.think):
        turn = turns.start(session, script)
        assert model.requested.wait(60)
        with within_two_seconds():
            cancel(turns, session, turn)
        events = turns.events(turn)
        assert turns.run(session, []).status is TurnStatus.COMPLETE  # the session is free although the model still runs
        model.may_reply.set()
        assert model.finished.wait(60)
    assert use_cases().ports.workflow.is_running(turn.turn_id) is None  # the first round started no execution
    assert turns.events(turn) == events
    assert use_cases().ports.calls.list(turn.turn_id) == []
    assert len(turns.bench.called_tools) == calls_before

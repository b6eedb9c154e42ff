"""The first round of a turn, which runs before the turn has an execution."""

from collections.abc import Callable

import pytest

from satchel.domain.conversation import ModelReply, ProposedCall, TokenUsage
from satchel.domain.events import NewEvent
from satchel.domain.ids import call_id
from satchel.domain.llm import ContentFiltered, ModelThrottled, ModelTimedOut
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.steps import CallRef, NextStep, TurnStep
from satchel.services.turns import first_round
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.world import World, turn_step

ECHO = ProposedCall(tool="report.echo", arguments='{"text": "a"}', ref="m-1")


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def first_step(turn: Turn) -> TurnStep:
    return turn_step(turn).model_copy(update={"has_execution": False})


def run(world: World, turn: Turn) -> NextStep:
    return world.use_cases.run_first_round(first_step(turn))


def stored(world: World, turn: Turn) -> Turn:
    found = world.turns.get(turn.session_id, turn.turn_id)
    assert found is not None
    return found


def repeated(turn: Turn) -> NextStep:
    return NextStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id, tries=1, done=False)


def test_answer_ends_the_turn_without_an_execution(world: World, turn: Turn) -> None:
    world.model.replies = [ModelReply(text="Hello, you.")]

    assert run(world, turn).ended
    assert (stored(world, turn).status, stored(world, turn).answer) == (TurnStatus.COMPLETE, "Hello, you.")
    assert world.workflow.executions == []


def test_execution_continues_after_calls(world: World, turn: Turn) -> None:
    world.model.replies = [ModelReply(text="", calls=[ECHO])]

    run(world, turn)

    (step,) = world.workflow.executions
    expected = CallRef(call_id=call_id(turn.turn_id, 0, 0))
    assert (step.turn_id, step.round, step.tries, step.calls) == (turn.turn_id, 1, 0, [expected])


def test_answer_that_think_cannot_end_is_ended_without_an_execution(world: World, turn: Turn) -> None:
    world.model.replies = [ModelReply(text="Hello.")]
    world.model.during_reply = lambda: world.turns.add_usage(turn, TokenUsage(input_tokens=5))

    ids = {"user": turn.user, "session_id": turn.session_id, "turn_id": turn.turn_id}
    assert run(world, turn) == NextStep(**ids, round=1, done=True, ended=True)
    assert (stored(world, turn).status, stored(world, turn).answer) == (TurnStatus.COMPLETE, "Hello.")
    assert world.workflow.executions == []


@pytest.mark.parametrize("error", [ContentFiltered(), ModelTimedOut()])
def test_final_error_of_the_model_fails_the_turn_with_its_code(
    world: World, turn: Turn, error: ContentFiltered | ModelTimedOut
) -> None:
    world.model.replies = [error]

    assert run(world, turn).ended
    failed = stored(world, turn)
    assert (failed.status, failed.error and failed.error.error_code) == (TurnStatus.FAILED, error.code)
    assert world.workflow.executions == []


@pytest.mark.parametrize("error", [ModelThrottled(), KeyError("a bug")])
def test_execution_repeats_the_round_after_another_error(
    world: World, turn: Turn, error: ModelThrottled | KeyError, caplog: pytest.LogCaptureFixture
) -> None:
    world.model.replies = [error]

    assert run(world, turn) == repeated(turn)
    logged = [record.message for record in caplog.records if record.name == first_round.__name__]
    expected = "the first round failed, so an execution repeats it"
    assert logged == ([expected] if isinstance(error, KeyError) else [])
    assert world.workflow.executions == [repeated(turn)]
    assert not stored(world, turn).has_ended


def test_execution_waits_if_servers_are_starting(world: World, turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = NextStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id, done=False, waiting=True)
    monkeypatch.setattr(type(world.use_cases.think), "__call__", lambda *_: waiting)

    run(world, turn)

    (step,) = world.workflow.executions
    assert (step.round, step.calls) == (0, [])


def test_slower_invocation_of_the_same_round_stops_at_its_first_text(world: World, turn: Turn) -> None:
    world.events.append(turn.turn_id, NewEvent(type="token_stream", payload={"text": "Hi", "round": 0, "attempt": 0}))
    world.model.replies = [ModelReply(text="Hello, you.")]

    assert run(world, turn).ended
    assert world.events.streamed_text(turn.turn_id) == {0: "Hi"}
    assert not stored(world, turn).has_ended
    assert world.workflow.executions == []


def test_cancelled_turn_stays_cancelled(world: World, turn: Turn) -> None:
    world.model.replies = [ModelReply(text="Hello, you.")]
    world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)

    run(world, turn)

    assert stored(world, turn).status is TurnStatus.CANCELLED
    assert world.workflow.executions == []


class ImmediateTimer:
    """A timer that runs its work at the start if its delay is at most ``elapsed``."""

    elapsed = 0.0

    def __init__(self, delay: float, work: Callable[..., None], args: list[object]) -> None:
        self.daemon = False
        self._is_due, self._work, self._args = delay <= self.elapsed, work, args

    def start(self) -> None:
        if self._is_due:
            self._work(*self._args)

    def cancel(self) -> None:
        """Do nothing: the work has run, or its time has not come."""


@pytest.mark.parametrize(("seconds", "is_seen"), [(4.9, False), (5.0, True)])
def test_round_that_takes_five_seconds_shows_that_it_runs(
    world: World, turn: Turn, monkeypatch: pytest.MonkeyPatch, *, seconds: float, is_seen: bool
) -> None:
    monkeypatch.setattr(ImmediateTimer, "elapsed", seconds)
    monkeypatch.setattr(first_round, "Timer", ImmediateTimer)
    world.model.replies = [ModelReply(text="Hello.")]

    run(world, turn)

    assert (stored(world, turn).seen_at is not None) is is_seen


def test_waits_before_the_round_count_as_its_time(world: World, turn: Turn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_round, "Timer", ImmediateTimer)
    world.clock.advance(5)
    world.model.replies = [ModelReply(text="Hello.")]

    run(world, turn)

    assert stored(world, turn).seen_at is not None


def test_failure_to_show_that_it_runs_does_not_fail_the_round(
    world: World, turn: Turn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no connection")

    monkeypatch.setattr(ImmediateTimer, "elapsed", 5.0)
    monkeypatch.setattr(first_round, "Timer", ImmediateTimer)
    monkeypatch.setattr(world.turns, "mark_seen", fail)
    world.model.replies = [ModelReply(text="Hello.")]

    assert run(world, turn).ended
    assert stored(world, turn).answer == "Hello."
    [message] = [record.message for record in caplog.records if record.name == first_round.__name__]
    assert message == "readers may end the turn, because they do not see that it runs"

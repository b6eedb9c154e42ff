"""The quota of running tool calls: a call past it waits for the user's other calls."""

import pytest

from satchel.domain.calls import Call, RunnerReport
from satchel.domain.quotas import CALL_LEASE, TooManyRunningCalls
from satchel.domain.steps import Failure, TurnStep
from satchel.ports.runners import RunnerAnswer
from satchel.services.turns.finish_turn import Ending
from satchel.settings import QuotaSettings
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World, call_step

ARGUMENTS = '{"text": "hi"}'


@pytest.fixture(autouse=True)
def _one_call(world: World) -> None:
    world.quotas = QuotaSettings(user_running_calls=1)


def dispatch(world: World, call: Call) -> None:
    world.use_cases.dispatch_tool(call_step(call, f"token of {call.call_id}"))


@pytest.fixture
def first(world: World) -> Call:
    """Return a running call of Alice."""
    call = world.call(world.turn(world.session()), arguments=ARGUMENTS)
    dispatch(world, call)
    return call


@pytest.fixture
def second(world: World) -> Call:
    """Return a call of Alice, in another session, that is not dispatched yet."""
    return world.call(world.turn(world.session()), arguments=ARGUMENTS)


def started(world: World) -> list[str]:
    return [order.call_id for _, order in world.runners.orders]


def test_call_past_the_quota_does_nothing_and_asks_the_workflow_to_wait(
    world: World, first: Call, second: Call
) -> None:
    with pytest.raises(TooManyRunningCalls, match=f"{ALICE.name} runs 1 tool calls"):
        dispatch(world, second)

    assert started(world) == [first.call_id]
    assert "tool_start" not in [event.type for event in world.events.list_after(second.turn_id, 0, 10)]


def test_call_starts_after_the_result_of_the_other_is_recorded(world: World, first: Call, second: Call) -> None:
    world.finish_call(first, RunnerReport(results={}))

    dispatch(world, second)

    assert started(world) == [first.call_id, second.call_id]


def test_call_starts_after_another_that_ended_while_dispatch_waited(world: World, second: Call) -> None:
    world.runners.on_run = lambda _order: RunnerAnswer(report=RunnerReport(results={}), has_events=False)
    first = world.call(world.turn(world.session()), arguments=ARGUMENTS)
    dispatch(world, first)

    dispatch(world, second)

    assert started(world) == [first.call_id, second.call_id]


def test_call_starts_after_the_turn_of_the_other_was_cancelled(world: World, first: Call, second: Call) -> None:
    step = TurnStep(user=first.user, session_id=first.session_id, turn_id=first.turn_id)
    world.use_cases.finish_turn(step, Ending.CANCELLED)

    dispatch(world, second)


def test_call_starts_after_the_other_had_no_end_for_sixteen_minutes(world: World, first: Call, second: Call) -> None:
    world.clock.advance(CALL_LEASE.total_seconds() - 1)
    with pytest.raises(TooManyRunningCalls):
        dispatch(world, second)
    world.clock.advance(1)

    dispatch(world, second)

    assert started(world) == [first.call_id, second.call_id]


def test_repeated_dispatch_of_the_running_call_is_not_refused(world: World, first: Call) -> None:
    dispatch(world, first)


def test_calls_of_another_user_are_not_counted(world: World, first: Call) -> None:
    call = world.call(world.turn(world.session(BOB), who=BOB), arguments=ARGUMENTS)

    dispatch(world, call)

    assert started(world) == [first.call_id, call.call_id]


@pytest.mark.usefixtures("first")
def test_built_in_tool_needs_no_free_call(world: World) -> None:
    dispatch(world, world.call(world.turn(world.session()), "satchel.list_files"))


@pytest.mark.usefixtures("first")
def test_call_that_waited_in_vain_fails_with_an_error_that_allows_a_retry(world: World, second: Call) -> None:
    result = world.finish_call(second, failure=Failure(Error=TooManyRunningCalls.__name__, Cause="{}"))

    assert (result.is_error, result.error_code) == (True, "E_TOOL_FAILED")
    assert result.meta_data is not None
    assert (result.meta_data["reason"], result.meta_data["retryable"]) == ("Busy", True)
    assert "as many as one user may run at a time" in str(result.results)
    assert world.quota_counts.read(ALICE.name, world.clock.now()).running_calls == 1

"""A turn ends once, whatever brings it to its end."""

import logging

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import AssistantMessage, ModelReply, ProposedCall
from satchel.domain.llm import ModelError
from satchel.domain.metrics import TURN_DURATION, TURNS
from satchel.domain.responses import TurnError
from satchel.domain.sessions import Turn, TurnStatus
from satchel.domain.steps import Failure
from satchel.services.turns.finish_turn import Ending
from tests.unit.services.samples import ALICE
from tests.unit.services.wiring import MAX_ROUNDS
from tests.unit.services.world import World, turn_step

CALLS = [ProposedCall(tool="report.echo", arguments="{}", ref="m-1")]
FAILED = TurnError(
    error_code="E_TURN_FAILED",
    message="Something went wrong while the answer was made. What the tools had finished is kept; please try again.",
)
TIMED_OUT = TurnError(error_code="E_TURN_TIMEOUT", message="The turn took longer than a turn may take and was ended.")
CANCELLED = TurnError(error_code="E_CANCELLED", message="The turn was cancelled.")
TOO_MANY = TurnError(
    error_code="E_TOO_MANY_ROUNDS",
    message=f"The model asked for tools in {MAX_ROUNDS} rounds without coming to an answer; no turn goes further than "
    "that. What the tools had finished is kept: write on to let it continue.",
)


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def said(world: World, turn: Turn, text: str, round_number: int = 0, *, asks: bool = False) -> None:
    """Let the model have said something."""
    message = AssistantMessage(text=text, calls=CALLS if asks else [])
    world.transcript.add_reply(turn, round_number, message)


def kept(world: World, turn: Turn) -> Turn:
    found = world.turns.get(turn.session_id, turn.turn_id)
    assert found is not None
    return found


def last_event(world: World, turn: Turn) -> tuple[str, object]:
    """Return the one event that ends a turn."""
    ((kind, payload),) = world.events.payloads(turn.turn_id, "response_complete", "turn_failed")
    return kind, payload


def test_an_answer_completes_the_turn(world: World, turn: Turn) -> None:
    said(world, turn, "Here you are.")
    world.clock.travel(3)
    assert world.use_cases.finish_turn(turn_step(turn, 1)) is TurnStatus.COMPLETE
    ended = {"status": TurnStatus.COMPLETE, "answer": "Here you are.", "ended_at": world.clock.now()}
    assert kept(world, turn) == turn.model_copy(update=ended)
    assert last_event(world, turn) == (
        "response_complete",
        {
            "response": {
                "turn_id": turn.turn_id,
                "session_id": turn.session_id,
                "status": "complete",
                "message": "Here you are.",
                "model": "quick",
                "usage": {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0},
                "artifacts": [],
                "deferred_artifacts": [],
                "display": {"open_canvas": False, "storage_action": "store"},
                "tool_calls": [],
            }
        },
    )


def test_the_answer_of_the_last_round_counts(world: World, turn: Turn) -> None:
    said(world, turn, "One moment.", 0, asks=True)
    said(world, turn, "It was a.", 1)
    world.use_cases.finish_turn(turn_step(turn, 2))
    assert kept(world, turn).answer == "It was a."


def test_the_last_event_refers_to_files_and_repeats_neither_results_nor_content(world: World, turn: Turn) -> None:
    call = world.call(turn)
    files = [world.stored_file(call, "a.html")]
    world.finish_call(call, RunnerReport(results="a long result", meta_data={"n": "fact"}, files=files))
    said(world, turn, "Made.")
    world.use_cases.finish_turn(turn_step(turn, 1))
    ((_, told),) = world.events.payloads(turn.turn_id, "response_complete")
    response = told["response"]
    assert [a["name"] for a in response["artifacts"]] == ["a.html"]
    assert [set(summary) for summary in response["tool_calls"]] == [
        {"call_id", "tool", "server", "is_error", "duration_ms"},
    ]


def test_the_session_is_free_again(world: World, turn: Turn) -> None:
    said(world, turn, "Hi.")
    world.use_cases.finish_turn(turn_step(turn, 1))
    session = world.sessions.get(ALICE.name, turn.session_id)
    assert session is not None
    assert session.running_turn is None


MODEL_ERRORS = ModelError.__subclasses__()


def told(kind: type[ModelError]) -> TurnError:
    return TurnError(error_code=kind.code, message=kind.user_message)


@pytest.mark.parametrize(
    ("ending", "failure", "status", "error"),
    [
        (Ending.NORMAL, Failure(Error="KeyError", Cause="x"), TurnStatus.FAILED, FAILED),
        *((Ending.NORMAL, Failure(Error=kind.__name__), TurnStatus.FAILED, told(kind)) for kind in MODEL_ERRORS),
        (Ending.LOST, None, TurnStatus.FAILED, FAILED),
        (Ending.LOST, Failure(Error="KeyError"), TurnStatus.FAILED, FAILED),
        (Ending.TIMED_OUT, None, TurnStatus.FAILED, TIMED_OUT),
        (Ending.TIMED_OUT, Failure(Error="States.Timeout"), TurnStatus.FAILED, TIMED_OUT),
        (Ending.CANCELLED, None, TurnStatus.CANCELLED, CANCELLED),
        (Ending.CANCELLED, Failure(Error="KeyError"), TurnStatus.CANCELLED, CANCELLED),
    ],
)
def test_every_other_ending_has_its_own_error(
    world: World, turn: Turn, ending: Ending, failure: Failure | None, status: TurnStatus, error: TurnError
) -> None:
    assert world.use_cases.finish_turn(turn_step(turn, failure=failure), ending) is status
    ended = {"status": status, "error": error, "ended_at": world.clock.now()}
    assert kept(world, turn) == turn.model_copy(update=ended)
    assert last_event(world, turn) == ("turn_failed", {"status": status, "error": error.model_dump()})


def test_a_model_that_asked_for_tools_to_the_last_has_no_answer(world: World, turn: Turn) -> None:
    for number in range(MAX_ROUNDS):
        world.model.replies.append(ModelReply(text="Again.", calls=CALLS))
        step = world.use_cases.think(turn_step(turn, number))
        assert not step.done
    world.model.replies = [ModelReply(text="Again.", calls=CALLS)]
    step = world.use_cases.think(turn_step(turn, MAX_ROUNDS))
    assert (step.done, world.use_cases.finish_turn(step)) == (True, TurnStatus.FAILED)
    assert (kept(world, turn).error, kept(world, turn).answer) == (TOO_MANY, "")


def test_a_failure_past_the_answer_still_is_one_and_the_answer_is_kept(world: World, turn: Turn) -> None:
    said(world, turn, "Here.")
    world.use_cases.finish_turn(turn_step(turn, 1, Failure(Error="States.TaskFailed")))
    assert (kept(world, turn).error, kept(world, turn).answer) == (FAILED, "Here.")


def test_the_cause_is_logged_and_told_to_nobody(world: World, turn: Turn, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    world.use_cases.finish_turn(turn_step(turn, failure=Failure(Error="KeyError", Cause="secret trace")))
    assert "secret" not in world.events.stored_json(turn.turn_id) + kept(world, turn).model_dump_json()
    assert [record.message for record in caplog.records] == ["turn failed"]


@pytest.mark.parametrize("second", list(Ending))
@pytest.mark.parametrize("first", list(Ending))
def test_the_first_end_stands_and_is_told_once(world: World, turn: Turn, first: Ending, second: Ending) -> None:
    said(world, turn, "Hi.")
    status = world.use_cases.finish_turn(turn_step(turn, 1), first)
    before = kept(world, turn), last_event(world, turn)
    world.clock.travel(60)
    assert world.use_cases.finish_turn(turn_step(turn, 1, Failure(Error="KeyError")), second) is status
    assert (kept(world, turn), last_event(world, turn)) == before


def test_a_crash_between_the_end_and_the_telling_is_made_good(world: World, turn: Turn) -> None:
    world.turns.end(turn.model_copy(update={"status": TurnStatus.COMPLETE, "answer": "Hi."}))
    assert world.use_cases.finish_turn(turn_step(turn), Ending.LOST) is TurnStatus.COMPLETE
    assert last_event(world, turn)[0] == "response_complete"


def test_of_two_that_end_a_turn_at_once_one_is_told(world: World, turn: Turn) -> None:
    """The other one writes its end after we have read the turn, and before we write ours."""
    end = world.turns.end

    def second(ours: Turn) -> bool:
        end(ours.model_copy(update={"status": TurnStatus.CANCELLED, "error": CANCELLED}))
        return end(ours)

    said(world, turn, "Hi.")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.turns, "end", second)
        assert world.use_cases.finish_turn(turn_step(turn, 1)) is TurnStatus.CANCELLED
    assert last_event(world, turn)[0] == "turn_failed"


def test_a_turn_that_there_is_not_is_our_own_mistake(world: World, turn: Turn) -> None:
    with pytest.raises(LookupError):
        world.use_cases.finish_turn(turn_step(turn).model_copy(update={"session_id": world.session().session_id}))


# Metrics


def test_turn_is_counted_once_by_its_status(world: World) -> None:
    turn = world.turn(world.session())
    world.clock.travel(2.5)
    for _ in range(2):
        world.use_cases.finish_turn(turn_step(turn), Ending.CANCELLED)
    assert world.metrics.values_of(TURNS) == [(1, "cancelled")]
    assert world.metrics.values_of(TURN_DURATION) == [(2500, "cancelled")]

"""The sweep: expired files, ended and idle sessions, interrupted erasures."""

from datetime import timedelta

import pytest

from satchel.contract import Display
from satchel.domain.errors import FileNotFound
from satchel.domain.sessions import SessionStatus, TurnStatus
from satchel.services.sweep import SweepCounts
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.wiring import SESSION_IDLE
from tests.unit.services.world import World

HOUR = 3600
TEMPORARY = Display(storage_action="temporary")


def sweep(world: World) -> SweepCounts:
    return world.use_cases.sweep(lambda: True)


# Expiry


@pytest.mark.clause("v2.1:deferred:swept", "v2.1:deferred:expires-hours", "v2.1:deferred:by-name")
def test_deferred_file_is_readable_until_it_expires_and_then_swept(world: World) -> None:
    session = world.session()
    record = world.tool_file(session, "draft.docx", expires_hours=5)
    turn = world.turn(session, files=["draft.docx"])
    assert turn.files == [record.file_key]
    world.complete(turn)
    world.clock.advance(5 * HOUR - 30)
    assert sweep(world).files == 0
    assert world.use_cases.read_files(ALICE, record.file_key) == record
    world.clock.advance(30)
    with pytest.raises(FileNotFound):
        world.use_cases.read_files(ALICE, record.file_key)
    assert record.key in world.store.objects
    world.clock.advance(10)
    assert sweep(world).files == 1
    assert (record.key in world.store.objects, world.files.get(ALICE.name, record.file_key)) == (False, None)
    assert sweep(world) == SweepCounts()


def test_one_sweep_deletes_all_expired_files_and_no_others(world: World) -> None:
    for number in range(450):
        world.expire_after(world.upload(f"{number}.csv", who=BOB if number % 2 else ALICE))
    stays = world.upload("stays.csv")
    world.clock.advance(2 * HOUR)
    assert sweep(world).files == 450
    assert (world.files.list_all(), list(world.store.objects)) == ([stays], [stays.key])


def test_sweep_interrupted_between_bytes_and_records_is_completed_by_the_next(world: World) -> None:
    world.expire_after(world.upload("a.csv"))
    world.clock.advance(2 * HOUR)

    def fail(_records: object) -> int:
        raise OSError("the table was away")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.file_reaper, "remove", fail)
        with pytest.raises(OSError, match="away"):
            sweep(world)
    assert (world.store.objects, len(world.files.list_all())) == ({}, 1)
    assert sweep(world).files == 1
    assert world.files.list_all() == []


def test_sweep_without_time_does_nothing(world: World) -> None:
    world.expire_after(world.upload("a.csv"))
    world.clock.advance(2 * HOUR)
    assert world.use_cases.sweep(lambda: False) == SweepCounts()
    assert len(world.files.list_all()) == 1


# Ended sessions


def test_sweep_cleans_up_an_ended_session(world: World) -> None:
    session = world.session()
    world.tool_file(session, "scratch.html", temporary=True)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    assert sweep(world).cleared_sessions == 1
    assert world.files.list_all() == []


# Stuck turns


def test_sweep_ends_a_turn_whose_execution_stopped_without_an_event(world: World) -> None:
    turn = world.turn(world.session())
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance(299)
    assert sweep(world) == SweepCounts()
    world.clock.advance(1)
    assert sweep(world) == SweepCounts(stuck_turns=1)
    ended = world.turns.get(turn.session_id, turn.turn_id)
    assert ended is not None
    assert (ended.status, ended.error and ended.error.error_code) == (TurnStatus.FAILED, "E_TURN_FAILED")
    assert [event.type for event in world.events.list_after(turn.turn_id, 0, 100)][-1] == "turn_failed"
    session = world.sessions.get(turn.user, turn.session_id)
    assert session is not None
    assert session.running_turn is None
    assert sweep(world) == SweepCounts()


def test_sweep_does_not_end_a_turn_whose_execution_runs(world: World) -> None:
    turn = world.turn(world.session())
    world.clock.advance(3 * HOUR)
    assert sweep(world) == SweepCounts()
    assert world.turns.get(turn.session_id, turn.turn_id) == turn


def test_running_turns_do_not_hide_a_stuck_turn_that_is_newer(world: World) -> None:
    for _ in range(5):
        world.turn(world.session())
    stuck = world.turn(world.session())
    world.workflow.lose_execution(stuck.turn_id)
    world.clock.advance(HOUR)
    assert sweep(world).stuck_turns == 1


# Idle sessions


def test_idle_session_is_ended_and_cleaned_up(world: World) -> None:
    session = world.session()
    world.clock.advance(60)
    world.complete(world.turn(session))
    scratch = world.tool_file(session, "scratch.html", temporary=True)
    world.clock.advance(SESSION_IDLE.total_seconds() - 1)
    assert sweep(world).idle_sessions == 0
    world.clock.advance(1)
    counts = sweep(world)
    assert (counts.idle_sessions, counts.cleared_sessions) == (1, 1)
    assert (world.reload_session(session).status, world.reload_session(session).epoch) == (SessionStatus.ENDED, 2)
    assert world.files.get(ALICE.name, scratch.file_key) is None


def test_session_with_a_running_turn_is_not_idle(world: World) -> None:
    session = world.session()
    world.turn(session)
    world.clock.advance(2 * SESSION_IDLE.total_seconds())
    assert sweep(world).idle_sessions == 0
    assert world.reload_session(session).status is SessionStatus.ACTIVE


def test_session_used_meanwhile_is_not_ended(world: World) -> None:
    session = world.session()
    world.clock.advance(2 * SESSION_IDLE.total_seconds())
    idle = world.sessions.list_idle(world.clock.now() - SESSION_IDLE, 10)
    world.complete(world.turn(session))
    assert [each.session_id for each in idle] == [session.session_id]
    since = world.clock.now() - timedelta(days=1)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now(), idle_since=since)
    assert world.reload_session(session).status is SessionStatus.ACTIVE


def test_interrupted_erasure_is_continued(world: World) -> None:
    world.erasures.begin(ALICE.name, world.clock.now())
    assert sweep(world).erasures == 1
    assert world.erasure_starter.started == [ALICE.name]


def test_temporary_session_is_deleted_for_good_after_a_day(world: World) -> None:
    session = world.use_cases.start_session(ALICE, temporary=True)
    listed = world.session()
    world.complete(world.turn(session))
    running = world.use_cases.start_session(ALICE, temporary=True)
    world.turn(running)
    world.clock.advance(24 * HOUR - 1)
    assert sweep(world).temporary_sessions == 0
    world.clock.advance(1)
    assert sweep(world).temporary_sessions == 1
    assert world.sessions.get(ALICE.name, session.session_id) is None
    for stays in (listed, running):
        assert world.reload_session(stays).status is SessionStatus.ACTIVE
    world.clock.advance(HOUR)
    assert sweep(world).cleared_sessions == 1
    assert world.sessions.list_deleted(ALICE.name, 10, None).items == []

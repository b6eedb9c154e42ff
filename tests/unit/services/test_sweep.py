"""What goes by itself, what a session leaves behind, and what is kept after all; time goes by as the tests say."""

from datetime import timedelta

import pytest

from satchel.contract import Display
from satchel.domain.calls import RunnerReport
from satchel.domain.errors import FileNotFound, SessionEnded
from satchel.domain.files import FileRecord, Source
from satchel.domain.sessions import Session, SessionStatus
from satchel.services.sessions.clean_up_session import GRACE
from satchel.services.sweep import SweepCounts
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.wiring import SESSION_IDLE
from tests.unit.services.world import World

HOUR = 3600
TEMPORARY = Display(storage_action="temporary")


def waiting(world: World, session: Session, name: str = "draft.docx", hours: int = 72) -> FileRecord:
    """Let a tool have made a file that waits."""
    turn = world.turn(session)
    call = world.call(turn)
    draft = world.stored_file(
        call, name, deferred=True, reason="needs_editing", next_actions=["Edit it"], expires_hours=hours
    )
    world.finish_call(call, RunnerReport(files=[draft]))
    world.complete(turn)
    record = next(world.files.list_by_name(ALICE.name, session.session_id, name), None)
    assert record is not None
    return record


def temporary(world: World, session: Session, name: str = "scratch.html") -> FileRecord:
    """Let a tool have made a file that goes with its session."""
    turn = world.turn(session)
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, name)], display=TEMPORARY))
    world.complete(turn)
    record = next(world.files.list_by_name(ALICE.name, session.session_id, name), None)
    assert record is not None
    return record


def sweep(world: World) -> SweepCounts:
    return world.use_cases.sweep(lambda: True)


def ended(world: World, session: Session) -> Session:
    kept = world.sessions.get(session.user, session.session_id)
    assert kept is not None
    return kept


# Expiry


@pytest.mark.clause("v2.1:deferred:swept", "v2.1:deferred:expires-hours", "v2.1:deferred:by-name")
def test_a_file_that_waits_is_there_to_the_hour_and_then_gone_with_its_bytes(world: World) -> None:
    session = world.session()
    record = waiting(world, session, hours=5)
    turn = world.turn(session, files=["draft.docx"])
    assert turn.files == [record.file_key]
    world.complete(turn)
    world.clock.travel(5 * HOUR - 30)
    assert sweep(world).files == 0
    assert world.use_cases.read_files(ALICE, record.file_key) == record
    world.clock.travel(30)
    with pytest.raises(FileNotFound):
        world.use_cases.read_files(ALICE, record.file_key)
    assert record.key in world.store.objects
    world.clock.travel(10)
    assert sweep(world).files == 1
    assert (record.key in world.store.objects, world.files.get(ALICE.name, record.file_key)) == (False, None)
    assert sweep(world) == SweepCounts()


def test_of_very_many_expired_files_all_go_in_one_sweep_and_nothing_else(world: World) -> None:
    for number in range(450):
        world.expire_after(world.upload(f"{number}.csv", who=BOB if number % 2 else ALICE))
    stays = world.upload("stays.csv")
    world.clock.travel(2 * HOUR)
    assert sweep(world).files == 450
    assert (world.files.list_all(), list(world.store.objects)) == ([stays], [stays.key])


def test_a_sweep_that_was_broken_off_between_bytes_and_records_is_finished_by_the_next(world: World) -> None:
    world.expire_after(world.upload("a.csv"))
    world.clock.travel(2 * HOUR)

    def away(_records: object) -> int:
        raise OSError("the table was away")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.file_reaper, "remove", away)
        with pytest.raises(OSError, match="away"):
            sweep(world)
    assert (world.store.objects, len(world.files.list_all())) == ({}, 1)
    assert sweep(world).files == 1
    assert world.files.list_all() == []


def test_without_time_a_sweep_leaves_all_to_the_next(world: World) -> None:
    world.expire_after(world.upload("a.csv"))
    world.clock.travel(2 * HOUR)
    assert world.use_cases.sweep(lambda: False) == SweepCounts()
    assert len(world.files.list_all()) == 1


# Keeping


def test_a_file_that_waits_can_be_kept_and_then_stays(world: World) -> None:
    record = waiting(world, world.session())
    assert world.store.objects[record.key].tags == {"expire-days": "7"}
    kept = world.use_cases.keep_file(ALICE, record.file_key)
    assert kept == record.model_copy(
        update={"source": Source.GENERATED, "expires_at": None, "reason": None, "next_actions": []}
    )
    assert world.store.objects[record.key].tags == {}
    world.clock.travel(400 * 24 * HOUR)
    assert sweep(world).files == 0
    assert world.use_cases.read_files(ALICE, record.file_key) == kept
    assert world.use_cases.keep_file(ALICE, record.file_key) == kept


def test_a_file_that_has_expired_cannot_be_kept_any_more_nor_somebody_elses(world: World) -> None:
    record = waiting(world, world.session(), hours=1)
    with pytest.raises(FileNotFound):
        world.use_cases.keep_file(BOB, record.file_key)
    world.clock.travel(HOUR)
    with pytest.raises(FileNotFound):
        world.use_cases.keep_file(ALICE, record.file_key)


def test_a_temporary_file_that_is_kept_outlives_its_session(world: World) -> None:
    session = world.session()
    record = temporary(world, session)
    world.use_cases.keep_file(ALICE, record.file_key)
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.use_cases.read_files(ALICE, record.file_key).temporary is False


def test_a_file_that_goes_with_a_session_that_has_ended_cannot_be_kept(world: World) -> None:
    session = world.session()
    record = temporary(world, session)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    with pytest.raises(SessionEnded):
        world.use_cases.keep_file(ALICE, record.file_key)


def test_bytes_lose_their_mark_before_the_file_is_said_to_stay(world: World) -> None:
    record = waiting(world, world.session())

    def away(_record: object, *, while_open: bool) -> FileRecord:
        assert (while_open, world.store.objects[record.key].tags) == (False, {})
        raise OSError("the table was away")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.file_reaper, "promote", away)
        with pytest.raises(OSError, match="away"):
            world.use_cases.keep_file(ALICE, record.file_key)
    assert world.use_cases.read_files(ALICE, record.file_key) == record


# What a session leaves behind


def test_the_events_of_a_session_go_when_nobody_can_be_reading_them_any_more(world: World) -> None:
    session = world.session()
    turn = world.turn(session)
    world.complete(turn)
    told = world.events.list_after(turn.turn_id, 0, 100)
    world.use_cases.end_session(ALICE, session.session_id)
    sweep(world)
    assert world.events.list_after(turn.turn_id, 0, 100) == told
    assert len(told) > 1
    world.clock.travel(GRACE.total_seconds())
    assert sweep(world).cleared_sessions == 1
    assert world.events.list_after(turn.turn_id, 0, 100) == told[-1:]
    assert world.use_cases.read_turn.is_fully_read(turn.turn_id, told[-1].seq)
    assert sweep(world) == SweepCounts()


def test_what_a_late_call_puts_into_a_session_that_has_ended_goes_as_well(world: World) -> None:
    session = world.session()
    call = world.call(world.turn(session))
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "late.html")]))
    assert [file.name for file in world.files.list_all()] == ["late.html"]
    world.clock.travel(GRACE.total_seconds())
    sweep(world)
    assert world.files.list_all() == []


def test_a_session_that_was_not_cleared_is_cleared_by_the_sweep(world: World) -> None:
    session = world.session()
    temporary(world, session)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    assert sweep(world).cleared_sessions == 1
    assert world.files.list_all() == []


def test_without_time_a_session_stays_to_be_cleared(world: World) -> None:
    session = world.session()
    temporary(world, session)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    assert world.use_cases.clean_up_session(ended(world, session), lambda: False) is False
    assert world.use_cases.clean_up_session(ended(world, session), lambda: True) is True
    assert world.files.list_all() == []


def test_a_session_that_has_not_ended_is_not_cleared(world: World) -> None:
    with pytest.raises(ValueError, match="has not ended"):
        world.use_cases.clean_up_session(world.session(), lambda: True)


# Idleness


def test_a_session_that_nobody_uses_ends_by_itself(world: World) -> None:
    session = world.session()
    world.clock.travel(60)
    world.complete(world.turn(session))
    scratch = temporary(world, session)
    world.clock.travel(SESSION_IDLE.total_seconds() - 1)
    assert sweep(world).idle_sessions == 0
    world.clock.travel(1)
    swept = sweep(world)
    assert (swept.idle_sessions, swept.cleared_sessions) == (1, 1)
    assert (ended(world, session).status, ended(world, session).epoch) == (SessionStatus.ENDED, 2)
    assert world.files.get(ALICE.name, scratch.file_key) is None


def test_a_session_whose_turn_runs_is_in_use(world: World) -> None:
    session = world.session()
    world.turn(session)
    world.clock.travel(2 * SESSION_IDLE.total_seconds())
    assert sweep(world).idle_sessions == 0
    assert ended(world, session).status is SessionStatus.ACTIVE


def test_a_session_that_is_used_again_in_that_moment_does_not_end(world: World) -> None:
    session = world.session()
    world.clock.travel(2 * SESSION_IDLE.total_seconds())
    found = world.sessions.list_idle(world.clock.now() - SESSION_IDLE, 10)
    world.complete(world.turn(session))
    assert [each.session_id for each in found] == [session.session_id]
    since = world.clock.now() - timedelta(days=1)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now(), idle_since=since)
    assert ended(world, session).status is SessionStatus.ACTIVE


def test_an_erasure_that_was_broken_off_goes_on(world: World) -> None:
    world.erasures.begin(ALICE.name, world.clock.now())
    assert sweep(world).erasures == 1
    assert world.erasure_starter.started == [ALICE.name]

"""Starting, listing, reading and ending sessions."""

from datetime import datetime

import pytest

from satchel.contract import Display
from satchel.domain.calls import RunnerReport
from satchel.domain.errors import FileNotFound, InvalidRequest, SessionNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import TurnId
from satchel.domain.sessions import Session, SessionChanges, SessionStatus
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def made(world: World, session: Session, name: str, *, temporary: bool = False) -> FileRecord:
    """Let a tool have made a file in a session."""
    turn = world.turn(session)
    call = world.call(turn)
    display = Display(storage_action="temporary") if temporary else None
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, name)], display=display))
    world.complete(turn)
    record = next(world.files.list_by_name(ALICE.name, session.session_id, name), None)
    assert record is not None
    return record


def names(world: World) -> list[str]:
    """Return the names of Alice's files that there are still, as records and as bytes."""
    records = world.files.list(ALICE.name, 100, None).items
    assert {record.key for record in records} <= set(world.store.objects)
    return sorted(record.name for record in records)


def ended(world: World, session: Session) -> Session:
    kept = world.sessions.get(ALICE.name, session.session_id)
    assert kept is not None
    return kept


def test_a_session_is_started_now_for_who_asks(world: World) -> None:
    session = world.use_cases.start_session(ALICE, SessionChanges(title="Sales"))
    now = world.clock.now()
    assert session == Session(
        session_id=session.session_id, user=ALICE.name, title="Sales", created_at=now, last_used_at=now
    )
    assert world.use_cases.read_sessions(ALICE, session.session_id) == session


def test_sessions_are_listed_newest_first_page_by_page(world: World) -> None:
    made_ids = []
    for _ in range(5):
        world.clock.travel(1)
        made_ids.append(world.session().session_id)
    world.session(BOB)
    listed, cursor = [], None
    for _ in range(3):
        page = world.use_cases.read_sessions.list(ALICE, 2, cursor)
        listed += [session.session_id for session in page.items]
        cursor = page.cursor
    assert (listed, cursor) == (made_ids[::-1], None)


def test_a_cursor_of_no_list_is_refused(world: World) -> None:
    with pytest.raises(InvalidRequest):
        world.use_cases.read_sessions.list(ALICE, 2, "nonsense")


def test_the_turns_of_a_session_are_listed_oldest_first(world: World) -> None:
    session = world.session()
    for message in ("One", "Two", "Three"):
        world.clock.travel(1)
        world.complete(world.turn(session, message))
    page = world.use_cases.read_sessions.list_turns(session, 2, None)
    assert [turn.message for turn in page.items] == ["One", "Two"]
    assert [turn.message for turn in world.use_cases.read_sessions.list_turns(session, 2, page.cursor).items] == [
        "Three"
    ]


def test_somebody_elses_session_is_not_found(world: World) -> None:
    session = world.session(BOB)
    with pytest.raises(SessionNotFound):
        world.use_cases.read_sessions(ALICE, session.session_id)
    with pytest.raises(SessionNotFound):
        world.use_cases.end_session(ALICE, session.session_id)
    assert world.use_cases.read_sessions(BOB, session.session_id).status is SessionStatus.ACTIVE


# Ending


def test_a_session_that_ended_can_be_read_and_its_links_are_dead(world: World) -> None:
    session = world.session()
    world.use_cases.end_session(ALICE, session.session_id)
    assert ended(world, session) == session.model_copy(
        update={"status": SessionStatus.ENDED, "epoch": 2, "ended_at": world.clock.now()}
    )


@pytest.mark.clause("v2.1:persist:default", "v2.1:display:temporary")
def test_files_outlive_their_session_but_temporary_ones_do_not(world: World) -> None:
    session = world.session()
    made(world, session, "report.html")
    made(world, session, "scratch.html", temporary=True)
    world.upload("sales.csv", session=session)
    world.use_cases.end_session(ALICE, session.session_id)
    assert names(world) == ["report.html", "sales.csv"]


@pytest.mark.clause("v2.1:persist:off")
def test_no_file_of_a_session_outlives_it_where_files_do_not_persist(world: World) -> None:
    session, other = world.session(), world.session()
    made(world, session, "report.html")
    world.upload("sales.csv", session=session)
    world.upload("sales.csv", session=other)
    world.upload("library.csv")
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    assert names(world) == ["library.csv", "sales.csv"]
    assert [file.session_id for file in world.files.list_by_name(ALICE.name, None, "sales.csv")] == [other.session_id]


@pytest.mark.clause("v2.1:deferred:session-end")
def test_a_file_that_waits_goes_with_its_session_where_files_do_not_persist(world: World) -> None:
    session = world.session()
    call = world.call(world.turn(session))
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "draft.docx", deferred=True)]))
    assert names(world) == ["draft.docx"]
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    assert names(world) == []


def test_every_version_of_a_file_goes_with_it(world: World) -> None:
    session = world.session()
    for body in (b"1", b"22", b"333"):
        world.upload("sales.csv", body, session)
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.store.objects == {}


def test_a_running_turn_is_cancelled(world: World) -> None:
    session = world.session()
    turn = world.turn(session)
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.use_cases.read_turn(ALICE, session.session_id, turn.turn_id).status == "cancelled"
    assert not world.workflow.is_running(turn.turn_id)
    assert ended(world, session).running_turn is None


def test_a_turn_that_begins_while_the_session_ends_is_cancelled_too(world: World) -> None:
    session = world.session()
    begun: list[str] = []
    end = world.sessions.end

    def in_between(user: str, session_id: str, now: datetime) -> None:
        begun.append(world.turn(session).turn_id)
        end(user, session_id, now)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.sessions, "end", in_between)
        world.use_cases.end_session(ALICE, session.session_id)
    assert not world.workflow.is_running(TurnId(begun[0]))
    assert world.use_cases.read_turn(ALICE, session.session_id, TurnId(begun[0])).status == "cancelled"


def test_ending_again_only_finishes_what_was_left(world: World) -> None:
    session = world.session()
    record = made(world, session, "scratch.html", temporary=True)
    end = world.use_cases.end_session

    def refuse(*_: object) -> None:
        raise OSError("the service was away")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.files, "remove", refuse)
        with pytest.raises(OSError, match="away"):
            end(ALICE, session.session_id)
    assert world.files.get(ALICE.name, record.file_key) is not None
    for _ in range(2):
        end(ALICE, session.session_id)
    assert (names(world), ended(world, session).epoch) == ([], 2)


def test_a_file_that_somebody_else_deletes_meanwhile_is_no_error(world: World) -> None:
    session = world.session()
    stale = made(world, session, "scratch.html", temporary=True)
    world.use_cases.remove_file(ALICE, stale.file_key)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.files, "list_for_session", lambda *_: [stale])
        world.use_cases.end_session(ALICE, session.session_id)
    assert ended(world, session).status is SessionStatus.ENDED


def test_a_file_can_be_removed_only_once_and_by_its_owner(world: World) -> None:
    record = world.upload("sales.csv")
    with pytest.raises(FileNotFound):
        world.use_cases.remove_file(BOB, record.file_key)
    assert names(world) == ["sales.csv"]
    world.use_cases.remove_file(ALICE, record.file_key)
    with pytest.raises(FileNotFound):
        world.use_cases.remove_file(ALICE, record.file_key)


def test_a_removed_file_is_gone_with_every_version_and_its_name_is_free(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", b"1", session)
    record = world.upload("sales.csv", b"22", session)
    world.use_cases.remove_file(ALICE, record.file_key)
    assert (world.store.objects, world.files.get_version(ALICE.name, record.file_key, 1)) == ({}, None)
    again = world.upload("sales.csv", session=session)
    assert (again.name, again.version, again.file_key != record.file_key) == ("sales.csv", 1, True)


def test_the_record_goes_before_the_bytes(world: World) -> None:
    record = world.upload("sales.csv")
    found: list[FileRecord | None] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.store, "delete", lambda _keys: found.append(world.files.get(ALICE.name, record.file_key)))
        world.use_cases.remove_file(ALICE, record.file_key)
    assert found == [None]

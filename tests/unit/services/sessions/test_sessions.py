"""Starting, listing, reading and ending sessions."""

from datetime import datetime

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.errors import InvalidRequest, SessionNotFound
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.sessions import Session, SessionChanges, SessionStatus
from satchel.ports import Page
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


def names(world: World) -> list[str]:
    """Return the names of Alice's remaining files. Fail if the bytes of one are missing."""
    records = world.files.list(ALICE.name, 100, None).items
    assert {record.key for record in records} <= set(world.store.objects)
    return sorted(record.name for record in records)


def test_session_is_started_for_the_user(world: World) -> None:
    session = world.use_cases.start_session(ALICE, SessionChanges(title="Sales"))
    now = world.clock.now()
    assert session == Session(
        session_id=session.session_id, user=ALICE.name, title="Sales", created_at=now, last_used_at=now
    )
    assert world.use_cases.read_sessions(ALICE, session.session_id) == session


def test_sessions_are_listed_newest_first_in_pages(world: World) -> None:
    created = []
    for _ in range(5):
        world.clock.advance(1)
        created.append(world.session().session_id)
    world.session(BOB)
    listed, cursor = [], None
    for _ in range(3):
        page = world.use_cases.read_sessions.list(ALICE, 2, cursor)
        listed += [session.session_id for session in page.items]
        cursor = page.cursor
    assert (listed, cursor) == (created[::-1], None)


def test_invalid_cursor_is_rejected(world: World) -> None:
    with pytest.raises(InvalidRequest):
        world.use_cases.read_sessions.list(ALICE, 2, "nonsense")


def test_turns_of_a_session_are_listed_oldest_first(world: World) -> None:
    session = world.session()
    for message in ("One", "Two", "Three"):
        world.clock.advance(1)
        world.complete(world.turn(session, message))
    page = world.use_cases.read_sessions.list_turns(session, 2, None)
    assert [turn.message for turn in page.items] == ["One", "Two"]
    assert [turn.message for turn in world.use_cases.read_sessions.list_turns(session, 2, page.cursor).items] == [
        "Three"
    ]


def test_turns_of_a_session_are_listed_newest_first_on_request(world: World) -> None:
    session = world.session()
    for message in ("One", "Two", "Three"):
        world.clock.advance(1)
        world.complete(world.turn(session, message))
    list_turns = world.use_cases.read_sessions.list_turns
    first = list_turns(session, 2, None, newest_first=True)
    second = list_turns(session, 2, first.cursor, newest_first=True)
    assert [turn.message for turn in [*first.items, *second.items]] == ["Three", "Two", "One"]
    assert second.cursor is None


def test_session_of_another_user_is_not_found(world: World) -> None:
    session = world.session(BOB)
    with pytest.raises(SessionNotFound):
        world.use_cases.read_sessions(ALICE, session.session_id)
    with pytest.raises(SessionNotFound):
        world.use_cases.end_session(ALICE, session.session_id)
    assert world.use_cases.read_sessions(BOB, session.session_id).status is SessionStatus.ACTIVE


# End


def test_ended_session_can_be_read_and_has_a_new_epoch(world: World) -> None:
    session = world.session()
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.reload_session(session) == session.model_copy(
        update={"status": SessionStatus.ENDED, "epoch": 2, "ended_at": world.clock.now()}
    )


@pytest.mark.clause("v2.1:persist:default", "v2.1:display:temporary")
def test_files_outlive_their_session_except_temporary_ones(world: World) -> None:
    session = world.session()
    world.tool_file(session, "report.html")
    world.tool_file(session, "scratch.html", temporary=True)
    world.upload("sales.csv", session=session)
    world.use_cases.end_session(ALICE, session.session_id)
    assert names(world) == ["report.html", "sales.csv"]


@pytest.mark.clause("v2.1:persist:off")
def test_all_files_are_deleted_with_the_session_if_files_do_not_persist(world: World) -> None:
    session, other = world.session(), world.session()
    world.tool_file(session, "report.html")
    world.upload("sales.csv", session=session)
    world.upload("sales.csv", session=other)
    world.upload("library.csv")
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    assert names(world) == ["library.csv", "sales.csv"]
    assert [file.session_id for file in world.files.list_by_name(ALICE.name, None, "sales.csv")] == [other.session_id]


@pytest.mark.clause("v2.1:deferred:session-end")
def test_deferred_file_is_deleted_with_the_session_if_files_do_not_persist(world: World) -> None:
    session = world.session()
    call = world.call(world.turn(session))
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "draft.docx", deferred=True)]))
    assert names(world) == ["draft.docx"]
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    assert names(world) == []


def test_all_versions_of_a_file_are_deleted_with_the_session(world: World) -> None:
    session = world.session()
    for body in (b"1", b"22", b"333"):
        world.upload("sales.csv", body, session)
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.store.objects == {}


def test_running_turn_is_cancelled(world: World) -> None:
    session = world.session()
    turn = world.turn(session)
    world.use_cases.end_session(ALICE, session.session_id)
    assert world.use_cases.read_turn(ALICE, session.session_id, turn.turn_id).status == "cancelled"
    assert not world.workflow.is_running(turn.turn_id)
    assert world.reload_session(session).running_turn is None


def test_turn_started_while_the_session_ends_is_cancelled(world: World) -> None:
    session = world.session()
    started: list[TurnId] = []
    end = world.sessions.end

    def start_turn_first(user: UserName, session_id: SessionId, now: datetime) -> None:
        started.append(world.turn(session).turn_id)
        end(user, session_id, now)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.sessions, "end", start_turn_first)
        world.use_cases.end_session(ALICE, session.session_id)
    assert not world.workflow.is_running(started[0])
    assert world.use_cases.read_turn(ALICE, session.session_id, started[0]).status == "cancelled"


def test_ending_again_completes_an_interrupted_end(world: World) -> None:
    session = world.session()
    record = world.tool_file(session, "scratch.html", temporary=True)
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
    assert (names(world), world.reload_session(session).epoch) == ([], 2)


def test_file_deleted_meanwhile_is_no_error(world: World) -> None:
    session = world.session()
    stale = world.tool_file(session, "scratch.html", temporary=True)
    world.use_cases.remove_file(ALICE, stale.file_key)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.files, "list", lambda *_: Page(items=[stale]))
        world.use_cases.end_session(ALICE, session.session_id)
    assert world.reload_session(session).status is SessionStatus.ENDED


def test_temporary_session_is_in_no_list_and_search_and_its_end_deletes_it(world: World) -> None:
    listed, temporary = world.session(), world.use_cases.start_session(ALICE, temporary=True)
    world.complete(world.turn(temporary, "secret plans"))
    world.complete(world.turn(listed, "other plans"))
    assert world.use_cases.read_sessions.list(ALICE, 10, None).items == [world.reload_session(listed)]
    found = world.use_cases.search_chats(ALICE, "plans", None).items
    assert [match.session.session_id for match in found] == [listed.session_id]
    assert world.use_cases.read_sessions(ALICE, temporary.session_id).temporary
    world.use_cases.end_session(ALICE, temporary.session_id)
    with pytest.raises(SessionNotFound):
        world.use_cases.read_sessions(ALICE, temporary.session_id)
    world.use_cases.end_session(ALICE, listed.session_id)
    assert world.reload_session(listed).status is SessionStatus.ENDED

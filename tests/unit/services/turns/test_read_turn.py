"""Reading turns: the response, links, inline texts and events; the end of stuck turns."""

from datetime import timedelta

import pytest

from satchel.domain.calls import MAX_INLINE_BYTES, RunnerReport
from satchel.domain.errors import SessionNotFound, TurnNotFound
from satchel.domain.events import NewEvent
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn
from satchel.services.turns.finish_turn import GRACE_PERIOD
from satchel.services.turns.read_turn import MAX_EVENTS
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World


@pytest.fixture
def turn(world: World) -> Turn:
    return world.turn(world.session())


def read(world: World, turn: Turn) -> FinalResponse:
    return world.use_cases.read_turn(ALICE, turn.session_id, turn.turn_id)


def token(url: str | None) -> str:
    assert url is not None
    return url.partition("token=")[2]


def test_running_turn_has_the_response_so_far(world: World, turn: Turn) -> None:
    assert read(world, turn) == FinalResponse(
        turn_id=turn.turn_id, session_id=turn.session_id, status="running", model="quick"
    )


def test_completed_turn_has_its_answer(world: World, turn: Turn) -> None:
    world.complete(turn, "Here.")
    response = read(world, turn)
    assert (response.status, response.message) == ("complete", "Here.")


def test_turn_of_another_user_is_not_found(world: World, turn: Turn) -> None:
    with pytest.raises(SessionNotFound):
        world.use_cases.read_turn(BOB, turn.session_id, turn.turn_id)


def test_turn_of_another_session_is_not_found(world: World, turn: Turn) -> None:
    with pytest.raises(TurnNotFound):
        world.use_cases.read_turn(ALICE, world.session().session_id, turn.turn_id)


def test_unknown_turn_or_session_is_not_found(world: World, turn: Turn) -> None:
    with pytest.raises(TurnNotFound):
        world.use_cases.read_turn(ALICE, turn.session_id, TurnId("nothing"))
    with pytest.raises(SessionNotFound):
        world.use_cases.read_turn(ALICE, SessionId("nothing"), turn.turn_id)


# Links


@pytest.mark.clause("v5:flow:final-response")
def test_each_file_has_a_working_link(world: World, turn: Turn) -> None:
    call = world.call(turn)
    files = [world.stored_file(call, "a.html"), world.stored_file(call, "b.docx", index=1, deferred=True)]
    world.finish_call(call, RunnerReport(files=files))
    response = read(world, turn)
    links = [(a.name, a.file_key, a.download_url) for a in response.artifacts]
    links += [(d.name, d.file_key, d.download_url) for d in response.deferred_artifacts]
    for name, file_key, url in links:
        assert url is not None
        assert url.startswith(f"/api/files/download/{file_key}?token=")
        assert world.use_cases.open_link(file_key, token(url)).name == name


def test_links_are_created_at_each_read_and_never_stored(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    world.complete(turn)
    first = token(read(world, turn).artifacts[0].download_url)
    world.clock.advance(3600)
    second = read(world, turn).artifacts[0]
    assert world.use_cases.open_link(second.file_key, token(second.download_url)).name == "a.html"
    assert first != token(second.download_url)
    assert "token=" not in world.events.stored_json(turn.turn_id)
    result = world.reload(call).result
    assert result is not None
    assert result.artifacts[0].download_url is None


def test_link_opens_the_version_that_the_turn_created(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html", b"1")]))
    world.complete(turn)
    later = world.call(world.turn(world.use_cases.read_sessions(ALICE, turn.session_id), "Again"))
    world.finish_call(later, RunnerReport(files=[world.stored_file(later, "a.html", b"22")]))
    files = read(world, turn).artifacts[0]
    record = world.use_cases.open_link(files.file_key, token(files.download_url))
    assert (record.version, record.size) == (1, 1)


def test_deleted_file_has_no_link(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    world.use_cases.remove_file(ALICE, read(world, turn).artifacts[0].file_key)
    assert read(world, turn).artifacts[0].download_url is None


def test_expired_file_has_no_link(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.docx", deferred=True, expires_hours=1)]))
    world.complete(turn)
    world.clock.advance(3599)
    assert read(world, turn).deferred_artifacts[0].download_url is not None
    world.clock.advance(1)
    assert read(world, turn).deferred_artifacts[0].download_url is None


# Inline texts


def add_inline_text(world: World, turn: Turn, body: bytes, index: int = 0) -> None:
    """Add a file of a call that the runner reports as inline."""
    call = world.call(turn, index=index)
    stored = world.stored_file(call, "notes.md", body, mime="text/markdown").model_copy(update={"inline": True})
    world.finish_call(call, RunnerReport(files=[stored]))


@pytest.mark.clause("v5:flow:final-response")
def test_short_text_is_part_of_the_response_only(world: World, turn: Turn) -> None:
    add_inline_text(world, turn, "# Über\n".encode())
    world.complete(turn)
    assert read(world, turn).artifacts[0].content == "# Über\n"
    assert "Über" not in world.events.stored_json(turn.turn_id)


def test_other_files_have_only_a_link(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    assert read(world, turn).artifacts[0].content is None


def test_invalid_utf8_is_replaced(world: World, turn: Turn) -> None:
    add_inline_text(world, turn, b"\xff")
    assert read(world, turn).artifacts[0].content == "\N{REPLACEMENT CHARACTER}"


def test_text_that_is_too_long_has_only_a_link(world: World, turn: Turn) -> None:
    add_inline_text(world, turn, b"short")
    add_inline_text(world, turn, bytes(MAX_INLINE_BYTES + 1), index=1)
    short, long = read(world, turn).artifacts
    assert (short.content, long.content) == ("short", None)
    assert long.download_url is not None


def test_deleted_text_has_no_content(world: World, turn: Turn) -> None:
    add_inline_text(world, turn, b"short")
    world.use_cases.remove_file(ALICE, read(world, turn).artifacts[0].file_key)
    assert read(world, turn).artifacts[0].content is None


# Stuck turns


def test_stuck_turn_is_ended_by_reading_it(world: World, turn: Turn) -> None:
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance(GRACE_PERIOD.total_seconds())
    response = read(world, turn)
    assert response.status == "failed"
    assert response.error is not None
    assert response.error.error_code == "E_TURN_FAILED"
    assert [kind for kind, _ in world.events.payloads(turn.turn_id)] == ["turn_started", "turn_failed"]
    world.turn(world.use_cases.read_sessions(ALICE, turn.session_id), "Again")


def test_recent_turn_without_an_execution_is_not_ended(world: World, turn: Turn) -> None:
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance((GRACE_PERIOD - timedelta(milliseconds=1)).total_seconds())
    assert read(world, turn).status == "running"


def test_long_running_turn_is_not_ended(world: World, turn: Turn) -> None:
    world.clock.advance(3000)
    assert read(world, turn).status == "running"


def test_completed_turn_without_an_execution_remains_complete(world: World, turn: Turn) -> None:
    world.complete(turn)
    world.workflow.lose_execution(turn.turn_id)
    world.clock.advance(3000)
    assert read(world, turn).status == "complete"


# Events


def test_events_are_read_after_a_cursor_without_gaps(world: World, turn: Turn) -> None:
    world.complete(turn)
    events = world.use_cases.read_turn.events_after(turn, 0)
    assert [event.seq for event in events] == [1, 2, 3]
    assert [event.type for event in events] == ["turn_started", "token_stream", "response_complete"]
    for cursor in range(4):
        assert list(world.use_cases.read_turn.events_after(turn, cursor)) == list(events[cursor:])


def test_page_of_events_is_limited(world: World, turn: Turn) -> None:
    for _ in range(MAX_EVENTS + 5):
        world.events.append(
            turn.turn_id, NewEvent(type="token_stream", payload={"text": "a", "round": 0, "attempt": 0})
        )
    assert len(world.use_cases.read_turn.events_after(turn, 0)) == MAX_EVENTS

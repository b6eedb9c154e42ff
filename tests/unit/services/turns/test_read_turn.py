"""A turn as its owner sees it; a lost one is result by who reads it."""

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


def test_a_running_turn_shows_what_there_is_so_far(world: World, turn: Turn) -> None:
    assert read(world, turn) == FinalResponse(
        turn_id=turn.turn_id, session_id=turn.session_id, status="running", model="quick"
    )


def test_an_answered_turn_shows_its_answer(world: World, turn: Turn) -> None:
    world.complete(turn, "Here.")
    response = read(world, turn)
    assert (response.status, response.message) == ("complete", "Here.")


def test_somebody_elses_turn_is_not_found(world: World, turn: Turn) -> None:
    with pytest.raises(SessionNotFound):
        world.use_cases.read_turn(BOB, turn.session_id, turn.turn_id)


def test_a_turn_of_another_session_is_not_found(world: World, turn: Turn) -> None:
    with pytest.raises(TurnNotFound):
        world.use_cases.read_turn(ALICE, world.session().session_id, turn.turn_id)


def test_what_is_no_turn_or_session_is_not_found(world: World, turn: Turn) -> None:
    with pytest.raises(TurnNotFound):
        world.use_cases.read_turn(ALICE, turn.session_id, TurnId("nothing"))
    with pytest.raises(SessionNotFound):
        world.use_cases.read_turn(ALICE, SessionId("nothing"), turn.turn_id)


# Links


@pytest.mark.clause("v5:flow:final-response")
def test_every_file_comes_with_a_link_that_works(world: World, turn: Turn) -> None:
    call = world.call(turn)
    files = [world.stored_file(call, "a.html"), world.stored_file(call, "b.docx", index=1, deferred=True)]
    world.finish_call(call, RunnerReport(files=files))
    response = read(world, turn)
    shown = [(a.name, a.file_key, a.download_url) for a in response.artifacts]
    shown += [(d.name, d.file_key, d.download_url) for d in response.deferred_artifacts]
    for name, file_key, url in shown:
        assert url is not None
        assert url.startswith(f"/api/files/download/{file_key}?token=")
        assert world.use_cases.open_link(file_key, token(url)).name == name


def test_links_are_fresh_whenever_a_turn_is_read_and_never_stored(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    world.complete(turn)
    first = token(read(world, turn).artifacts[0].download_url)
    world.clock.travel(3600)
    second = read(world, turn).artifacts[0]
    assert world.use_cases.open_link(second.file_key, token(second.download_url)).name == "a.html"
    assert first != token(second.download_url)
    assert "download_url" not in world.events.stored_json(turn.turn_id)
    result = world.reload(call).result
    assert result is not None
    assert result.artifacts[0].download_url is None


def test_a_link_is_for_the_version_that_the_turn_made(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html", b"1")]))
    world.complete(turn)
    later = world.call(world.turn(world.use_cases.read_sessions(ALICE, turn.session_id), "Again"))
    world.finish_call(later, RunnerReport(files=[world.stored_file(later, "a.html", b"22")]))
    shown = read(world, turn).artifacts[0]
    record = world.use_cases.open_link(shown.file_key, token(shown.download_url))
    assert (record.version, record.size) == (1, 1)


def test_a_file_that_was_deleted_has_no_link(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    world.use_cases.remove_file(ALICE, read(world, turn).artifacts[0].file_key)
    assert read(world, turn).artifacts[0].download_url is None


def test_a_file_that_has_expired_has_no_link(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.docx", deferred=True, expires_hours=1)]))
    world.complete(turn)
    world.clock.travel(3599)
    assert read(world, turn).deferred_artifacts[0].download_url is not None
    world.clock.travel(1)
    assert read(world, turn).deferred_artifacts[0].download_url is None


# Text that goes with the response


def with_text(world: World, turn: Turn, body: bytes, index: int = 0) -> None:
    """Let a call have made a file of which the runner says that its text is short."""
    call = world.call(turn, index=index)
    stored = world.stored_file(call, "notes.md", body, mime="text/markdown").model_copy(update={"inline": True})
    world.finish_call(call, RunnerReport(files=[stored]))


@pytest.mark.clause("v5:flow:final-response")
def test_short_text_goes_with_the_response_and_is_kept_nowhere_else(world: World, turn: Turn) -> None:
    with_text(world, turn, "# Über\n".encode())
    world.complete(turn)
    assert read(world, turn).artifacts[0].content == "# Über\n"
    assert "Über" not in world.events.stored_json(turn.turn_id)


def test_other_files_go_by_link_alone(world: World, turn: Turn) -> None:
    call = world.call(turn)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    assert read(world, turn).artifacts[0].content is None


def test_text_that_is_no_text_breaks_nothing(world: World, turn: Turn) -> None:
    with_text(world, turn, b"\xff")
    assert read(world, turn).artifacts[0].content == "\N{REPLACEMENT CHARACTER}"


def test_text_that_grew_too_long_in_a_later_version_goes_by_link(world: World, turn: Turn) -> None:
    with_text(world, turn, b"short")
    with_text(world, turn, bytes(MAX_INLINE_BYTES + 1), index=1)
    (shown,) = read(world, turn).artifacts
    assert (shown.version, shown.content) == (2, None)
    assert shown.download_url is not None


def test_text_that_was_deleted_is_gone(world: World, turn: Turn) -> None:
    with_text(world, turn, b"short")
    world.use_cases.remove_file(ALICE, read(world, turn).artifacts[0].file_key)
    assert read(world, turn).artifacts[0].content is None


# Lost turns


def test_a_turn_whose_execution_ended_without_a_word_is_settled_by_who_reads_it(world: World, turn: Turn) -> None:
    world.workflow.lose_execution(turn.turn_id)
    world.clock.travel(GRACE_PERIOD.total_seconds())
    response = read(world, turn)
    assert response.status == "failed"
    assert response.error is not None
    assert response.error.error_code == "E_TURN_FAILED"
    assert [kind for kind, _ in world.events.payloads(turn.turn_id)] == ["turn_started", "turn_failed"]
    world.turn(world.use_cases.read_sessions(ALICE, turn.session_id), "Again")


def test_a_turn_that_has_hardly_begun_is_given_time_to_start(world: World, turn: Turn) -> None:
    world.workflow.lose_execution(turn.turn_id)
    world.clock.travel((GRACE_PERIOD - timedelta(milliseconds=1)).total_seconds())
    assert read(world, turn).status == "running"


def test_a_turn_that_runs_long_is_left_alone(world: World, turn: Turn) -> None:
    world.clock.travel(3000)
    assert read(world, turn).status == "running"


def test_an_answered_turn_stays_so_when_its_execution_is_gone(world: World, turn: Turn) -> None:
    world.complete(turn)
    world.workflow.lose_execution(turn.turn_id)
    world.clock.travel(3000)
    assert read(world, turn).status == "complete"


# Events


def test_events_are_read_after_a_cursor_without_gap_or_repeat(world: World, turn: Turn) -> None:
    world.complete(turn)
    every = world.use_cases.read_turn.events_after(turn.turn_id, 0)
    assert [event.seq for event in every] == [1, 2, 3]
    assert [event.type for event in every] == ["turn_started", "token_stream", "response_complete"]
    for cursor in range(4):
        assert list(world.use_cases.read_turn.events_after(turn.turn_id, cursor)) == list(every[cursor:])


def test_a_page_of_events_is_bounded(world: World, turn: Turn) -> None:
    for _ in range(MAX_EVENTS + 5):
        world.events.append(
            turn.turn_id, NewEvent(type="token_stream", payload={"text": "a", "round": 0, "attempt": 0})
        )
    assert len(world.use_cases.read_turn.events_after(turn.turn_id, 0)) == MAX_EVENTS

"""The cleanup of ended sessions: their files and events."""

import pytest

from satchel.domain.calls import RunnerReport
from satchel.ports.tool_client import ServerSession
from satchel.services.sessions.clean_up_session import GRACE
from satchel.services.sweep import SweepCounts
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World


def sweep(world: World) -> SweepCounts:
    return world.use_cases.sweep(lambda: True)


def test_events_are_deleted_after_the_grace_period_except_the_last(world: World) -> None:
    session = world.session()
    turn = world.turn(session)
    world.complete(turn)
    events = world.events.list_after(turn.turn_id, 0, 100)
    world.use_cases.end_session(ALICE, session.session_id)
    sweep(world)
    assert world.events.list_after(turn.turn_id, 0, 100) == events
    assert len(events) > 1
    world.clock.advance(GRACE.total_seconds())
    assert sweep(world).cleared_sessions == 1
    assert world.events.list_after(turn.turn_id, 0, 100) == events[-1:]
    assert world.use_cases.read_turn.is_fully_read(turn, events[-1].seq)
    assert sweep(world) == SweepCounts()


def test_files_of_a_late_call_are_deleted_with_the_ended_session(world: World) -> None:
    session = world.session()
    call = world.call(world.turn(session))
    world.persist = False
    world.use_cases.end_session(ALICE, session.session_id)
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "late.html")]))
    assert [file.name for file in world.files.list_all()] == ["late.html"]
    world.clock.advance(GRACE.total_seconds())
    sweep(world)
    assert world.files.list_all() == []


def test_cleanup_without_time_is_not_done(world: World) -> None:
    session = world.session()
    world.tool_file(session, "scratch.html", temporary=True)
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    assert world.use_cases.clean_up_session(world.reload_session(session), lambda: False) is False
    assert world.use_cases.clean_up_session(world.reload_session(session), lambda: True) is True
    assert world.files.list_all() == []


def test_open_session_cannot_be_cleaned_up(world: World) -> None:
    with pytest.raises(ValueError, match="has not ended"):
        world.use_cases.clean_up_session(world.session(), lambda: True)


def test_cleanup_ends_the_mcp_sessions_with_remote_servers(world: World) -> None:
    session, opened = world.session(), ServerSession(session_id="m1", handshake="{}")
    world.server_session_remover.stored[session.session_id, "web.pages"] = opened
    world.sessions.end(ALICE.name, session.session_id, world.clock.now())
    ended = world.reload_session(session)
    for _ in range(2):
        world.use_cases.clean_up_session(ended, lambda: True)
    assert world.runners.ended_sessions == [("web.pages", ALICE.name, opened)]

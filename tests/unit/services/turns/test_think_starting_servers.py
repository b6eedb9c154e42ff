"""Turns that start while servers are starting: the wait, and what the model and the user get to know."""

from satchel.domain.conversation import ModelReply
from satchel.domain.sessions import Turn
from satchel.domain.steps import NextStep
from satchel.services.turns.think import MAX_WAIT
from tests.unit.services.samples import REGISTRY, TOOLS
from tests.unit.services.world import World, turn_step


def start_servers(world: World) -> None:
    """Mark all servers as starting."""
    world.tool_lists = type(world.tool_lists)()
    world.use_cases.refresh_tools.mark_starting(list(REGISTRY.servers))


def waiting(turn: Turn) -> NextStep:
    return NextStep(user=turn.user, session_id=turn.session_id, turn_id=turn.turn_id, round=0, done=False, waiting=True)


def offered(world: World) -> set[str]:
    return {tool.server for tool in world.model.requests[-1].tools}


def test_turn_waits_until_the_servers_have_started(world: World) -> None:
    start_servers(world)
    turn = world.turn(world.session())
    assert world.use_cases.think(turn_step(turn)) == waiting(turn)
    assert world.model.requests == []
    world.use_cases.refresh_tools.refresh_all(list(REGISTRY.servers))
    world.model.replies = [ModelReply(text="Hello.")]
    assert world.use_cases.think(turn_step(turn)).done
    assert "report" in offered(world)
    assert world.events.payloads(turn.turn_id, "servers_starting") == []


def test_turn_names_the_servers_that_are_starting_after_ten_seconds(world: World) -> None:
    start_servers(world)
    world.use_cases.refresh_tools("exact")
    turn = world.turn(world.session())
    world.clock.advance(MAX_WAIT.total_seconds())
    world.model.replies = [ModelReply(text="Hello.")]
    assert world.use_cases.think(turn_step(turn)).done
    assert offered(world) == {"exact", "satchel"}
    (event,) = world.events.payloads(turn.turn_id, "servers_starting")
    assert event == ("servers_starting", {"servers": ["report", "web.pages"]})
    assert "still starting: report, web.pages." in world.model.requests[-1].instructions


def test_turn_waits_only_for_servers_whose_tools_it_may_call(world: World) -> None:
    start_servers(world)
    world.use_cases.refresh_tools("exact")
    only_exact = world.turn(world.session(), tools=["exact"])
    world.model.replies = [ModelReply(text="Hello.")]
    assert world.use_cases.think(turn_step(only_exact)).done
    only_report = world.turn(world.session(), tools=["report"])
    assert world.use_cases.think(turn_step(only_report)) == waiting(only_report)


def test_turn_does_not_wait_for_a_failed_or_interrupted_start(world: World) -> None:
    start_servers(world)
    world.runners.tools.clear()
    world.use_cases.refresh_tools.refresh_all([server for server in TOOLS if server != "report"])
    world.clock.advance(120)
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="Hello.")]
    assert world.use_cases.think(turn_step(turn)).done
    assert world.events.payloads(turn.turn_id, "servers_starting") == [("servers_starting", {"servers": ["report"]})]

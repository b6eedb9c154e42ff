"""Which tools a person may use, from the kept lists; and filling those."""

import pytest

from satchel.domain.errors import Unavailable
from satchel.services.list_tools import ServerTools
from tests.unit.services.scenery import ALICE, BOB, ECHO, EXACT, FETCH, MERGE, OPEN, REGISTRY, SUMMARISE
from tests.unit.services.world import World


def forget(world: World) -> None:
    """Let no list be kept."""
    world.lists = type(world.lists)()


def test_servers_are_listed_by_name_with_their_tools(world: World) -> None:
    assert world.list_tools(ALICE.groups) == [
        ServerTools(name="exact", description="", tools=[EXACT]),
        ServerTools(name="report", description="Reports", tools=[SUMMARISE, MERGE, ECHO]),
        ServerTools(name="web.pages", description="", tools=[FETCH]),
    ]


def test_servers_for_other_groups_are_not_listed(world: World) -> None:
    assert [server.name for server in world.list_tools(BOB.groups)] == ["exact", "report", "vault", "web.pages"]
    assert [server.name for server in world.list_tools([])] == ["exact", "web.pages"]


def test_a_server_whose_tools_are_not_known_yet_says_so_and_nobody_waits(world: World) -> None:
    forget(world)
    assert [server.tools for server in world.list_tools(ALICE.groups)] == [None, None, None]
    assert (world.list_tools.tools(ALICE.groups), world.runners.asked) == ([], [])


def test_tools_may_be_limited_to_servers_and_to_single_tools(world: World) -> None:
    limited = world.list_tools.tools(BOB.groups, ["report.merge", "vault", "nothing"])
    assert limited == [MERGE, OPEN]
    assert world.list_tools.tools(BOB.groups, []) == []


def test_what_may_be_named_to_limit_a_turn_are_servers_and_tools(world: World) -> None:
    assert world.list_tools.names(ALICE.groups) == {
        "exact",
        "exact.read",
        "report",
        "report.summarise",
        "report.merge",
        "report.echo",
        "web.pages",
        "web.pages.fetch",
    }


# Asking


def test_a_server_is_asked_and_its_answer_kept(world: World) -> None:
    forget(world)
    assert world.refresh_tools("report") == [SUMMARISE, MERGE, ECHO]
    assert world.list_tools.tools(ALICE.groups) == [SUMMARISE, MERGE, ECHO]


def test_a_kept_list_is_good_without_asking(world: World) -> None:
    assert world.refresh_tools.known("report") == [SUMMARISE, MERGE, ECHO]
    assert world.runners.asked == []


def test_a_server_that_has_no_tools_is_not_asked_again_and_again(world: World) -> None:
    world.lists.put("report", REGISTRY.servers["report"].config_hash(), [])
    assert (world.refresh_tools.known("report"), world.runners.asked) == ([], [])


def test_a_server_that_was_configured_anew_is_asked_anew(world: World) -> None:
    changed = REGISTRY.servers["report"].model_copy(update={"command": ["python", "other.py"]})
    world.registry = REGISTRY.model_copy(update={"servers": REGISTRY.servers | {"report": changed}})
    assert world.list_tools(ALICE.groups)[1].tools is None
    world.refresh_tools.known("report")
    assert world.runners.asked == ["report"]


def test_a_server_that_does_not_start_keeps_its_old_list(world: World) -> None:
    world.runners.tools.clear()
    with pytest.raises(Unavailable, match="did not start"):
        world.refresh_tools("report")
    assert world.refresh_tools.known("report") == [SUMMARISE, MERGE, ECHO]

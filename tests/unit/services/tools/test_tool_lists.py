"""Which tools a person may use, from the kept lists; and filling those."""

from dataclasses import replace
from datetime import timedelta

import pytest

from satchel.domain.errors import Unavailable
from satchel.domain.tools import BUILTIN_DESCRIPTION, LIST_FILES, fresh_tool_list
from satchel.services.tools.tool_lists import ServerTools
from tests.unit.services.samples import ALICE, BOB, ECHO, EXACT, FETCH, MERGE, OPEN, REGISTRY, SUMMARISE
from tests.unit.services.world import World


def forget(world: World) -> None:
    """Let no list be kept."""
    world.tool_lists = type(world.tool_lists)()


@pytest.mark.clause("v4:registry:description")
def test_servers_are_listed_by_name_with_their_tools(world: World) -> None:
    assert world.use_cases.list_tools(ALICE.groups) == [
        ServerTools(name="exact", description="", tools=[EXACT]),
        ServerTools(name="report", description="Reports", tools=[SUMMARISE, MERGE, ECHO]),
        ServerTools(name="satchel", description=BUILTIN_DESCRIPTION, tools=[LIST_FILES]),
        ServerTools(name="web.pages", description="", tools=[FETCH]),
    ]


def test_servers_for_other_groups_are_not_listed(world: World) -> None:
    assert [server.name for server in world.use_cases.list_tools(BOB.groups)] == [
        "exact",
        "report",
        "satchel",
        "vault",
        "web.pages",
    ]
    assert [server.name for server in world.use_cases.list_tools([])] == ["exact", "satchel", "web.pages"]


def test_a_server_whose_tools_are_not_known_yet_says_so_and_nobody_waits(world: World) -> None:
    forget(world)
    assert [server.tools for server in world.use_cases.list_tools(ALICE.groups)] == [None, None, [LIST_FILES], None]
    assert (world.use_cases.list_tools.tools(ALICE.groups), world.runners.listed_servers) == ([LIST_FILES], [])


def test_tools_may_be_limited_to_servers_and_to_single_tools(world: World) -> None:
    limited = world.use_cases.list_tools.tools(BOB.groups, ["report.merge", "vault", "nothing"])
    assert limited == [MERGE, OPEN]
    assert world.use_cases.list_tools.tools(BOB.groups, []) == []


def test_what_may_be_named_to_limit_a_turn_are_servers_and_tools(world: World) -> None:
    assert world.use_cases.list_tools.names(ALICE.groups) == {
        "exact",
        "exact.read",
        "report",
        "report.summarise",
        "report.merge",
        "report.echo",
        "satchel",
        "satchel.list_files",
        "web.pages",
        "web.pages.fetch",
    }


# Asking


def test_a_server_is_asked_and_its_answer_kept(world: World) -> None:
    forget(world)
    assert world.use_cases.refresh_tools("report") == [SUMMARISE, MERGE, ECHO]
    assert world.use_cases.list_tools.tools(ALICE.groups) == [SUMMARISE, MERGE, ECHO, LIST_FILES]


def test_a_kept_list_is_good_without_asking(world: World) -> None:
    assert world.use_cases.refresh_tools.get("report") == [SUMMARISE, MERGE, ECHO]
    assert world.runners.listed_servers == []


def test_a_server_that_has_no_tools_is_not_asked_again_and_again(world: World) -> None:
    world.tool_lists.save("report", REGISTRY.servers["report"].config_hash(), fresh_tool_list([], world.clock.now()))
    assert (world.use_cases.refresh_tools.get("report"), world.runners.listed_servers) == ([], [])


def test_a_server_that_was_configured_anew_is_asked_anew(world: World) -> None:
    changed = REGISTRY.servers["report"].model_copy(update={"command": ["python", "other.py"]})
    world.registry = REGISTRY.model_copy(update={"servers": REGISTRY.servers | {"report": changed}})
    assert world.use_cases.list_tools(ALICE.groups)[1].tools is None
    world.use_cases.refresh_tools.get("report")
    assert world.runners.listed_servers == ["report"]


def test_a_server_that_does_not_start_keeps_its_old_list_and_says_why(world: World) -> None:
    world.runners.tools.clear()
    with pytest.raises(Unavailable, match="did not start"):
        world.use_cases.refresh_tools("report")
    assert world.use_cases.refresh_tools.get("report") == [SUMMARISE, MERGE, ECHO]
    shown = world.use_cases.list_tools(ALICE.groups)[1]
    assert (shown.tools, shown.failure) == (
        [SUMMARISE, MERGE, ECHO],
        "The server 'report' did not start: no such program",
    )


def test_a_server_that_never_started_is_shown_with_the_reason_and_takes_no_other_down(world: World) -> None:
    forget(world)
    del world.runners.tools["report"]
    for server in world.use_cases.refresh_tools.due():
        world.use_cases.refresh_tools.try_refresh(server)
    shown = {server.name: (server.tools, server.failure) for server in world.use_cases.list_tools(ALICE.groups)}
    assert shown == {
        "exact": ([EXACT], None),
        "report": (None, "The server 'report' did not start: no such program"),
        "satchel": ([LIST_FILES], None),
        "web.pages": ([FETCH], None),
    }


def test_a_server_that_did_not_start_is_tried_again_and_is_well_when_it_does(world: World) -> None:
    del world.runners.tools["report"]
    world.use_cases.refresh_tools.try_refresh("report")
    assert world.use_cases.refresh_tools.due() == []
    world.clock.travel(30)
    assert world.use_cases.refresh_tools.due() == ["report"]
    world.runners.tools["report"] = [ECHO]
    world.use_cases.refresh_tools.try_refresh("report")
    assert world.use_cases.list_tools(ALICE.groups)[1] == ServerTools(
        name="report", description="Reports", tools=[ECHO]
    )


def test_a_list_is_asked_for_again_after_minutes_for_the_program_may_have_changed(world: World) -> None:
    assert world.use_cases.refresh_tools.due() == []
    world.clock.travel(300)
    assert sorted(world.use_cases.refresh_tools.due()) == ["exact", "report", "vault", "web.pages"]
    world.runners.tools["report"] = [SUMMARISE]
    world.use_cases.refresh_tools.try_refresh("report")
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE]
    assert "report" not in world.use_cases.refresh_tools.due()


def test_servers_that_were_never_asked_come_first(world: World) -> None:
    entry = REGISTRY.servers["report"].model_copy(update={"command": ["new"]})
    world.registry = REGISTRY.model_copy(update={"servers": REGISTRY.servers | {"report": entry}})
    world.clock.travel(300)
    assert world.use_cases.refresh_tools.due()[0] == "report"


def test_a_tool_that_the_kept_list_lacks_is_looked_for_once_in_a_new_one(world: World) -> None:
    world.runners.tools["report"] = [SUMMARISE]
    assert world.use_cases.refresh_tools.get_with_tool("report", "new") == [SUMMARISE, MERGE, ECHO]
    world.clock.travel(300)
    for _ in range(2):
        assert world.use_cases.refresh_tools.get_with_tool("report", "new") == [SUMMARISE]
    assert world.runners.listed_servers == ["report"]


# Doubt


def test_a_list_that_its_server_called_into_question_is_asked_for_before_its_time(world: World) -> None:
    world.use_cases.mark_tools_stale("report.echo")
    assert world.use_cases.refresh_tools.due() == []  # it was asked for this very moment
    world.clock.travel(30)
    assert world.use_cases.refresh_tools.due() == ["report"]
    world.runners.tools["report"] = [SUMMARISE]
    world.use_cases.refresh_tools.refresh_all(world.use_cases.refresh_tools.due())
    world.clock.travel(30)
    assert world.use_cases.refresh_tools.due() == []
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE]


def test_a_doubted_list_is_good_until_there_is_another(world: World) -> None:
    world.use_cases.mark_tools_stale("report.echo")
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE, MERGE, ECHO]


@pytest.mark.parametrize("tool", ["report.echo", "nobody.knows", "word"])
def test_doubt_about_what_is_not_kept_is_no_news(world: World, tool: str) -> None:
    forget(world)
    world.use_cases.mark_tools_stale(tool)
    assert world.use_cases.list_tools(ALICE.groups)[1].tools is None


def test_how_long_a_list_is_taken_for_good_may_be_set(world: World) -> None:
    patient = replace(world.use_cases.refresh_tools, max_age=timedelta(hours=6))
    world.clock.travel(300)
    assert patient.due() == []
    world.clock.travel(6 * 3600)
    assert len(patient.due()) == 4


def test_all_are_asked_also_when_one_does_not_start(world: World) -> None:
    del world.runners.tools["report"]
    world.use_cases.refresh_tools.refresh_all(list(REGISTRY.servers))
    assert sorted(world.runners.listed_servers) == sorted(REGISTRY.servers)
    assert [
        server.failure is None for server in world.use_cases.list_tools(ALICE.groups) if server.name in REGISTRY.servers
    ] == [
        True,
        False,
        True,
    ]

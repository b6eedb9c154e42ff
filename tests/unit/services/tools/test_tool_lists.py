"""Tool lists: reading them by group, refreshing them and marking them as stale."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from satchel.domain.errors import Unavailable
from satchel.domain.isolation import Level
from satchel.domain.servers import BrokenEntry
from satchel.domain.tools import BUILTIN_DESCRIPTION, LIST_FILES, ToolListing, fresh_tool_list
from satchel.services.tools.tool_lists import ServerTools
from tests.unit.services.samples import ALICE, BOB, ECHO, EXACT, FETCH, MERGE, OPEN, REGISTRY, SUMMARISE
from tests.unit.services.world import World


def delete_lists(world: World) -> None:
    """Delete all stored lists."""
    world.tool_lists = type(world.tool_lists)()


@pytest.mark.clause("v4:registry:description")
def test_servers_are_listed_by_name_with_their_tools(world: World) -> None:
    now = world.clock.now()
    assert world.use_cases.list_tools(ALICE.groups) == [
        ServerTools(name="exact", title="exact", description="", tools=[EXACT], since=now),
        ServerTools(name="report", title="report", description="Reports", tools=[SUMMARISE, MERGE, ECHO], since=now),
        ServerTools(name="satchel", title="Satchel", description=BUILTIN_DESCRIPTION, tools=[LIST_FILES]),
        ServerTools(name="web.pages", title="web.pages", description="", tools=[FETCH], since=now),
    ]


def test_servers_of_other_groups_are_not_listed(world: World) -> None:
    assert [server.name for server in world.use_cases.list_tools(BOB.groups)] == [
        "exact",
        "report",
        "satchel",
        "vault",
        "web.pages",
    ]
    assert [server.name for server in world.use_cases.list_tools([])] == ["exact", "satchel", "web.pages"]


def test_broken_server_is_listed_with_its_problems_and_never_requested(world: World) -> None:
    broken = {"bad": BrokenEntry(problems=["command: x", "env: y"], groups=["users"])}
    registry = REGISTRY.model_copy(update={"broken": broken})
    listed = replace(world.use_cases.list_tools, registry=registry)
    reason = "The entry in mcp.json is invalid: command: x; env: y"

    assert listed(["users"])[0] == ServerTools(name="bad", title="bad", description="", tools=None, failure=reason)
    assert "bad" not in {server.name for server in listed([])}
    assert "bad" not in replace(world.use_cases.refresh_tools, registry=registry).due()


def test_server_without_a_stored_list_has_no_tools_and_is_not_called(world: World) -> None:
    delete_lists(world)
    assert [server.tools for server in world.use_cases.list_tools(ALICE.groups)] == [None, None, [LIST_FILES], None]
    assert (world.use_cases.list_tools.tools(ALICE.groups), world.runners.listed_servers) == ([LIST_FILES], [])


def test_tools_can_be_limited_to_servers_and_single_tools(world: World) -> None:
    limited = world.use_cases.list_tools.tools(BOB.groups, ["report.merge", "vault", "nothing"])
    assert limited == [MERGE, OPEN]
    assert world.use_cases.list_tools.tools(BOB.groups, []) == []


def test_names_that_limit_a_turn_are_servers_and_tools(world: World) -> None:
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


# Refresh


def test_fetched_list_is_stored(world: World) -> None:
    delete_lists(world)
    assert world.use_cases.refresh_tools("report") == [SUMMARISE, MERGE, ECHO]
    assert world.use_cases.list_tools.tools(ALICE.groups) == [SUMMARISE, MERGE, ECHO, LIST_FILES]


def test_stored_list_is_returned_without_fetching(world: World) -> None:
    assert world.use_cases.refresh_tools.get_with_tool("report", "echo") == [SUMMARISE, MERGE, ECHO]
    assert world.runners.listed_servers == []


def test_empty_list_is_not_fetched_again(world: World) -> None:
    world.tool_lists.save(
        "report", REGISTRY.servers["report"].config_hash(), fresh_tool_list(ToolListing(tools=[]), world.clock.now())
    )
    assert (world.use_cases.refresh_tools.get_with_tool("report", "echo"), world.runners.listed_servers) == ([], [])


def test_list_of_a_changed_configuration_is_fetched(world: World) -> None:
    changed = REGISTRY.servers["report"].model_copy(update={"command": ["python", "other.py"]})
    world.registry = REGISTRY.model_copy(update={"servers": REGISTRY.servers | {"report": changed}})
    assert world.use_cases.list_tools(ALICE.groups)[1].tools is None
    world.use_cases.refresh_tools.get_with_tool("report", "echo")
    assert world.runners.listed_servers == ["report"]


def test_server_that_does_not_start_keeps_its_list_and_has_a_failure(world: World) -> None:
    world.runners.tools.clear()
    with pytest.raises(Unavailable, match="did not start"):
        world.use_cases.refresh_tools("report")
    assert world.use_cases.refresh_tools.get_with_tool("report", "echo") == [SUMMARISE, MERGE, ECHO]
    listed = world.use_cases.list_tools(ALICE.groups)[1]
    assert (listed.tools, listed.failure) == (
        [SUMMARISE, MERGE, ECHO],
        "The server 'report' did not start: no such program",
    )


def test_server_that_never_started_has_a_failure_and_does_not_affect_others(world: World) -> None:
    delete_lists(world)
    del world.runners.tools["report"]
    for server in world.use_cases.refresh_tools.due():
        world.use_cases.refresh_tools.try_refresh(server)
    listed = {server.name: (server.tools, server.failure) for server in world.use_cases.list_tools(ALICE.groups)}
    assert listed == {
        "exact": ([EXACT], None),
        "report": (None, "The server 'report' did not start: no such program"),
        "satchel": ([LIST_FILES], None),
        "web.pages": ([FETCH], None),
    }


def test_failed_server_is_due_after_thirty_seconds_and_recovers(world: World) -> None:
    del world.runners.tools["report"]
    world.use_cases.refresh_tools.try_refresh("report")
    assert world.use_cases.refresh_tools.due() == []
    world.clock.advance(30)
    assert world.use_cases.refresh_tools.due() == ["report"]
    world.runners.tools["report"] = [ECHO]
    world.use_cases.refresh_tools.try_refresh("report")
    assert world.use_cases.list_tools(ALICE.groups)[1] == ServerTools(
        name="report", title="report", description="Reports", tools=[ECHO], since=world.clock.now()
    )


def test_list_is_due_after_the_maximum_age(world: World) -> None:
    assert world.use_cases.refresh_tools.due() == []
    world.clock.advance(300)
    assert sorted(world.use_cases.refresh_tools.due()) == ["exact", "report", "vault", "web.pages"]
    world.runners.tools["report"] = [SUMMARISE]
    world.use_cases.refresh_tools.try_refresh("report")
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE]
    assert "report" not in world.use_cases.refresh_tools.due()


def test_servers_without_a_list_are_due_first(world: World) -> None:
    entry = REGISTRY.servers["report"].model_copy(update={"command": ["new"]})
    world.registry = REGISTRY.model_copy(update={"servers": REGISTRY.servers | {"report": entry}})
    world.clock.advance(300)
    assert world.use_cases.refresh_tools.due()[0] == "report"


def test_missing_tool_is_looked_up_once_in_a_new_list(world: World) -> None:
    world.runners.tools["report"] = [SUMMARISE]
    assert world.use_cases.refresh_tools.get_with_tool("report", "new") == [SUMMARISE, MERGE, ECHO]
    world.clock.advance(300)
    for _ in range(2):
        assert world.use_cases.refresh_tools.get_with_tool("report", "new") == [SUMMARISE]
    assert world.runners.listed_servers == ["report"]


# Edited servers


def test_list_of_an_edited_server_is_fetched_once_before_its_next_call(world: World) -> None:
    world.runners.tools["report"], world.sources = [ECHO], "edited"
    for _ in range(2):
        assert world.use_cases.refresh_tools.get_with_tool("report", "echo") == [ECHO]
    assert world.runners.listed_servers == ["report"]


def test_edited_servers_are_due_at_once(world: World) -> None:
    world.sources = "edited"
    assert sorted(world.use_cases.refresh_tools.due()) == ["exact", "report", "vault", "web.pages"]
    world.use_cases.refresh_tools.try_refresh("report")
    assert "report" not in world.use_cases.refresh_tools.due()


def test_edited_server_that_does_not_start_is_listed_again_after_an_edit(world: World) -> None:
    tools, world.sources = world.runners.tools.pop("report"), "edited"
    with pytest.raises(Unavailable, match="did not start"):
        world.use_cases.refresh_tools.get_with_tool("report", "echo")
    assert "report" not in world.use_cases.refresh_tools.due()
    world.runners.tools["report"], world.sources = tools, "repaired"
    assert world.use_cases.refresh_tools.get_with_tool("report", "echo") == [SUMMARISE, MERGE, ECHO]


# Stale lists


def test_stale_list_is_due_early(world: World) -> None:
    world.use_cases.mark_tools_stale("report.echo")
    assert world.use_cases.refresh_tools.due() == []  # it has just been fetched
    world.clock.advance(30)
    assert world.use_cases.refresh_tools.due() == ["report"]
    world.runners.tools["report"] = [SUMMARISE]
    world.use_cases.refresh_tools.refresh_all(world.use_cases.refresh_tools.due())
    world.clock.advance(30)
    assert world.use_cases.refresh_tools.due() == []
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE]


def test_stale_list_is_used_until_it_is_refreshed(world: World) -> None:
    world.use_cases.mark_tools_stale("report.echo")
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE, MERGE, ECHO]


@pytest.mark.parametrize("tool", ["report.echo", "unknown.tool", "word"])
def test_marking_an_unknown_list_as_stale_changes_nothing(world: World, tool: str) -> None:
    delete_lists(world)
    world.use_cases.mark_tools_stale(tool)
    assert world.use_cases.list_tools(ALICE.groups)[1].tools is None


# Tools that can ask the user only with the older handshake


def test_refresh_keeps_which_tools_ask_while_they_run(world: World) -> None:
    world.use_cases.remember_asking("report.echo", asks_while_running=True)
    world.use_cases.refresh_tools("report")
    asking = ECHO.model_copy(update={"asks_while_running": True})
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE, MERGE, asking]


def test_changed_tool_is_called_with_the_newer_handshake_again(world: World) -> None:
    world.use_cases.remember_asking("report.echo", asks_while_running=True)
    changed = ECHO.model_copy(update={"description": "Asks otherwise"})
    world.runners.tools["report"] = [changed]
    world.use_cases.refresh_tools("report")
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [changed]


def test_edited_server_is_called_with_the_newer_handshake_again(world: World) -> None:
    world.use_cases.remember_asking("report.echo", asks_while_running=True)
    world.sources = "edited"
    world.use_cases.refresh_tools("report")
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE, MERGE, ECHO]


@pytest.mark.parametrize("tool", ["report.missing", "unknown.tool", "word"])
def test_remembering_an_unknown_tool_changes_nothing(world: World, tool: str) -> None:
    world.use_cases.remember_asking(tool, asks_while_running=True)
    assert world.use_cases.list_tools(ALICE.groups)[1].tools == [SUMMARISE, MERGE, ECHO]


def test_maximum_age_is_configurable(world: World) -> None:
    refresh = replace(world.use_cases.refresh_tools, max_age=timedelta(hours=6))
    world.clock.advance(300)
    assert refresh.due() == []
    world.clock.advance(6 * 3600)
    assert len(refresh.due()) == 4


def test_refresh_of_all_servers_continues_after_a_failure(world: World) -> None:
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


# Status


def test_status_keeps_the_time_of_its_start_until_it_changes(world: World) -> None:
    delete_lists(world)
    refresh = world.use_cases.refresh_tools

    def status() -> tuple[bool, str | None, bool, datetime | None]:
        report = world.use_cases.list_tools(ALICE.groups)[1]
        return report.is_starting, report.failure, report.tools is not None, report.since

    started_at = world.clock.now()
    refresh.mark_starting(["report"])
    world.clock.advance(5)
    refresh.mark_starting(["report"])
    assert status() == (True, None, False, started_at)
    tools = world.runners.tools.pop("report")
    failed_at = world.clock.now()
    for _ in range(2):
        refresh.try_refresh("report")
        assert status() == (False, "The server 'report' did not start: no such program", False, failed_at)
        world.clock.advance(30)
    world.runners.tools["report"] = tools
    ready_at = world.clock.now()
    for _ in range(2):
        refresh.try_refresh("report")
        assert status() == (False, None, True, ready_at)
        world.clock.advance(300)


def test_refresh_marks_servers_without_a_list_as_starting(world: World) -> None:
    delete_lists(world)
    seen: list[bool] = []
    list_tools = world.runners.list_tools

    def record_status(server: str) -> ToolListing:
        seen.append(world.use_cases.list_tools(ALICE.groups)[1].since is not None)
        return list_tools(server)

    world.runners.list_tools = record_status  # type: ignore[method-assign]
    world.use_cases.refresh_tools.refresh_all(["report"])
    assert seen == [True]


def test_interrupted_start_is_due_after_thirty_seconds(world: World) -> None:
    delete_lists(world)
    world.use_cases.refresh_tools.mark_starting(list(REGISTRY.servers))
    assert world.use_cases.refresh_tools.due() == []
    world.clock.advance(30)
    assert sorted(world.use_cases.refresh_tools.due()) == sorted(REGISTRY.servers)


@pytest.mark.parametrize(
    ("levels", "weakest"),
    [
        ({}, None),
        ({"report": "kernel"}, "kernel"),
        ({"report": "kernel", "exact": "process"}, "process"),
        ({"vault": "process"}, None),
    ],
)
def test_isolation_is_the_weakest_that_runners_of_the_users_servers_report(
    world: World, levels: dict[str, Level], weakest: Level | None
) -> None:
    world.runners.isolation_levels.update(levels)
    world.use_cases.refresh_tools.refresh_all(list(levels))
    assert world.use_cases.list_tools.isolation_level(ALICE.groups) == weakest
    listed = {server.name: server.isolation_level for server in world.use_cases.list_tools(ALICE.groups)}
    assert listed == {name: levels.get(name) for name in listed}


def test_reported_isolation_remains_while_the_server_does_not_start(world: World) -> None:
    world.runners.isolation_levels["report"] = "kernel"
    world.use_cases.refresh_tools("report")
    del world.runners.tools["report"]
    world.use_cases.refresh_tools.try_refresh("report")
    assert world.use_cases.list_tools.isolation_level(ALICE.groups) == "kernel"

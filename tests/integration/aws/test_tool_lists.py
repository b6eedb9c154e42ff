import os
from datetime import UTC, datetime, timedelta

import pytest

from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import DynamoToolLists
from satchel.domain.conversation import ToolSpec
from satchel.domain.resources import Offers, Resource
from satchel.domain.tools import StoredToolList, ToolListing, fresh_tool_list
from tests.integration.aws.factories import new_session_id

NOW = datetime(2026, 8, 1, tzinfo=UTC)


@pytest.fixture
def lists(table: Table) -> DynamoToolLists:
    return DynamoToolLists(table)


@pytest.fixture
def server() -> str:
    return f"server-{new_session_id()}"


def test_list_is_stored_for_a_server_and_configuration(lists: DynamoToolLists, server: str) -> None:
    stored = fresh_tool_list(
        ToolListing(
            tools=[
                ToolSpec(
                    server=server, name="a", description="Grün.", input_schema={"type": "object", "properties": {}}
                ),
                ToolSpec(server=server, name="b"),
            ],
            isolation_level="kernel",
        ),
        NOW,
    )

    lists.save(server, "hash", stored)

    assert lists.get(server, "hash") == stored
    assert lists.get(server, "other") is None
    assert lists.get("another", "hash") is None


def test_empty_failed_and_missing_lists_are_distinct(lists: DynamoToolLists, server: str) -> None:
    empty, failed = (
        fresh_tool_list(ToolListing(tools=[]), NOW),
        StoredToolList(asked_at=NOW).with_failure("no such program", NOW),
    )
    lists.save(server, "empty", empty)
    lists.save(server, "failed", failed)

    assert [lists.get(server, config) for config in ("empty", "failed", "new")] == [empty, failed, None]


def test_newest_list_replaces_the_previous_one(lists: DynamoToolLists, server: str) -> None:
    newest = fresh_tool_list(ToolListing(tools=[ToolSpec(server=server, name="b")]), NOW + timedelta(minutes=1))
    lists.save(server, "hash", fresh_tool_list(ToolListing(tools=[ToolSpec(server=server, name="a")]), NOW))
    lists.save(server, "hash", newest)

    assert lists.get(server, "hash") == newest


def with_resources(server: str, texts: list[str]) -> StoredToolList:
    """Return a list with one tool and a resource for each of the descriptions."""
    resources = [
        Resource(server=server, uri=f"demo://report/{number}", name=f"Report {number}", description=text)
        for number, text in enumerate(texts)
    ]
    listing = ToolListing(tools=[ToolSpec(server=server, name="a")], offers=Offers(resources=resources))
    return fresh_tool_list(listing, NOW)


def test_list_with_many_resources_is_stored_completely(lists: DynamoToolLists, server: str) -> None:
    stored = with_resources(server, ["The report of a year, with all of its tables and figures. " * 10] * 1000)
    assert len(stored.model_dump_json()) > 500_000
    lists.save(server, "hash", stored)

    assert lists.get(server, "hash") == lists.get_many({server: "hash"})[server] == stored


def test_resources_that_do_not_fit_are_left_out_and_the_tools_stay(lists: DynamoToolLists, server: str) -> None:
    stored = with_resources(server, [os.urandom(400).hex() for _ in range(1000)])
    lists.save(server, "hash", stored)

    assert lists.get(server, "hash") == stored.model_copy(update={"offers": Offers()})

from datetime import UTC, datetime, timedelta

import pytest

from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import DynamoToolLists
from satchel.domain.conversation import ToolSpec
from satchel.domain.tools import StoredToolList, answered
from tests.integration.aws.makers import fresh

NOW = datetime(2026, 8, 1, tzinfo=UTC)


@pytest.fixture
def lists(table: Table) -> DynamoToolLists:
    return DynamoToolLists(table)


@pytest.fixture
def server() -> str:
    return f"server-{fresh('s')}"


def test_a_list_is_kept_for_its_server_and_configuration(lists: DynamoToolLists, server: str) -> None:
    kept = answered(
        [
            ToolSpec(server=server, name="a", description="Grün.", input_schema={"type": "object", "properties": {}}),
            ToolSpec(server=server, name="b"),
        ],
        NOW,
    )

    lists.put(server, "hash", kept)

    assert lists.get(server, "hash") == kept
    assert lists.get(server, "other") is None
    assert lists.get("another", "hash") is None


def test_a_server_without_tools_differs_from_one_that_did_not_answer_and_from_one_not_asked_yet(
    lists: DynamoToolLists, server: str
) -> None:
    without, silent = answered([], NOW), StoredToolList(asked_at=NOW).failed("no such program", NOW)
    lists.put(server, "without", without)
    lists.put(server, "silent", silent)

    assert [lists.get(server, config) for config in ("without", "silent", "new")] == [without, silent, None]


def test_the_newest_list_stands(lists: DynamoToolLists, server: str) -> None:
    newest = answered([ToolSpec(server=server, name="b")], NOW + timedelta(minutes=1))
    lists.put(server, "hash", answered([ToolSpec(server=server, name="a")], NOW))
    lists.put(server, "hash", newest)

    assert lists.get(server, "hash") == newest

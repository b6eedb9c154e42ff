import pytest

from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import DynamoToolLists
from satchel.domain.conversation import ToolSpec
from tests.integration.aws.makers import fresh


@pytest.fixture
def lists(table: Table) -> DynamoToolLists:
    return DynamoToolLists(table)


@pytest.fixture
def server() -> str:
    return f"server-{fresh('s')}"


def test_a_list_is_kept_for_its_server_and_configuration(lists: DynamoToolLists, server: str) -> None:
    tools = [
        ToolSpec(server=server, name="a", description="Grün.", input_schema={"type": "object", "properties": {}}),
        ToolSpec(server=server, name="b"),
    ]

    lists.put(server, "hash", tools)

    assert lists.get(server, "hash") == tools
    assert lists.get(server, "other") is None
    assert lists.get("another", "hash") is None


def test_a_server_without_tools_differs_from_one_not_asked_yet(lists: DynamoToolLists, server: str) -> None:
    lists.put(server, "hash", [])

    assert lists.get(server, "hash") == []


def test_the_newest_list_stands(lists: DynamoToolLists, server: str) -> None:
    lists.put(server, "hash", [ToolSpec(server=server, name="a")])
    lists.put(server, "hash", [ToolSpec(server=server, name="b")])

    assert lists.get(server, "hash") == [ToolSpec(server=server, name="b")]

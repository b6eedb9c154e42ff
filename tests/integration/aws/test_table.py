from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.table import Query, Table
from tests.integration.aws.factories import random_id, run_concurrently

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from satchel.adapters.dynamodb.items import Item


@pytest.fixture
def pk() -> str:
    return f"PART#{random_id('s')}"


def test_get_many_returns_more_items_than_one_batch(table: Table, pk: str) -> None:
    keys = [(pk, f"{number:03d}") for number in range(101)]
    for _, sk in keys:
        table.put({"pk": pk, "sk": sk, "text": sk * 10})

    items = table.get_many([*keys, (pk, "not there")])

    assert sorted((str(item["pk"]), str(item["sk"])) for item in items) == keys
    assert table.get_many([]) == []


def test_get_many_requests_unprocessed_keys_again(table: Table, pk: str) -> None:
    for sk in "AB":
        table.put({"pk": pk, "sk": sk})
    batch_get_item, batch_sizes = table.client.batch_get_item, []

    def get_one(**request: Any) -> Any:  # noqa: ANN401  (the boto3 client's)
        keys = request["RequestItems"][table.name]["Keys"]
        batch_sizes.append(len(keys))
        response = batch_get_item(RequestItems={table.name: {"Keys": keys[:1]}})
        rest = {table.name: {"Keys": keys[1:]}} if keys[1:] else {}
        return {**response, "UnprocessedKeys": rest}

    limited_client = SimpleNamespace(batch_get_item=get_one)
    items = Table(cast("DynamoDBClient", limited_client), table.name).get_many([(pk, "A"), (pk, "B")])

    assert [item["sk"] for item in items] == ["A", "B"]
    assert batch_sizes == [2, 1]


def test_item_round_trips(table: Table, pk: str) -> None:
    item: Item = {"pk": pk, "sk": "A", "text": "ü \x00 \U0001f4c8", "empty": "", "number": 7, "yes": True, "no": False}

    table.put(item)

    assert table.get(pk, "A") == item


def test_missing_item_is_none(table: Table, pk: str) -> None:
    assert table.get(pk, "A") is None


def test_put_replaces_unless_if_absent(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "A", "n": 1})
    table.put({"pk": pk, "sk": "A", "n": 2})

    with pytest.raises(ConditionFailed) as raised:
        table.put({"pk": pk, "sk": "A", "n": 3}, if_absent=True)

    assert raised.value.positions == [0]
    assert table.get(pk, "A") == {"pk": pk, "sk": "A", "n": 2}


def test_update_requires_its_condition(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "A", "status": "open"})

    def close() -> None:
        values = {"closed": "closed", "open": "open"}
        table.update(pk, "A", "SET #s = :closed", "#s = :open", values, {"#s": "status"})

    close()
    with pytest.raises(ConditionFailed):
        close()

    assert table.get(pk, "A") == {"pk": pk, "sk": "A", "status": "closed"}


def test_delete_of_a_missing_item_does_nothing(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "A"})

    table.delete(pk, "A")
    table.delete(pk, "A")

    assert table.get(pk, "A") is None


def test_transaction_is_atomic_and_reports_the_failed_positions(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "B", "status": "open"})

    with pytest.raises(ConditionFailed) as raised:
        table.transact(
            [
                table.build_put({"pk": pk, "sk": "A"}, if_absent=True),
                table.build_put({"pk": pk, "sk": "B"}, if_absent=True),
                table.build_put_if({"pk": pk, "sk": "C"}, "held_by", "me"),
            ],
        )

    assert raised.value.positions == [1, 2]
    assert table.query_all(pk, "") == [{"pk": pk, "sk": "B", "status": "open"}]


def test_transaction_puts_updates_replaces_and_deletes(table: Table, pk: str) -> None:
    for sk in "ABC":
        table.put({"pk": pk, "sk": sk, "held_by": "me", "n": 1})

    table.transact(
        [
            table.build_delete(pk, "A"),
            table.build_update(pk, "B", "SET n = :two", "n = :one", {"one": 1, "two": 2}, {}),
            table.build_put_if({"pk": pk, "sk": "C", "held_by": "you"}, "held_by", "me"),
            table.build_put({"pk": pk, "sk": "D"}, if_absent=True),
        ],
    )

    assert table.query_all(pk, "") == [
        {"pk": pk, "sk": "B", "held_by": "me", "n": 2},
        {"pk": pk, "sk": "C", "held_by": "you"},
        {"pk": pk, "sk": "D"},
    ]


def test_one_of_many_concurrent_writers_gets_a_free_key(table: Table, pk: str) -> None:
    def write(number: int) -> int:
        table.transact([table.build_put({"pk": pk, "sk": "A", "n": number}, if_absent=True)])
        return number

    results = run_concurrently([lambda number=number: write(number) for number in range(8)])  # type: ignore[misc]  # a bound default

    winners = [result for result in results if isinstance(result, int)]
    assert len(winners) == 1
    assert all(isinstance(result, ConditionFailed | WriteConflict) for result in results if result not in winners)
    assert table.get(pk, "A") == {"pk": pk, "sk": "A", "n": winners[0]}


class TestPages:
    @pytest.fixture
    def table_with_items(self, table: Table, pk: str) -> Table:
        for number in range(5):
            table.put({"pk": pk, "sk": f"N#{number}"})
        table.put({"pk": pk, "sk": "OTHER"})
        return table

    def test_pages_have_no_gap_or_repetition(self, table_with_items: Table, pk: str) -> None:
        first, after = table_with_items.query(Query(pk, "N#", limit=2))
        second, after_second = table_with_items.query(Query(pk, "N#", limit=2, after=after))
        third, last = table_with_items.query(Query(pk, "N#", limit=2, after=after_second))

        assert [[item["sk"] for item in page] for page in (first, second, third)] == [
            ["N#0", "N#1"],
            ["N#2", "N#3"],
            ["N#4"],
        ]
        assert last is None

    def test_pages_are_newest_first_on_request(self, table_with_items: Table, pk: str) -> None:
        page, after = table_with_items.query(Query(pk, "N#", limit=3, newest_first=True))
        rest, _ = table_with_items.query(Query(pk, "N#", limit=3, after=after, newest_first=True))

        assert [item["sk"] for item in page + rest] == ["N#4", "N#3", "N#2", "N#1", "N#0"]

    def test_page_continues_after_a_deleted_key(self, table_with_items: Table, pk: str) -> None:
        table_with_items.delete(pk, "N#2")

        page, _ = table_with_items.query(Query(pk, "N#", after="N#2"))

        assert [item["sk"] for item in page] == ["N#3", "N#4"]

    def test_page_ends_at_a_megabyte_and_the_next_one_continues(self, table: Table, pk: str) -> None:
        for number in range(4):
            table.put({"pk": pk, "sk": f"BIG#{number}", "text": "x" * 390_000})

        page, after = table.query(Query(pk, "BIG#", limit=100))

        assert 0 < len(page) < 4
        assert after == page[-1]["sk"]
        assert [item["sk"] for item in table.query_all(pk, "BIG#")] == ["BIG#0", "BIG#1", "BIG#2", "BIG#3"]

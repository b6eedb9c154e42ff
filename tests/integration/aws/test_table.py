import base64
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.items import from_cursor, to_cursor
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.errors import InvalidRequest
from tests.integration.aws.makers import at_once, fresh

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from satchel.adapters.dynamodb.items import Item


@pytest.fixture
def pk() -> str:
    return f"PART#{fresh('s')}"


def test_many_items_are_got_at_once_whatever_their_number(table: Table, pk: str) -> None:
    places = [(pk, f"{number:03d}") for number in range(101)]
    for _, sk in places:
        table.put({"pk": pk, "sk": sk, "text": sk * 10})

    found = table.get_many([*places, (pk, "not there")])

    assert sorted((str(item["pk"]), str(item["sk"])) for item in found) == places
    assert table.get_many([]) == []


def test_what_the_table_could_not_give_at_once_is_asked_for_again(table: Table, pk: str) -> None:
    for sk in "AB":
        table.put({"pk": pk, "sk": sk})
    ask, asked = table.client.batch_get_item, []

    def one_by_one(**request: Any) -> Any:  # noqa: ANN401  (the client's own)
        keys = request["RequestItems"][table.name]["Keys"]
        asked.append(len(keys))
        answer = ask(RequestItems={table.name: {"Keys": keys[:1]}})
        rest = {table.name: {"Keys": keys[1:]}} if keys[1:] else {}
        return {**answer, "UnprocessedKeys": rest}

    stingy = SimpleNamespace(batch_get_item=one_by_one)
    found = Table(cast("DynamoDBClient", stingy), table.name).get_many([(pk, "A"), (pk, "B")])

    assert [item["sk"] for item in found] == ["A", "B"]
    assert asked == [2, 1]


def test_an_item_comes_back_as_it_was_written(table: Table, pk: str) -> None:
    item: Item = {"pk": pk, "sk": "A", "text": "ü \x00 \U0001f4c8", "empty": "", "number": 7, "yes": True, "no": False}

    table.put(item)

    assert table.get(pk, "A") == item


def test_an_item_that_is_not_there_is_none(table: Table, pk: str) -> None:
    assert table.get(pk, "A") is None


def test_a_put_replaces_unless_the_place_must_be_free(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "A", "n": 1})
    table.put({"pk": pk, "sk": "A", "n": 2})

    with pytest.raises(ConditionFailed) as refused:
        table.put({"pk": pk, "sk": "A", "n": 3}, if_absent=True)

    assert refused.value.positions == [0]
    assert table.get(pk, "A") == {"pk": pk, "sk": "A", "n": 2}


def test_an_update_needs_its_condition(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "A", "status": "open"})

    def close() -> None:
        values = {"closed": "closed", "open": "open"}
        table.update(pk, "A", "SET #s = :closed", "#s = :open", values, {"#s": "status"})

    close()
    with pytest.raises(ConditionFailed):
        close()

    assert table.get(pk, "A") == {"pk": pk, "sk": "A", "status": "closed"}


def test_deleting_what_is_not_there_is_no_error(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "A"})

    table.delete(pk, "A")
    table.delete(pk, "A")

    assert table.get(pk, "A") is None


def test_a_transaction_writes_all_or_nothing_and_names_the_places_that_failed(table: Table, pk: str) -> None:
    table.put({"pk": pk, "sk": "B", "status": "open"})

    with pytest.raises(ConditionFailed) as refused:
        table.transact(
            [
                table.build_put({"pk": pk, "sk": "A"}, if_absent=True),
                table.build_put({"pk": pk, "sk": "B"}, if_absent=True),
                table.build_put_if({"pk": pk, "sk": "C"}, "held_by", "me"),
            ],
        )

    assert refused.value.positions == [1, 2]
    assert table.query_all(pk, "") == [{"pk": pk, "sk": "B", "status": "open"}]


def test_a_transaction_puts_updates_replaces_and_deletes(table: Table, pk: str) -> None:
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


def test_of_many_who_want_a_free_place_one_gets_it(table: Table, pk: str) -> None:
    def take(number: int) -> int:
        table.transact([table.build_put({"pk": pk, "sk": "A", "n": number}, if_absent=True)])
        return number

    came = at_once([lambda number=number: take(number) for number in range(8)])  # type: ignore[misc]  # a bound default

    winners = [result for result in came if isinstance(result, int)]
    assert len(winners) == 1
    assert all(isinstance(result, ConditionFailed | WriteConflict) for result in came if result not in winners)
    assert table.get(pk, "A") == {"pk": pk, "sk": "A", "n": winners[0]}


class TestPages:
    @pytest.fixture
    def filled(self, table: Table, pk: str) -> Table:
        for number in range(5):
            table.put({"pk": pk, "sk": f"N#{number}"})
        table.put({"pk": pk, "sk": "OTHER"})
        return table

    def test_follow_one_another_without_gap_or_repeat(self, filled: Table, pk: str) -> None:
        first, after = filled.query(Query(pk, "N#", limit=2))
        second, after_second = filled.query(Query(pk, "N#", limit=2, after=after))
        third, last = filled.query(Query(pk, "N#", limit=2, after=after_second))

        assert [[item["sk"] for item in page] for page in (first, second, third)] == [
            ["N#0", "N#1"],
            ["N#2", "N#3"],
            ["N#4"],
        ]
        assert last is None

    def test_come_newest_first_when_asked(self, filled: Table, pk: str) -> None:
        page, after = filled.query(Query(pk, "N#", limit=3, newest_first=True))
        rest, _ = filled.query(Query(pk, "N#", limit=3, after=after, newest_first=True))

        assert [item["sk"] for item in page + rest] == ["N#4", "N#3", "N#2", "N#1", "N#0"]

    def test_go_on_behind_a_place_where_nothing_is(self, filled: Table, pk: str) -> None:
        filled.delete(pk, "N#2")

        page, _ = filled.query(Query(pk, "N#", after="N#2"))

        assert [item["sk"] for item in page] == ["N#3", "N#4"]

    def test_end_at_a_megabyte_before_the_limit_and_go_on_from_there(self, table: Table, pk: str) -> None:
        for number in range(4):
            table.put({"pk": pk, "sk": f"BIG#{number}", "text": "x" * 390_000})

        page, after = table.query(Query(pk, "BIG#", limit=100))

        assert 0 < len(page) < 4
        assert after == page[-1]["sk"]
        assert [item["sk"] for item in table.query_all(pk, "BIG#")] == ["BIG#0", "BIG#1", "BIG#2", "BIG#3"]


class TestCursors:
    def test_lead_back_to_the_place_they_were_made_at(self) -> None:
        cursor = to_cursor("FILE#größe")

        assert cursor is not None
        assert "FILE" not in cursor
        assert from_cursor(cursor, "FILE#") == "FILE#größe"

    def test_are_none_at_the_beginning_and_at_the_end(self) -> None:
        assert from_cursor(None, "FILE#") is None
        assert to_cursor(None) is None

    @pytest.mark.parametrize(
        "cursor",
        [
            "",
            "garbage",
            "ÄÖÜ",
            "a=b=",
            to_cursor("TURN#t1"),
            to_cursor("FILE"),
            base64.b64encode(b"FILE#\xff").decode(),
            to_cursor("FILE#" + "x" * 1100),
            (to_cursor("FILE#1") or "") + "\n",
        ],
    )
    def test_that_a_list_did_not_give_are_refused(self, cursor: str) -> None:
        with pytest.raises(InvalidRequest) as refused:
            from_cursor(cursor, "FILE#")

        assert refused.value.details == {"cursor": cursor[:100]}

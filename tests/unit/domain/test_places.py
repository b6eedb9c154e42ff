"""Where things lie."""

from datetime import UTC, datetime, timedelta

import pytest

from satchel.domain.ids import FileKey, TurnId, UserName, call_id, new_id, object_id
from satchel.domain.object_keys import (
    ObjectKind,
    call_objects_prefixes,
    expiry_tags,
    input_path,
    object_key,
    outcome_key,
    tool_directory,
)

TURN = TurnId(new_id("t", datetime(2024, 8, 27, tzinfo=UTC), bytes(10)))
CALL = call_id(TURN, 0, 0)


@pytest.mark.clause("v2.1:storage:prefix")
def test_a_file_lies_under_its_owner_by_kind_and_day() -> None:
    file = FileKey(new_id("f", datetime(2024, 8, 27, tzinfo=UTC), bytes(10)))
    assert object_key(UserName("alice"), "uploads", file, "a.csv") == f"alice/uploads/20240827/{file}/a.csv"


@pytest.mark.parametrize("kind", ["artifacts", "deferred"])
def test_every_file_of_a_call_lies_under_one_of_the_calls_prefixes(kind: ObjectKind) -> None:
    for index in (0, 1, 5000):
        key = object_key(UserName("alice"), kind, object_id(CALL, index), "x")
        assert [key.startswith(prefix) for prefix in call_objects_prefixes(UserName("alice"), CALL)].count(True) == 1


def test_no_artifact_of_a_neighbour_lies_under_the_calls_prefix() -> None:
    neighbour = object_key(UserName("alice"), "artifacts", object_id(call_id(TURN, 0, 1), 0), "x")
    assert not neighbour.startswith(tuple(call_objects_prefixes(UserName("alice"), CALL)))


def test_the_outcome_lies_beside_the_files_not_among_them() -> None:
    key = outcome_key(UserName("alice"), TURN, CALL)
    assert key == f"alice/turns/{TURN}/{CALL}/outcome.json"
    assert not key.startswith(tuple(call_objects_prefixes(UserName("alice"), CALL)))


@pytest.mark.parametrize(
    ("hours", "days"),
    [
        (1, "1"),
        (23, "1"),
        (24, "3"),
        (71, "3"),
        (72, "7"),
        (167, "7"),
        (168, "30"),
        (719, "30"),
        (2000, "90"),
        (8760, "400"),
    ],
)
def test_the_bucket_drops_an_object_later_than_its_file_expires(hours: int, days: str) -> None:
    assert expiry_tags(timedelta(hours=hours)) == {"expire-days": days}


@pytest.mark.clause("v2.1:files:local-paths")
def test_a_tool_finds_its_inputs_where_the_contract_says() -> None:
    assert tool_directory(UserName("alice")) == "/tmp/alice/"
    assert input_path(UserName("alice"), "data.csv") == "/tmp/alice/input_files/data.csv"

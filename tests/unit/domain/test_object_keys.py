"""S3 keys, tags and paths of files."""

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
    turn_objects_prefixes,
)

TURN = TurnId(new_id("t", datetime(2024, 8, 27, tzinfo=UTC), bytes(10)))
CALL = call_id(TURN, 0, 0)


@pytest.mark.clause("v2.1:storage:prefix")
def test_object_key_has_owner_kind_and_date() -> None:
    file = FileKey(new_id("f", datetime(2024, 8, 27, tzinfo=UTC), bytes(10)))
    assert object_key(UserName("alice"), "uploads", file, "a.csv") == f"alice/uploads/20240827/{file}/a.csv"


@pytest.mark.parametrize("kind", ["artifacts", "deferred"])
def test_object_keys_of_a_call_start_with_one_of_its_prefixes(kind: ObjectKind) -> None:
    for index in (0, 1, 5000):
        key = object_key(UserName("alice"), kind, object_id(CALL, index), "x")
        assert [key.startswith(prefix) for prefix in call_objects_prefixes(UserName("alice"), CALL)].count(True) == 1


def test_object_keys_of_another_call_do_not_start_with_the_prefixes() -> None:
    other_key = object_key(UserName("alice"), "artifacts", object_id(call_id(TURN, 0, 1), 0), "x")
    assert not other_key.startswith(tuple(call_objects_prefixes(UserName("alice"), CALL)))


def test_outcome_key_does_not_start_with_the_prefixes() -> None:
    key = outcome_key(UserName("alice"), TURN, CALL)
    assert key == f"alice/turns/{TURN}/{CALL}/outcome.json"
    assert not key.startswith(tuple(call_objects_prefixes(UserName("alice"), CALL)))


def test_all_objects_of_a_turn_and_no_others_start_with_its_prefixes() -> None:
    user, time = UserName("alice"), TURN[1:11]
    prefixes = turn_objects_prefixes(user, TURN)

    assert prefixes[1:] == [f"alice/{kind}/20240827/f{time}" for kind in ("artifacts", "deferred")]
    for call in (CALL, call_id(TURN, 9, 9)):
        keys = [object_key(user, "deferred", object_id(call, 0), "x"), outcome_key(user, TURN, call)]
        assert all(key.startswith(tuple(prefixes)) for key in keys)
    other = TurnId(new_id("t", datetime(2024, 8, 28, tzinfo=UTC), bytes(10)))
    assert not outcome_key(user, other, call_id(other, 0, 0)).startswith(tuple(prefixes))


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
        (10_000, "400"),
    ],
)
def test_expiry_tag_is_the_next_number_of_days_or_the_last(hours: int, days: str) -> None:
    assert expiry_tags(timedelta(hours=hours)) == {"expire-days": days}


@pytest.mark.clause("v2.1:files:local-paths")
def test_paths_of_tools_are_those_of_the_contract() -> None:
    assert tool_directory(UserName("alice")) == "/tmp/alice/"
    assert input_path(UserName("alice"), "data.csv") == "/tmp/alice/input_files/data.csv"

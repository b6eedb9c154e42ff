"""Ids: sorted by time, validated, and derived for calls and their files."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from satchel.domain.ids import (
    CallId,
    FileKey,
    SessionId,
    TurnId,
    UserName,
    call_id,
    call_prefix,
    date_part,
    is_from_app,
    new_id,
    object_id,
    time_of,
    turn_of,
)

NOON = datetime(2024, 8, 27, 12, 0, 0, 123000, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 (hypothesis requires naive bounds)
ENTROPY = st.binary(min_size=10, max_size=10)


@given(earlier=MOMENTS, later=MOMENTS, one=ENTROPY, other=ENTROPY)
def test_later_id_sorts_later_for_any_entropy(earlier: datetime, later: datetime, one: bytes, other: bytes) -> None:
    if later - earlier >= timedelta(milliseconds=2):
        assert new_id("t", earlier, one) < new_id("t", later, other)


@given(moment=MOMENTS, entropy=ENTROPY)
def test_id_contains_its_time_in_milliseconds(moment: datetime, entropy: bytes) -> None:
    assert abs(time_of(new_id("s", moment, entropy)) - moment) <= timedelta(milliseconds=1)


@given(moment=MOMENTS, entropy=ENTROPY)
def test_new_id_is_valid_for_its_type(moment: datetime, entropy: bytes) -> None:
    for kind, id_type in (("s", SessionId), ("t", TurnId), ("f", FileKey)):
        identifier = new_id(kind, moment, entropy)
        assert TypeAdapter(id_type).validate_python(identifier) == identifier


def test_id_contains_times_of_the_far_future() -> None:
    moment = datetime(4000, 1, 1, tzinfo=UTC)
    assert time_of(new_id("s", moment, bytes(10))) == moment


def test_id_is_a_letter_and_26_characters() -> None:
    assert new_id("t", NOON, bytes(9) + b"\x21") == "t01j69va1kv0000000000000011"


def test_id_of_another_type_is_invalid() -> None:
    turn = new_id("t", NOON, bytes(10))
    with pytest.raises(ValidationError):
        TypeAdapter(SessionId).validate_python(turn)


def test_turn_of_an_app_is_known_by_its_id() -> None:
    assert is_from_app(TurnId(new_id("x", NOON, bytes(10))))
    assert not is_from_app(TurnId(new_id("t", NOON, bytes(10))))


def test_call_id_is_the_position_in_the_turn() -> None:
    turn = new_id("t", NOON, bytes(10))
    identifier = call_id(TurnId(turn), 3, 12)
    assert identifier == f"{turn}-03-12"
    assert TypeAdapter(CallId).validate_python(identifier) == identifier


def test_call_id_contains_the_id_of_its_turn() -> None:
    turn = TurnId(new_id("t", NOON, bytes(10)))
    assert (turn_of(call_id(turn, 3, 12)), turn_of(turn)) == (turn, turn)


def test_object_ids_of_a_call_share_a_unique_prefix() -> None:
    turn = TurnId(new_id("t", NOON, bytes(10)))
    call, other = call_id(turn, 0, 0), call_id(turn, 0, 1)
    files = [object_id(call, index) for index in (0, 1, 999)]
    assert len(set(files)) == 3
    assert {file.removeprefix(call_prefix(call)) for file in files} == {"0000", "0001", "00z7"}
    assert not object_id(other, 0).startswith(call_prefix(call))


def test_ids_of_calls_and_files_do_not_change_between_versions() -> None:
    """The stored objects of a call would not be found by a retry that derives other ids."""
    call = call_id(TurnId(new_id("t", NOON, bytes(10))), 0, 0)
    assert object_id(call, 7) == "f01j69va1kvavjrvst34txn0007"
    assert new_id("f", NOON, bytes(range(1, 11))) == "f01j69va1kv041061050r3gg28a"


def test_random_bytes_after_the_tenth_are_ignored() -> None:
    assert new_id("f", NOON, bytes(range(1, 20))) == new_id("f", NOON, bytes(range(1, 11)))


def test_object_ids_of_a_call_are_reproducible() -> None:
    call = call_id(TurnId(new_id("t", NOON, bytes(10))), 0, 0)
    assert object_id(call, 7) == object_id(call, 7)
    assert TypeAdapter(FileKey).validate_python(object_id(call, 7)) == object_id(call, 7)


def test_ids_of_a_call_and_its_files_contain_the_date_of_the_turn() -> None:
    call = call_id(TurnId(new_id("t", NOON, bytes(10))), 0, 0)
    assert (date_part(call), date_part(object_id(call, 1))) == ("20240827", "20240827")


@pytest.mark.parametrize("name", ["a", "alice@example.com", "A.b_c@d+e-f", "0" * 64, "x.."])
def test_user_name_may_be_an_email_address(name: str) -> None:
    assert TypeAdapter(UserName).validate_python(name) == name


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", ".alice", "-alice", "a/b", "a\\b", "a*", "a?", "a b", "alice\n", "a\0", "ä", "a" * 65, "a:b"],
)
def test_user_name_with_path_wildcard_or_line_break_is_invalid(name: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(UserName).validate_python(name)


@pytest.mark.parametrize(
    "key", ["", "f", "f" + "0" * 25, "f" + "0" * 27, "F" + "0" * 26, "f" + "u" * 26, "f../" + "0" * 23]
)
def test_malformed_file_key_is_invalid(key: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(FileKey).validate_python(key)

"""The branches of a conversation."""

import pytest

from satchel.domain.branches import START, After, turns_of_branch
from satchel.domain.ids import TurnId

LINEAR: dict[str, After] = {"a": None, "b": None, "c": None}


def branch(after: dict[str, After], last: str) -> str:
    found = turns_of_branch({TurnId(turn): named for turn, named in after.items()}, TurnId(last))
    return "".join(sorted(found))


@pytest.mark.parametrize(("last", "expected"), [("c", "abc"), ("b", "ab"), ("a", "a")])
def test_turns_follow_the_one_before_them(last: str, expected: str) -> None:
    assert branch(LINEAR, last) == expected


def test_edited_message_follows_the_turn_of_the_original() -> None:
    after = LINEAR | {"d": TurnId("a"), "e": None}
    assert branch(after, "e") == "ade"
    assert branch(after | {"f": TurnId("c")}, "f") == "abcf"


def test_edited_first_message_begins_the_conversation_anew() -> None:
    assert branch(LINEAR | {"d": START, "e": None}, "e") == "de"


@pytest.mark.parametrize("named", ["d", "e"])
def test_impossible_turns_of_an_import_end_the_branch(named: str) -> None:
    assert branch(LINEAR | {"d": TurnId(named), "e": TurnId("d")}, "e") == "de"

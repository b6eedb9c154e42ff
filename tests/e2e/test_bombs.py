"""Results of tools that are much larger or deeper than any tool needs: the turn ends, and the next call works."""

import json

import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.user_client import Json, UserClient


def explode(user: UserClient, kind: str) -> Json:
    """Let a tool return a bomb, and return the response of the turn. The next call of the same server must work."""
    session_id = user.create_session()
    turn = user.ask(session_id, f"/trial.explode {json.dumps({'kind': kind})}")
    next_turn = user.ask(session_id, '/trial.wait {"seconds": 0}')
    assert (turn["status"], next_turn["status"]) == ("complete", "complete")
    assert next_turn["tool_calls"][0]["is_error"] is False
    return turn


@pytest.mark.parametrize(("kind", "chars"), [("answer", 3_000_000), ("depth", 40_013), ("number", 5_013)])
def test_next_call_works_after_a_bomb(new_user: NewUser, kind: str, chars: int) -> None:
    user = new_user()
    turn = explode(user, kind)

    (call,) = turn["tool_calls"]
    assert call["is_error"] is False
    if kind == "number":
        assert (len(call["results"]), turn["artifacts"]) == (chars, [])
    else:  # too long for the model
        (file,) = turn["artifacts"]
        assert len(call["results"]) < chars
        assert len(user.request("GET", file["download_url"]).content) == chars


def test_workbook_that_is_a_zip_bomb_is_stored_as_it_is(new_user: NewUser) -> None:
    turn = explode(new_user(), "workbook")

    (file,) = turn["artifacts"]
    assert (file["name"], turn["tool_calls"][0]["results"]) == ("a.xlsx", "packed")
    assert file["size"] < 1 << 20

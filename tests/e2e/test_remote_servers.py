"""Servers that Satchel calls over HTTP, in the running system."""

import json
import time
from typing import Any

import httpx2

from tests.e2e.conftest import NewUser

TIMEOUT_SECONDS = 120.0


def _items(response: dict[str, Any]) -> list[str]:
    [call] = response["tool_calls"]
    items: list[str] = json.loads(call["results"]) if isinstance(call["results"], str) else call["results"]
    return items


def _open_carts(cart: str) -> list[list[str]]:
    carts: dict[str, list[str]] = httpx2.get(f"{cart}/requests", timeout=60).json()["carts"]
    return list(carts.values())


def test_remote_server_keeps_its_session_for_one_chat_session_until_that_ends(new_user: NewUser, cart: str) -> None:
    user, other = new_user(), new_user()
    session = user.create_session()
    user.ask(session, '/cart.add {"item": "pen"}')

    assert _items(user.ask(session, '/cart.add {"item": "cup"}')) == ["pen", "cup"]
    assert _items(other.ask(other.create_session(), "/cart.view {}")) == []
    assert ["pen", "cup"] in _open_carts(cart)
    user.request("DELETE", f"/api/sessions/{session}")
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while ["pen", "cup"] in _open_carts(cart):
        assert time.monotonic() < deadline, "the server's session was not ended"
        time.sleep(0.05)

"""Asking for the end of everything, doing it in pieces, and looking for what is left."""

from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient

from satchel.domain.ids import SessionId, UserName
from tests.integration.http.world import World


def erase(http: TestClient, token: str | None = None) -> Any:  # noqa: ANN401  (an answer)
    return http.delete("/api/me", headers={"X-Satchel-Confirm": token} if token else {})


def confirmed(http: TestClient) -> dict[str, Any]:
    answer = erase(http, erase(http).json()["confirm_token"])
    assert answer.status_code == 202, answer.text
    begun: dict[str, Any] = answer.json()
    return begun


def go_on(world: World, user: str, more_time: Callable[[], bool] = lambda: True) -> bool:
    """Do what the function does that nobody waits for."""
    return world.use_cases.erase_user(UserName(user), more_time)


def everything(world: World, *words: str) -> list[str]:
    """The keys of all items in which one of these words stands, and of all objects; a test may scan."""
    items = world.table.client.get_paginator("scan").paginate(TableName=world.table.name)
    kept = [item for page in items for item in page["Items"]]
    found = [f"{item['pk']['S']} {item['sk']['S']}" for item in kept if any(word in str(item) for word in words)]
    versions = world.store.client.get_paginator("list_object_versions").paginate(Bucket=world.store.bucket)
    objects = [each["Key"] for page in versions for each in page.get("Versions", []) + page.get("DeleteMarkers", [])]
    return found + [key for key in objects if any(word in key for word in words)]


def turns_of(world: World, session_id: str) -> list[str]:
    return [turn.turn_id for turn in world.turns.list(SessionId(session_id), 100, None).items]


def words_of(world: World, user: str) -> list[str]:
    """The ids by which everything of a person is found: their name, their sessions and turns."""
    sessions = [session.session_id for session in world.sessions.list(UserName(user), 100, None).items]
    return [user, *sessions, *(turn_id for session_id in sessions for turn_id in turns_of(world, session_id))]


def left(world: World, words: list[str]) -> list[str]:
    """All but the report of the erasure itself."""
    return [place for place in everything(world, *words) if not place.startswith("ERASURE#")]


def time_for(steps: int) -> Callable[[], bool]:
    """Time for so many steps."""
    taken = 0

    def more_time() -> bool:
        nonlocal taken
        taken += 1
        return taken < steps

    return more_time


class killed_after:  # noqa: N801  (used as a statement)
    """The process dies with its so many-th request: nothing that comes after it is done."""

    def __init__(self, world: World, requests: int) -> None:
        self._clients = [world.table.client, world.store.client]
        self._left = requests

    def __enter__(self) -> None:
        for client in self._clients:
            client.meta.events.register("before-call", self._count)

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.meta.events.unregister("before-call", self._count)

    def _count(self, **_: object) -> None:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1

"""Helpers of the tests that delete all data of a user: request, run and interrupt the deletion, find leftovers."""

from collections.abc import Callable
from typing import Any

from starlette.testclient import TestClient

from satchel.domain.ids import SessionId, UserName
from tests.integration.http.backend import Backend


def request_erasure(http: TestClient, token: str | None = None) -> Any:  # noqa: ANN401  (a response)
    return http.delete("/api/me", headers={"X-Satchel-Confirm": token} if token else {})


def confirm_erasure(http: TestClient) -> dict[str, Any]:
    """Request and confirm the deletion. Return the second response."""
    response = request_erasure(http, request_erasure(http).json()["confirm_token"])
    assert response.status_code == 202, response.text
    erasure: dict[str, Any] = response.json()
    return erasure


def run_erasure(backend: Backend, user: UserName, more_time: Callable[[], bool] = lambda: True) -> bool:
    """Run the deletion, as the function erase does. Return True if it is complete."""
    return backend.use_cases.erase_user(user, more_time)


def find_data(backend: Backend, *words: str) -> list[str]:
    """Return the keys of all items and objects that contain one of these words."""
    items = backend.table.client.get_paginator("scan").paginate(TableName=backend.table.name)
    stored = [item for page in items for item in page["Items"]]
    keys = [f"{item['pk']['S']} {item['sk']['S']}" for item in stored if any(word in str(item) for word in words)]
    versions = backend.store.client.get_paginator("list_object_versions").paginate(Bucket=backend.store.bucket)
    objects = [each["Key"] for page in versions for each in page.get("Versions", []) + page.get("DeleteMarkers", [])]
    return keys + [key for key in objects if any(word in key for word in words)]


def turn_ids(backend: Backend, session_id: str) -> list[str]:
    return [turn.turn_id for turn in backend.turns.list(SessionId(session_id), 100, None).items]


def identifiers(backend: Backend, user: UserName) -> list[str]:
    """Return the user's name and the ids of all sessions and turns: all data of the user contains one of them."""
    sessions = [session.session_id for session in backend.sessions.list(user, 100, None).items]
    return [user, *sessions, *(turn_id for session_id in sessions for turn_id in turn_ids(backend, session_id))]


def find_leftovers(backend: Backend, words: list[str]) -> list[str]:
    """Return the keys of data that contains one of these words, except the record of the deletion itself."""
    return [key for key in find_data(backend, *words) if not key.startswith("ERASURE#")]


def time_for(steps: int) -> Callable[[], bool]:
    """Return a function that returns True for the first ``steps - 1`` calls."""
    taken = 0

    def more_time() -> bool:
        nonlocal taken
        taken += 1
        return taken < steps

    return more_time


class KillAfter:
    """Context manager that interrupts the process after so many requests to DynamoDB and S3."""

    def __init__(self, backend: Backend, requests: int) -> None:
        self._clients = [backend.table.client, backend.store.client]
        self._remaining = requests

    def __enter__(self) -> None:
        for client in self._clients:
            client.meta.events.register("before-call", self._count)

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.meta.events.unregister("before-call", self._count)

    def _count(self, **_: object) -> None:
        if not self._remaining:
            raise KeyboardInterrupt
        self._remaining -= 1

"""Tests of a running deployment. They are collected only if SATCHEL_LIVE_URL is set (docs/deploy.md).

SATCHEL_LIVE_URL is the URL of the deployment. SATCHEL_LIVE_TOKEN and SATCHEL_LIVE_OTHER_TOKEN are id tokens of two
users. Without tokens, the deployment must be a local system with the key in SATCHEL_LOCAL_KEY, which accepts any user
name.
"""

import os
import uuid
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.e2e.user_client import UserClient

URL = os.environ.get("SATCHEL_LIVE_URL", "").rstrip("/")
TOKEN, OTHER_TOKEN = (os.environ.get(f"SATCHEL_LIVE_{name}") for name in ("TOKEN", "OTHER_TOKEN"))

KEY = os.environ.get("SATCHEL_LOCAL_KEY", "")

collect_ignore_glob = [] if URL else ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = f"{Path(__file__).parent}/"
    for item in items:
        if str(item.path).startswith(here):  # pytest passes the tests of all folders, so this must be cheap
            item.add_marker(pytest.mark.live)


@dataclass(frozen=True)
class LiveUser(UserClient):
    """A user with an id token, or without one in a local system."""

    token: str | None = None

    def client(self) -> httpx2.Client:
        if self.token is None:
            return super().client()
        return httpx2.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60)


def _create_user(token: str | None) -> LiveUser:
    return LiveUser(URL, f"live{uuid.uuid4().hex[:12]}@example.com", key=KEY, token=token)


@pytest.fixture(scope="session")
def user() -> LiveUser:
    return _create_user(TOKEN)


@pytest.fixture(scope="session")
def stranger() -> LiveUser:
    if TOKEN and not OTHER_TOKEN:
        pytest.skip("SATCHEL_LIVE_OTHER_TOKEN is not set")
    return _create_user(OTHER_TOKEN)

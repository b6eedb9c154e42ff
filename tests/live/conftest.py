"""Tests of a deployment that runs: off unless it is named. `docs/deploy.md` says how.

SATCHEL_LIVE_URL is its address, SATCHEL_LIVE_TOKEN and SATCHEL_LIVE_OTHER_TOKEN are id tokens of two people. Without
tokens it is a local run, which believes who one says to be.
"""

import os
import uuid
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.e2e.person import Person

URL = os.environ.get("SATCHEL_LIVE_URL", "").rstrip("/")
TOKEN, OTHER_TOKEN = (os.environ.get(f"SATCHEL_LIVE_{name}") for name in ("TOKEN", "OTHER_TOKEN"))

collect_ignore_glob = [] if URL else ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.live)


@dataclass(frozen=True)
class LivePerson(Person):
    """Somebody with an id token, or by name where a local run believes it."""

    token: str | None = None

    def client(self) -> httpx2.Client:
        if self.token is None:
            return super().client()
        return httpx2.Client(base_url=self.url, headers={"Authorization": f"Bearer {self.token}"}, timeout=60)


def _somebody(token: str | None) -> LivePerson:
    return LivePerson(URL, f"live{uuid.uuid4().hex[:12]}@example.com", token=token)


@pytest.fixture(scope="session")
def person() -> LivePerson:
    return _somebody(TOKEN)


@pytest.fixture(scope="session")
def stranger() -> LivePerson:
    if TOKEN and not OTHER_TOKEN:
        pytest.skip("SATCHEL_LIVE_OTHER_TOKEN is not set")
    return _somebody(OTHER_TOKEN)

"""Tests of which requests an erasure refuses."""

from datetime import UTC, datetime, timedelta

import pytest

from satchel.domain.ids import UserName
from satchel.domain.users import Erasure

START = datetime(2026, 1, 1, tzinfo=UTC)
CLEARED = START + timedelta(minutes=1)
TICK = timedelta(microseconds=1)


@pytest.mark.parametrize("begun_at", [START - TICK, START, CLEARED])
def test_erasure_refuses_all_requests_until_older_data_is_deleted(begun_at: datetime) -> None:
    assert Erasure(user=UserName("alice"), started_at=START).refuses(begun_at)


@pytest.mark.parametrize("finished_at", [None, CLEARED + TICK])
def test_cleared_erasure_refuses_only_requests_that_began_earlier(finished_at: datetime | None) -> None:
    erasure = Erasure(user=UserName("alice"), started_at=START, cleared_at=CLEARED, finished_at=finished_at)
    assert [erasure.refuses(at) for at in (START, CLEARED - TICK, CLEARED, CLEARED + TICK)] == [
        True,
        True,
        False,
        False,
    ]


def test_finished_erasure_of_an_older_version_refuses_nothing() -> None:
    assert not Erasure(user=UserName("alice"), started_at=START, finished_at=CLEARED).refuses(START)

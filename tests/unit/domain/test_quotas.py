from datetime import UTC, datetime

import pytest

from satchel.domain.quotas import Quotas, end_of_minute, minute_of, seconds_left_in_minute


@pytest.mark.parametrize(("second", "microsecond", "left"), [(0, 0, 60), (1, 0, 59), (36, 500_000, 24), (59, 9, 1)])
def test_seconds_left_in_a_minute_are_rounded_up(second: int, microsecond: int, left: int) -> None:
    now = datetime(2026, 3, 1, 12, 0, second, microsecond, tzinfo=UTC)

    assert seconds_left_in_minute(now) == left
    assert end_of_minute(now) == datetime(2026, 3, 1, 12, 1, tzinfo=UTC)
    assert minute_of(end_of_minute(now)) == minute_of(now) + 1


def test_files_of_tools_may_exceed_the_storage_quota_by_a_tenth() -> None:
    quotas = Quotas(open_sessions=1, turns_per_minute=1, running_calls=1, uploads=1, stored_bytes=105)

    assert quotas.stored_bytes_with_tool_files == 115

from pathlib import Path

from tests.kills.__main__ import run


def test_nothing_acknowledged_is_lost_or_doubled_after_a_kill(tmp_path: Path) -> None:
    assert run(tmp_path, times=1, seed=1) == []

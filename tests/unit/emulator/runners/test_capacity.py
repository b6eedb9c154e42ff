from pathlib import Path

import psutil
import pytest

from local.emulator.runners.capacity import default_starts, environments_for, memory_limit

GIB = 1 << 30


def test_two_environments_start_at_a_time_for_each_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {0, 3, 5})
    assert default_starts() == 6


@pytest.mark.parametrize(("gibibytes", "environments"), [(1, 8), (4, 20), (8, 40), (24, 122), (1024, 128)])
def test_number_of_environments_follows_the_memory_within_limits(gibibytes: int, environments: int) -> None:
    assert environments_for(gibibytes * GIB) == environments


@pytest.mark.parametrize(
    ("groups", "limits", "expected"),
    [
        ("0::/", {"memory.max": "1000"}, 1000),
        ("0::/a/b", {"a/memory.max": "2000", "a/b/memory.max": "max"}, 2000),
        ("0::/host/path", {"memory.max": "3000"}, 3000),
        ("5:memory:/docker/1\n4:pids:/", {"memory/docker/1/memory.limit_in_bytes": "4000"}, 4000),
        ("5:memory:/docker/1\n0::/", {"memory/memory.limit_in_bytes": "5000"}, 5000),
    ],
    ids=["own group", "parent group", "path of the host", "version 1", "version 1 path of the host"],
)
def test_limit_of_a_control_group_applies(groups: str, limits: dict[str, str], expected: int, tmp_path: Path) -> None:
    (tmp_path / "groups").write_text(f"{groups}\n")
    for name, text in limits.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    assert memory_limit(tmp_path / "groups", tmp_path) == expected


@pytest.mark.parametrize("text", ["0::/\n", "1:pids:/\n", ""])
def test_machine_without_a_group_limit_has_all_its_memory(text: str, tmp_path: Path) -> None:
    (tmp_path / "groups").write_text(text)
    assert memory_limit(tmp_path / "groups", tmp_path) == psutil.virtual_memory().total
    assert memory_limit(tmp_path / "missing", tmp_path) == psutil.virtual_memory().total

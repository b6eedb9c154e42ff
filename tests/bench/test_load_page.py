"""The page of the load test, from given results."""

from pathlib import Path

import pytest

from tests.bench import load_page
from tests.bench.load import LoadResult, Turn
from tests.bench.load_page import Level, SessionPart, growth, knee, memory_growth, write


def level(people: int, seconds: float, error: str = "") -> Level:
    turns = [Turn(0, seconds / 10, error) for _ in range(people)]
    return Level(people, LoadResult(turns, seconds), 100, 200)


LEVELS = [level(1, 1), level(5, 2), level(20, 8, "failed"), level(50, 30)]
PARTS = [SessionPart(50, 0.1, 100), SessionPart(100, 0.1, 104), SessionPart(500, 0.11, 110)]


def test_knee_is_where_more_people_add_no_throughput() -> None:
    assert knee(LEVELS) == 5
    assert knee(LEVELS[:2]) == 5


def test_memory_growth_is_relative_to_the_first_fifty_turns() -> None:
    assert memory_growth(PARTS) == 1.1


def test_growth_of_the_time_is_the_slope_over_the_turns_of_the_session() -> None:
    parts = [SessionPart(last, 0.04 + last / 10_000, 100) for last in (50, 100, 500)]
    assert growth(parts) == pytest.approx(0.1)
    assert growth(parts[:1]) == 0


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([SessionPart(50, 0.05, 100), SessionPart(500, 0.07, 119)], 0),
        ([SessionPart(50, 0.05, 100), SessionPart(500, 0.08, 119)], 1),
        ([SessionPart(50, 0.05, 100), SessionPart(500, 0.07, 121)], 1),
    ],
)
def test_command_fails_if_a_long_session_becomes_slow_or_large(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parts: list[SessionPart], status: int
) -> None:
    monkeypatch.setattr(load_page, "measure_level", lambda people, _turns: level(people, 1))
    monkeypatch.setattr(load_page, "measure_session", lambda _turns: parts)
    assert load_page.main(["--load", "--people", "1", "--into", str(tmp_path)], tmp_path) == status


def test_page_and_plots_depend_only_on_the_results(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        write(LEVELS, PARTS, folder)
    names = ["benchmarks-load-session.svg", "benchmarks-load.md", "benchmarks-load.svg"]
    assert sorted(path.name for path in first.iterdir()) == names
    assert [(first / name).read_bytes() == (second / name).read_bytes() for name in names] == [True] * 3
    assert "| 20 | 20 | 20 | 2.5 |" in (first / "benchmarks-load.md").read_text(encoding="utf-8")

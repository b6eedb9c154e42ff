"""``make bench BENCH=--load``: load a machine with more and more people, then with one long session, and plot both.

Each number of people has a system of its own. Each person sends messages one after the other, without a pause. The
session of many turns shows if time and memory grow with its length.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import psutil
from matplotlib.figure import Figure

from tests.bench.load import LoadResult, UserLoad, run_turns
from tests.bench.plot import COLORS, STYLE
from tests.bench.report import this_machine
from tests.e2e.system_process import SystemProcess, running_system, serve_command
from tests.e2e.user_client import wait_for_tools

PEOPLE = (1, 5, 20, 50, 100)
TURNS_OF_EACH = 8
TURNS_OF_SESSION = 500
_FIRST, _PARTS = 50, 10
_SETTINGS = {"SATCHEL_USER_TURNS_PER_MINUTE": "1000000"}
_TOOL = "calculator"
_MIB = 1 << 20
_KNEE_GROWTH = 1.1
_MAX_MEMORY_GROWTH = 1.2
_MAX_GROWTH = 0.06  # milliseconds for each earlier turn
_HEAD = """# Load on one machine

`make bench BENCH=--load` writes this page and its plots. Each person sends messages one after the other, without a
pause, and each message calls a tool. All processes of the system share the machine with the program that sends the
messages.

![Turns a second and the time of a turn by the number of people](benchmarks-load.svg)

| people | turns | failed | turns a second | time of a turn, p50 | p99 | memory of the server | of all processes |
|--:|--:|--:|--:|--:|--:|--:|--:|
"""
_SESSION = """
## Many turns in one session

![Time of a turn and memory of the server by the number of turns](benchmarks-load-session.svg)

| turns | time of a turn, median | memory of the server |
|---|--:|--:|
"""


@dataclass(frozen=True)
class Level:
    """The result of a number of people. Memory is in MiB."""

    people: int
    result: LoadResult
    server_memory: float
    all_memory: float

    @property
    def failed(self) -> int:
        """Return the number of failed turns."""
        return sum(bool(turn.error) for turn in self.result.turns)

    @property
    def turns_per_second(self) -> float:
        """Return the throughput."""
        return len(self.result.turns) / self.result.seconds


@dataclass(frozen=True)
class SessionPart:
    """Consecutive turns of a session: the number of the last one, their median seconds, and the memory in MiB."""

    last: int
    seconds: float
    memory: float


def main(arguments: Sequence[str], docs: Path) -> int:
    """Measure, print and write the page. Return 1 if turns failed, or if a long session became too slow or large."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench --load", description="Load this machine.")
    parser.add_argument("--people", type=int, nargs="+", default=PEOPLE, metavar="N")
    parser.add_argument("--turns", type=int, default=TURNS_OF_EACH, metavar="N", help="messages of each person")
    parser.add_argument("--session", type=int, default=TURNS_OF_SESSION, metavar="N", help="turns of the long session")
    parser.add_argument("--into", type=Path, default=docs, metavar="FOLDER", help="default: docs")
    options = parser.parse_args([argument for argument in arguments if argument != "--load"])
    levels = []
    for people in options.people:
        levels.append(measure_level(people, options.turns))
        sys.stdout.write(_level_row(levels[-1]))
        sys.stdout.flush()
    parts = measure_session(options.session)
    sys.stdout.write("".join(map(_part_row, parts)))
    write(levels, parts, options.into)
    failed = any(level.failed for level in levels)
    return 1 if failed or memory_growth(parts) > _MAX_MEMORY_GROWTH or growth(parts) > _MAX_GROWTH else 0


def measure_level(people: int, turns: int) -> Level:
    """Let this many people send messages at the same time, to a system of their own. The first turn of each is cold."""
    with running_system(serve_command(), settings=_SETTINGS) as system:
        wait_for_tools(system.url)
        loads = [UserLoad(system.url, number, [_TOOL]) for number in range(people)]
        result = run_turns(loads, turns)
        return Level(people, result, *_memory(system))


def measure_session(turns: int) -> list[SessionPart]:
    """Send this many messages in one session, one after the other."""
    with running_system(serve_command(), settings=_SETTINGS) as system:
        wait_for_tools(system.url)
        load = UserLoad(system.url, 0, [_TOOL])
        parts = []
        size = max(1, turns // _PARTS)
        for last in range(size, turns + 1, size):
            result = run_turns([load], size)
            seconds = statistics.median(turn.seconds for turn in result.turns)
            parts.append(SessionPart(last, seconds, _memory(system)[0]))
        return parts


def memory_growth(parts: Sequence[SessionPart]) -> float:
    """Return the memory at the end, as a multiple of the memory after the first 50 turns."""
    return parts[-1].memory / next(part.memory for part in parts if part.last >= min(_FIRST, parts[-1].last))


def growth(parts: Sequence[SessionPart]) -> float:
    """Return how many milliseconds each earlier turn of a session adds to a turn: the slope of the regression line."""
    if len(parts) == 1:
        return 0.0
    milliseconds = [1000 * part.seconds for part in parts]
    return statistics.linear_regression([part.last for part in parts], milliseconds).slope


def knee(levels: Sequence[Level]) -> int:
    """Return the number of people beyond which more people add less than 10 % throughput."""
    for level, more in pairwise(levels):
        if more.turns_per_second < level.turns_per_second * _KNEE_GROWTH:
            return level.people
    return levels[-1].people


def _memory(system: SystemProcess) -> tuple[float, float]:
    """Return the memory of the server process, and of it and all of its descendants, in MiB."""
    server = psutil.Process(system.process.pid)
    own = server.memory_full_info().uss / _MIB
    others = 0.0
    for child in server.children(recursive=True):
        try:
            others += child.memory_full_info().uss / _MIB
        except psutil.NoSuchProcess:
            continue  # it has just ended
    return own, own + others


def write(levels: Sequence[Level], parts: Sequence[SessionPart], folder: Path) -> None:
    """Write the page and its plots."""
    (folder / "benchmarks-load.md").write_text("".join(_lines(levels, parts)), encoding="utf-8")
    _draw_levels(levels, folder / "benchmarks-load.svg")
    _draw_session(parts, folder / "benchmarks-load-session.svg")


def _lines(levels: Sequence[Level], parts: Sequence[SessionPart]) -> Iterator[str]:
    yield _HEAD
    yield from map(_level_row, levels)
    yield f"\nThe knee is at {knee(levels)} people: more people add less than 10 % turns a second, and wait longer.\n"
    yield _SESSION
    yield from map(_part_row, parts)
    first, times = min(_FIRST, parts[-1].last), memory_growth(parts)
    yield f"\nEach earlier turn adds {growth(parts):.2f} ms to a turn (limit: {_MAX_GROWTH}).\n"
    yield f"\nMemory at the end: {times:.2f} times that after {first} turns (limit: {_MAX_MEMORY_GROWTH}).\n"
    yield f"\nMeasured on {this_machine()}.\n"


def _level_row(level: Level) -> str:
    p50, p99 = (level.result.percentile(percent) for percent in (50, 99))
    cells = (
        *(level.people, len(level.result.turns), level.failed, f"{level.turns_per_second:.1f}"),
        *(f"{p50:.2f} s", f"{p99:.2f} s", f"{level.server_memory:.0f} MiB", f"{level.all_memory:.0f} MiB"),
    )
    return f"| {' | '.join(map(str, cells))} |\n"


def _part_row(part: SessionPart) -> str:
    return f"| up to {part.last} | {1000 * part.seconds:.0f} ms | {part.memory:.0f} MiB |\n"


def _draw_levels(levels: Sequence[Level], target: Path) -> None:
    people = [level.people for level in levels]
    times = [[level.result.percentile(percent) for level in levels] for percent in (50, 99)]
    _draw(
        target,
        "people",
        people,
        ("turns a second", [[level.turns_per_second for level in levels]]),
        ("seconds of a turn (blue: p50, grey: p99)", times),
    )


def _draw_session(parts: Sequence[SessionPart], target: Path) -> None:
    _draw(
        target,
        "turns in the session",
        [part.last for part in parts],
        ("milliseconds of a turn (median)", [[1000 * part.seconds for part in parts]]),
        ("MiB of the server", [[part.memory for part in parts]]),
    )


def _draw(target: Path, x_label: str, x: Sequence[int], *panels: tuple[str, Sequence[Sequence[float]]]) -> None:
    """Write an SVG with a panel for each label and its lines."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 4), layout="constrained")
        for number, (label, lines) in enumerate(panels, 1):
            axes = figure.add_subplot(1, len(panels), number)
            for line, color in zip(lines, COLORS, strict=False):
                axes.plot(x, line, marker="o", color=color)
            axes.set(xlabel=x_label, ylabel=label, ylim=(0, None))
            axes.grid(color="#d0d7de", linewidth=0.6)
            axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})

"""What the harness writes, and what it reads from the command line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bench import __main__ as command
from tests.bench.curves import Curve, Line, Points, Traced
from tests.bench.harness import Benchmark, Limit, Pair, Result
from tests.bench.plot import draw, draw_curve
from tests.bench.report import PEERS, markdown, this_machine
from tests.bench.words import summary, times
from tests.cold_start import FUNCTIONS


@contextmanager
def setting() -> Iterator[Pair]:
    yield Pair(lambda: 3.0, lambda: 2.0)


TWO = {name: Benchmark(name, "three", "two", "MiB", setting, runs=1) for name in ("start", "turn")}


def result(name: str = "turn", *, factor: float = 1.0, limit: Limit | None = None) -> Result:
    mark = Benchmark(name, "a whole turn", "the tool alone", "ms", setting, limit=limit)
    return Result(mark, (400.0 * factor, 412.3 * factor, 500.0 * factor), (2.0, 1.9, 2.1))


def test_a_line_gives_the_medians_and_the_ratio() -> None:
    assert summary(result()) == "turn: 412 ms / 2 ms = 206× (n=3)"  # noqa: RUF001  (the sign for times)


@pytest.mark.parametrize(
    ("ratio", "written"), [(0.01234, "0.0123"), (1.239, "1.24"), (99.94, "99.9"), (99.96, "100"), (1234.0, "1,230")]
)
def test_figures_have_three_digits(ratio: float, written: str) -> None:
    assert times(ratio)[:-1] == written


def test_the_page_has_a_row_for_each_benchmark_and_says_how_to_run_again() -> None:
    page = markdown([result(), result("start", factor=2)], [], "2 cores (Linux x86_64), Python 3.11.7")

    assert page.split("|--:|\n")[1] == (
        "| turn | a whole turn | the tool alone | 412 ms | 2 ms | 206× | none | 3 |\n"  # noqa: RUF001  (the sign for times)
        "| start | a whole turn | the tool alone | 825 ms | 2 ms | 412× | none | 3 |\n"  # noqa: RUF001  (the same)
        "\n"
        "Measured on 2 cores (Linux x86_64), Python 3.11.7. "
        "Run again: `make bench`; one of them: `python -m tests.bench --only NAME`.\n"
    )


@pytest.mark.parametrize(
    ("limit", "kept", "missed"),
    [
        (Limit("ratio", 207), "206× | < 207× | 3 |", ""),  # noqa: RUF001  (the sign for times)
        (Limit("ratio", 206), "206× | **< 206×, missed** | 3 |", ", over its limit: < 206×"),  # noqa: RUF001  (the same)
        (Limit("measured", 413), "206× | < 413 ms | 3 |", ""),  # noqa: RUF001  (the same)
        (Limit("measured", 412), "206× | **< 412 ms, missed** | 3 |", ", over its limit: < 412 ms"),  # noqa: RUF001
    ],
)
def test_a_limit_stands_beside_the_figure_and_a_missed_one_is_marked(limit: Limit, kept: str, missed: str) -> None:
    assert kept in markdown([result(limit=limit)], [], "a machine")
    assert summary(result(limit=limit)).partition("(n=3)")[2] == missed


def test_the_machine_is_told_by_its_cores_and_python_without_a_path() -> None:
    assert re.fullmatch(r"\d+ cores \(\w+ \w+\), Python 3\.\d+\.\S+", this_machine())


def test_the_same_results_draw_the_same_bytes(tmp_path: Path) -> None:
    results = [result(), result("start", factor=0.5)]
    draw(results, tmp_path / "one.svg")
    draw(results, tmp_path / "two.svg")
    drawn = (tmp_path / "one.svg").read_text()

    assert drawn == (tmp_path / "two.svg").read_text()
    assert "dc:date" not in drawn
    assert all(f">{text}<" in drawn for text in ("turn", "start", "206×", "103×"))  # noqa: RUF001  (the sign for times)


def traced(*, max_exponent: float = 1.2) -> Traced:
    curve = Curve("size", "A file", "MB", "seconds", (1, 10, 100), lines, max_exponent)
    ours, theirs = Points("ours", ((1, 0.1), (10, 1.0), (100, 10.0))), Points("theirs", ((1, 0.1), (10, 10.0)))
    return Traced(curve, (ours, theirs))


@contextmanager
def lines() -> Iterator[list[Line]]:
    yield [Line("ours", lambda _size: None), Line("theirs", lambda _size: None, up_to=10)]


@pytest.mark.parametrize(("most", "kept"), [(1.1, "has to stay below 1.1."), (0.9, "below 0.9, and **did not**.")])
def test_a_curve_is_shown_with_the_power_with_which_each_line_grows(most: float, kept: str) -> None:
    page = markdown([], [traced(max_exponent=most)], "a machine", PEERS)

    assert "## A file\n\n![seconds over MB](benchmarks-peers-size.svg)\n" in page
    assert "From 1 to 100 the time grows. ours: with the size to the power of 1.00; theirs:" in page
    assert "power of 2.00." in page
    assert kept in page


def test_a_curve_is_drawn_the_same_each_time(tmp_path: Path) -> None:
    draw_curve(traced(), tmp_path / "one.svg")
    draw_curve(traced(), tmp_path / "two.svg")
    drawn = (tmp_path / "one.svg").read_text()

    assert drawn == (tmp_path / "two.svg").read_text()
    assert all(text in drawn for text in ("ours: size to the power of 1.00", "theirs: size to the power of 2.00"))


def test_every_benchmark_here_is_found_under_its_own_name() -> None:
    names = list(command.discover())

    assert names == [
        *(f"artifacts-{name}" for name in ("inline", "inline-memory", "path", "path-memory")),
        "call-warm",
        "call-first",
        "files",
        *(f"import-{function}" for function in FUNCTIONS),
        "inline-stdio",
        "inline-http",
        "walls-start",
        "walls-writes",
        "start",
        "turn",
        "inline-size",
    ]


def test_all_benchmarks_make_the_page_and_its_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--runs", "2"], TWO, {}, tmp_path) == 0

    assert capsys.readouterr().out == (
        "start: 3 MiB / 2 MiB = 1.5× (n=2)\n"  # noqa: RUF001  (the sign for times)
        "turn: 3 MiB / 2 MiB = 1.5× (n=2)\n"  # noqa: RUF001  (the same)
    )
    assert "| turn | three | two | 3 MiB | 2 MiB |" in (tmp_path / "benchmarks.md").read_text()
    assert (tmp_path / "benchmarks.svg").read_text().startswith("<?xml")


def test_one_benchmark_alone_leaves_the_page_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "turn"], TWO, {}, tmp_path) == 0

    assert capsys.readouterr().out == "turn: 3 MiB / 2 MiB = 1.5× (n=1)\n"  # noqa: RUF001  (the sign for times)
    assert list(tmp_path.iterdir()) == []


def test_peers_have_a_page_of_their_own_and_a_curve_has_its_plot(tmp_path: Path) -> None:
    curve = Curve("size", "A file", "MB", "seconds", (1, 2), lines, max_exponent=1e9, runs=1)

    assert command.main(["--peers"], {}, TWO | {"size": curve}, tmp_path) in {0, 1}
    assert {path.name for path in tmp_path.iterdir()} == {
        "benchmarks-peers.md",
        "benchmarks-peers.svg",
        "benchmarks-peers-size.svg",
    }


@pytest.mark.parametrize(("below", "code"), [(1.5, 1), (1.6, 0)])
def test_one_that_misses_its_limit_fails_after_all_is_written(below: float, code: int, tmp_path: Path) -> None:
    limited = Benchmark("turn", "three", "two", "MiB", setting, runs=1, limit=Limit("ratio", below))

    assert command.main([], {"turn": limited, "start": TWO["start"]}, {}, tmp_path) == code
    assert {path.name for path in tmp_path.iterdir()} == {"benchmarks.md", "benchmarks.svg"}


def test_one_that_does_not_exist_is_a_matter_of_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(["--only", "nothing"], TWO, {}, tmp_path)
    assert "start, turn" in capsys.readouterr().err.replace("'", "")


@pytest.mark.parametrize("runs", ["0", "-3", "many"])
def test_the_number_of_runs_is_at_least_one(runs: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(["--runs", runs], TWO, {}, tmp_path)

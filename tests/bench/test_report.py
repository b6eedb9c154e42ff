"""Reports of benchmarks and the command line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bench import __main__ as command
from tests.bench.curves import Candidate, Curve, CurveResult, Series
from tests.bench.formatting import ratio_text, result_line
from tests.bench.harness import Benchmark, Comparison, Limit, Result
from tests.bench.plot import draw, draw_curve
from tests.bench.report import BENCHMARKS_PAGE, PEERS_PAGE, markdown, this_machine
from tests.cold_start import FUNCTIONS
from tests.e2e.web.conftest import CHROMIUM


@contextmanager
def setup() -> Iterator[Comparison]:
    yield Comparison(lambda: 3.0, lambda: 2.0)


TWO = {name: Benchmark(name, "three", "two", "MiB", setup, runs=1) for name in ("start", "turn")}


def result(name: str = "turn", *, factor: float = 1.0, limit: Limit | None = None) -> Result:
    benchmark = Benchmark(name, "a whole turn", "the tool alone", "ms", setup, limit=limit)
    return Result(benchmark, (400.0 * factor, 412.3 * factor, 500.0 * factor), (2.0, 1.9, 2.1))


def test_result_line_has_the_medians_and_the_ratio() -> None:
    assert result_line(result()) == "turn: 412 ms / 2 ms = 206× (n=3)"  # noqa: RUF001  (the sign for times)


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.01234, "0.0123"), (1.239, "1.24"), (99.94, "99.9"), (99.96, "100"), (1234.0, "1,230")]
)
def test_figures_have_three_significant_digits(ratio: float, text: str) -> None:
    assert ratio_text(ratio)[:-1] == text


def test_page_has_a_row_for_each_benchmark_and_the_commands_to_run_them() -> None:
    page = markdown([result(), result("start", factor=2)], [], "2 cores (Linux x86_64), Python 3.11.7")

    assert page.split("|--:|\n")[1] == (
        "| turn | a whole turn | the tool alone | 412 ms | 2 ms | 206× | none | 3 |\n"  # noqa: RUF001  (the sign for times)
        "| start | a whole turn | the tool alone | 825 ms | 2 ms | 412× | none | 3 |\n"  # noqa: RUF001  (the same)
        f"{BENCHMARKS_PAGE.other_plots}"
        "\n"
        "Measured on 2 cores (Linux x86_64), Python 3.11.7. "
        "Run all: `make bench`. Run one: `python -m tests.bench --only NAME`.\n"
    )


def test_page_of_benchmarks_has_the_plots_of_the_load() -> None:
    plots = re.findall(r"\]\((\S+\.svg)\)", markdown([result()], [], "2 cores"))
    assert {"benchmarks-load.svg", "benchmarks-load-session.svg"} <= set(plots)
    assert "load" not in markdown([result()], [], "2 cores", PEERS_PAGE).split("\n| benchmark", 1)[1]


@pytest.mark.parametrize(
    ("limit", "row_end", "line_end"),
    [
        (Limit("ratio", 207), "206× | < 207× | 3 |", ""),  # noqa: RUF001  (the sign for times)
        (Limit("ratio", 206), "206× | **< 206×, missed** | 3 |", ", over its limit: < 206×"),  # noqa: RUF001  (the same)
        (Limit("measured", 413), "206× | < 413 ms | 3 |", ""),  # noqa: RUF001  (the same)
        (Limit("measured", 412), "206× | **< 412 ms, missed** | 3 |", ", over its limit: < 412 ms"),  # noqa: RUF001
    ],
)
def test_limit_is_shown_and_marked_if_it_is_missed(limit: Limit, row_end: str, line_end: str) -> None:
    assert row_end in markdown([result(limit=limit)], [], "a machine")
    assert result_line(result(limit=limit)).partition("(n=3)")[2] == line_end


def test_machine_is_described_by_its_cores_and_python_without_a_path() -> None:
    assert re.fullmatch(r"\d+ cores \(\w+ \w+\), Python 3\.\d+\.\S+", this_machine())


def test_equal_results_give_equal_plots(tmp_path: Path) -> None:
    results = [result(), result("start", factor=0.5)]
    draw(results, tmp_path / "one.svg")
    draw(results, tmp_path / "two.svg")
    svg = (tmp_path / "one.svg").read_text()

    assert svg == (tmp_path / "two.svg").read_text()
    assert "dc:date" not in svg
    assert all(f">{text}<" in svg for text in ("turn", "start", "206×", "103×"))  # noqa: RUF001  (the sign for times)


def curve_result(*, max_exponent: float = 1.2) -> CurveResult:
    curve = Curve("size", "A file", "MB", "seconds", (1, 10, 100), candidates, max_exponent)
    linear, quadratic = (
        Series("linear", ((1, 0.1), (10, 1.0), (100, 10.0))),
        Series("quadratic", ((1, 0.1), (10, 10.0))),
    )
    return CurveResult(curve, (linear, quadratic))


@contextmanager
def candidates() -> Iterator[list[Candidate]]:
    yield [Candidate("linear", lambda _size: None), Candidate("quadratic", lambda _size: None, max_size=10)]


@pytest.mark.parametrize(
    ("max_exponent", "limit"), [(1.1, "The limit for linear is size^1.1."), (0.9, "size^0.9, **missed**.")]
)
def test_curve_is_shown_with_the_growth_of_each_series_and_the_limit(max_exponent: float, limit: str) -> None:
    page = markdown([], [curve_result(max_exponent=max_exponent)], "a machine", PEERS_PAGE)

    assert "## A file\n\n![seconds by MB](benchmarks-peers-size.svg)\n" in page
    assert "Growth of the time from size 1 to 100: size^1.00 for linear; size^2.00 for quadratic." in page
    assert limit in page


def test_equal_curves_give_equal_plots(tmp_path: Path) -> None:
    draw_curve(curve_result(), tmp_path / "one.svg")
    draw_curve(curve_result(), tmp_path / "two.svg")
    svg = (tmp_path / "one.svg").read_text()

    assert svg == (tmp_path / "two.svg").read_text()
    assert all(text in svg for text in ("linear: size^1.00", "quadratic: size^2.00"))


def test_all_benchmarks_are_discovered_by_name() -> None:
    names = list(command.discover())

    assert names == [
        *(["app", "app-first"] if CHROMIUM else []),
        *(f"artifacts-{name}" for name in ("inline", "inline-memory", "path", "path-memory")),
        "call-warm",
        "call-first",
        *(f"data-{name}" for name in ("turn", "start", "memory-items", "memory-files", "item", "content")),
        *(f"documents-{name}" for name in ("page", "search", "search-memory")),
        "files",
        *(f"import-{function}" for function in FUNCTIONS),
        "inline-stdio",
        "inline-http",
        "sandbox-start",
        "sandbox-writes",
        "memory",
        "prompt",
        "prompt-pictures-time",
        "prompt-pictures-bytes",
        "start",
        "turn",
        "inline-size",
    ]


def test_run_of_all_benchmarks_writes_the_page_and_its_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--runs", "2"], TWO, {}, tmp_path) == 0

    assert capsys.readouterr().out == (
        "start: 3 MiB / 2 MiB = 1.5× (n=2)\n"  # noqa: RUF001  (the sign for times)
        "turn: 3 MiB / 2 MiB = 1.5× (n=2)\n"  # noqa: RUF001  (the same)
    )
    assert "| turn | three | two | 3 MiB | 2 MiB |" in (tmp_path / "benchmarks.md").read_text()
    assert (tmp_path / "benchmarks.svg").read_text().startswith("<?xml")


def test_run_of_one_benchmark_writes_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--only", "turn"], TWO, {}, tmp_path) == 0

    assert capsys.readouterr().out == "turn: 3 MiB / 2 MiB = 1.5× (n=1)\n"  # noqa: RUF001  (the sign for times)
    assert list(tmp_path.iterdir()) == []


def test_peers_have_their_own_page_and_each_curve_has_a_plot(tmp_path: Path) -> None:
    curve = Curve("size", "A file", "MB", "seconds", (1, 2), candidates, max_exponent=1e9, runs=1)

    assert command.main(["--peers"], {}, TWO | {"size": curve}, tmp_path) in {0, 1}
    assert {path.name for path in tmp_path.iterdir()} == {
        "benchmarks-peers.md",
        "benchmarks-peers.svg",
        "benchmarks-peers-size.svg",
    }


@pytest.mark.parametrize(("below", "code"), [(1.5, 1), (1.6, 0)])
def test_missed_limit_exits_with_1_after_writing_the_page(below: float, code: int, tmp_path: Path) -> None:
    limited = Benchmark("turn", "three", "two", "MiB", setup, runs=1, limit=Limit("ratio", below))

    assert command.main([], {"turn": limited, "start": TWO["start"]}, {}, tmp_path) == code
    assert {path.name for path in tmp_path.iterdir()} == {"benchmarks.md", "benchmarks.svg"}


def test_unknown_benchmark_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(["--only", "nothing"], TWO, {}, tmp_path)
    assert "start, turn" in capsys.readouterr().err.replace("'", "")


@pytest.mark.parametrize("runs", ["0", "-3", "many"])
def test_number_of_runs_must_be_at_least_one(runs: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(["--runs", runs], TWO, {}, tmp_path)

"""`python -m tests.bench [--peers] [--only NAME]… [--runs N]`: run the benchmarks and write docs/benchmarks.md.

`--aws [--record]` computes the times of turns on AWS instead, and writes docs/benchmarks-aws.md (``aws_time``).
`--load [--help]` measures many people and a long session here, and writes docs/benchmarks-load.md (``load_page``).

``--peers`` installs and measures other products instead, and writes docs/benchmarks-peers.md. ``--only`` writes no
page, because a page always has all benchmarks of one run.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.bench import load_page
from tests.bench.aws_time import page as aws_page
from tests.bench.curves import Curve, CurveResult, measure_curve
from tests.bench.formatting import curve_text, result_line
from tests.bench.harness import Benchmark, Result, measure
from tests.bench.plot import draw, draw_curve
from tests.bench.report import BENCHMARKS_PAGE, PEERS_PAGE, Page, markdown, this_machine

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"


BenchmarksByName = Mapping[str, Benchmark | Curve]


def discover(folder: Path = HERE, package: str = "tests.bench") -> dict[str, Benchmark | Curve]:
    """Return the benchmarks and curves of all modules ``bench_*.py`` by name, in the order of the modules' names."""
    return by_name([import_module(f"{package}.{path.stem}") for path in sorted(folder.glob("bench_*.py"))])


def by_name(modules: Sequence[ModuleType]) -> dict[str, Benchmark | Curve]:
    """Return the ``BENCHMARKS`` of the modules, then their optional ``CURVES``, by name."""
    benchmarks: list[Benchmark] = [benchmark for module in modules for benchmark in module.BENCHMARKS]
    curves: list[Curve] = [curve for module in modules for curve in getattr(module, "CURVES", ())]
    everything: list[Benchmark | Curve] = [*benchmarks, *curves]
    return {each.name: each for each in everything}


def main(arguments: Sequence[str], benchmarks: BenchmarksByName, peers: BenchmarksByName, docs: Path) -> int:
    """Run the selected benchmarks, print a line for each, and write the page into ``docs`` if all were run.

    Return 1 if a result is over its limit, else 0.
    """
    options = _options(arguments, [*benchmarks, *peers])
    selected = peers if options.peers else benchmarks
    results: list[Result | CurveResult] = []
    for name in options.only or selected:
        results.append(_measure({**benchmarks, **peers}[name], options.runs))
        sys.stdout.write(f"{_line(results[-1])}\n")
        sys.stdout.flush()
    if not options.only:
        write(results, docs, PEERS_PAGE if options.peers else BENCHMARKS_PAGE)
    return 0 if all(result.within_limit for result in results) else 1


def write(results: Sequence[Result | CurveResult], folder: Path, page: Page) -> None:
    """Write the page and its plots."""
    rows = [result for result in results if isinstance(result, Result)]
    curves = [result for result in results if isinstance(result, CurveResult)]
    (folder / f"{page.stem}.md").write_text(markdown(rows, curves, this_machine(), page), encoding="utf-8")
    draw(rows, folder / f"{page.stem}.svg")
    for result in curves:
        draw_curve(result, folder / f"{page.stem}-{result.curve.name}.svg")


def _measure(benchmark: Benchmark | Curve, runs: int | None) -> Result | CurveResult:
    return measure(benchmark, runs=runs) if isinstance(benchmark, Benchmark) else measure_curve(benchmark, runs=runs)


def _line(result: Result | CurveResult) -> str:
    return result_line(result) if isinstance(result, Result) else f"{result.curve.name}: {curve_text(result)}"


def _options(arguments: Sequence[str], names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure Satchel against baselines.")
    parser.add_argument("--peers", action="store_true", help="install and measure only the other products")
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of: {', '.join(names)}")
    parser.add_argument("--runs", type=_positive, metavar="N", help="number of measured runs of each benchmark")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


if __name__ == "__main__":
    if "--aws" in sys.argv:
        sys.exit(aws_page.main(sys.argv[1:], DOCS))
    if "--load" in sys.argv:
        sys.exit(load_page.main(sys.argv[1:], DOCS))
    sys.exit(main(sys.argv[1:], discover(), by_name([import_module("tests.bench.peers.benchmarks")]), DOCS))

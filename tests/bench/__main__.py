"""`python -m tests.bench [--peers] [--only NAME]… [--runs N]`: run the benchmarks and write docs/benchmarks.md.

With ``--only`` nothing is written: the page always shows all of them, from one run. With ``--peers`` it is those of
``peers`` instead, which are installed first, and docs/benchmarks-peers.md.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.bench.curves import Curve, Traced, trace
from tests.bench.harness import Benchmark, Result, measure
from tests.bench.plot import draw, draw_curve
from tests.bench.report import ALL, PEERS, Page, markdown, this_machine
from tests.bench.words import growth, summary

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"


Named = Mapping[str, Benchmark | Curve]


def discover(folder: Path = HERE, package: str = "tests.bench") -> dict[str, Benchmark | Curve]:
    """Find what every module ``bench_*.py`` has to measure, by name, in the order of the modules' names."""
    return named([import_module(f"{package}.{path.stem}") for path in sorted(folder.glob("bench_*.py"))])


def named(modules: Sequence[ModuleType]) -> dict[str, Benchmark | Curve]:
    """Return the ``BENCHMARKS`` of modules, then the ``CURVES`` of those that have some."""
    benchmarks: list[Benchmark] = [benchmark for module in modules for benchmark in module.BENCHMARKS]
    curves: list[Curve] = [curve for module in modules for curve in getattr(module, "CURVES", ())]
    measured: list[Benchmark | Curve] = [*benchmarks, *curves]
    return {found.name: found for found in measured}


def main(arguments: Sequence[str], ours: Named, peers: Named, docs: Path) -> int:
    """Run those that are asked for, print a line for each, and write the page into ``docs`` when all were run.

    Return 1 if one of them is over its limit, else 0.
    """
    options = _options(arguments, [*ours, *peers])
    chosen = peers if options.peers else ours
    results: list[Result | Traced] = []
    for name in options.only or chosen:
        results.append(_measured({**ours, **peers}[name], options.runs))
        sys.stdout.write(f"{_line(results[-1])}\n")
        sys.stdout.flush()
    if not options.only:
        write(results, docs, PEERS if options.peers else ALL)
    return 0 if all(result.kept for result in results) else 1


def write(results: Sequence[Result | Traced], folder: Path, page: Page) -> None:
    """Write the page and the plots that it shows."""
    rows = [result for result in results if isinstance(result, Result)]
    curves = [result for result in results if isinstance(result, Traced)]
    (folder / f"{page.stem}.md").write_text(markdown(rows, curves, this_machine(), page), encoding="utf-8")
    draw(rows, folder / f"{page.stem}.svg")
    for traced in curves:
        draw_curve(traced, folder / f"{page.stem}-{traced.curve.name}.svg")


def _measured(what: Benchmark | Curve, runs: int | None) -> Result | Traced:
    return measure(what, runs=runs) if isinstance(what, Benchmark) else trace(what, runs=runs)


def _line(result: Result | Traced) -> str:
    return summary(result) if isinstance(result, Result) else f"{result.curve.name}: {growth(result)}"


def _options(arguments: Sequence[str], names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure Satchel against baselines.")
    parser.add_argument("--peers", action="store_true", help="install and measure the peers, and nothing else")
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of: {', '.join(names)}")
    parser.add_argument("--runs", type=_positive, metavar="N", help="pairs of runs that count, for each benchmark")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], discover(), named([import_module("tests.bench.peers.compared")]), DOCS))

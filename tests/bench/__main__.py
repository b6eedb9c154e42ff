"""`python -m tests.bench [--only NAME]… [--runs N]`: run the benchmarks and write docs/benchmarks.md.

With ``--only`` nothing is written: the page always shows all of them, from one run.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from tests.bench.harness import Benchmark, Result, measure
from tests.bench.plot import draw
from tests.bench.report import markdown, this_machine
from tests.bench.words import summary

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"


def discover(folder: Path = HERE, package: str = "tests.bench") -> dict[str, Benchmark]:
    """Find the ``BENCHMARKS`` of every module ``bench_*.py``, by name, in the order of the modules' names."""
    modules = [import_module(f"{package}.{path.stem}") for path in sorted(folder.glob("bench_*.py"))]
    found: list[Benchmark] = [benchmark for module in modules for benchmark in module.BENCHMARKS]
    return {benchmark.name: benchmark for benchmark in found}


def main(arguments: Sequence[str], benchmarks: Mapping[str, Benchmark], docs: Path) -> int:
    """Run those that are asked for, print a line for each, and write the page into ``docs`` when all were run.

    Return 1 if one of them is over its limit, else 0.
    """
    options = _options(arguments, list(benchmarks))
    results = []
    for name in options.only or benchmarks:
        results.append(measure(benchmarks[name], runs=options.runs))
        sys.stdout.write(f"{summary(results[-1])}\n")
        sys.stdout.flush()
    if not options.only:
        write(results, docs)
    return 0 if all(result.kept for result in results) else 1


def write(results: Sequence[Result], folder: Path) -> None:
    """Write the page and the plot that it shows."""
    (folder / "benchmarks.md").write_text(markdown(results, this_machine()), encoding="utf-8")
    draw(results, folder / "benchmarks.svg")


def _options(arguments: Sequence[str], names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure Satchel against baselines.")
    parser.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of: {', '.join(names)}")
    parser.add_argument("--runs", type=_positive, metavar="N", help="pairs of runs that count, for each benchmark")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], discover(), DOCS))

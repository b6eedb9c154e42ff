"""The results as a page: docs/benchmarks.md."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.curves import Traced
from tests.bench.harness import Result
from tests.bench.words import bound, growth, medians, times


@dataclass(frozen=True)
class Page:
    """A page in docs/: the name of its files, and how it is made again."""

    stem: str
    command: str


ALL = Page("benchmarks", "make bench")
PEERS = Page("benchmarks-peers", "make bench BENCH=--peers")
_HEAD = """# Benchmarks

Each line compares two things that were measured in turn in one run: what Satchel does, and a baseline that anybody can
judge. The ratio of the medians is what counts; seconds differ from machine to machine. A limit in a unit is one of the
median, and any other is one of the ratio; what is over its limit is marked, and then `make bench` fails.

![Each run as a multiple of its baseline's median]({stem}.svg)

| benchmark | measured | baseline | median | baseline's median | ratio | limit | n |
|---|---|---|--:|--:|--:|--:|--:|
"""


def markdown(results: Sequence[Result], curves: Sequence[Traced], machine: str, page: Page = ALL) -> str:
    """Write the page; the same results give the same page."""
    rows = "".join(map(_row, results))
    drawn = "".join(_curve(traced, page) for traced in curves)
    again = f"Run again: `{page.command}`; one of them: `python -m tests.bench --only NAME`."
    return f"{_HEAD.format(stem=page.stem)}{rows}{drawn}\nMeasured on {machine}. {again}\n"


def this_machine() -> str:
    """Say what the figures depend on, and nothing that tells whose machine it is."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({platform.system()} {platform.machine()}), Python {platform.python_version()}"


def _curve(traced: Traced, page: Page) -> str:
    curve = traced.curve
    return f"\n## {curve.title}\n\n![{curve.y} over {curve.x}]({page.stem}-{curve.name}.svg)\n\n{growth(traced)}\n"


def _row(result: Result) -> str:
    mark = result.benchmark
    limit = bound(mark) if result.kept else f"**{bound(mark)}, missed**"
    cells = [mark.name, mark.measures, mark.against, *medians(result), times(result.ratio), limit]
    return f"| {' | '.join(cells)} | {len(result.measured)} |\n"

"""Markdown pages of the results: docs/benchmarks.md and docs/benchmarks-peers.md."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass

from tests.bench.curves import CurveResult
from tests.bench.formatting import curve_text, limit_text, median_texts, ratio_text
from tests.bench.harness import Result


@dataclass(frozen=True)
class Page:
    """A page in docs/. ``stem`` is the name of its files, ``command`` the command that writes it.

    ``other_plots`` is a section with the plots of other commands.
    """

    stem: str
    command: str
    other_plots: str = ""


_LOAD = """
## Load on one machine

The plots of [a page of its own](benchmarks-load.md), which `make bench BENCH=--load` writes.

![Turns a second and the time of a turn by the number of people](benchmarks-load.svg)

![Time of a turn and memory of the server by the number of turns in a session](benchmarks-load-session.svg)
"""
BENCHMARKS_PAGE = Page("benchmarks", "make bench", _LOAD)
PEERS_PAGE = Page("benchmarks-peers", "make bench BENCH=--peers")
_HEAD = """# Benchmarks

Each row compares an operation of Satchel with a baseline. Both were measured in turn in one run. Compare the ratio of
the medians, because times differ between machines. A limit without a unit applies to the ratio, a limit with a unit to
the median. Results over their limit are marked, and `{command}` fails. Other pages: [load on one
machine](benchmarks-load.md), [times on AWS](benchmarks-aws.md), [other products](benchmarks-peers.md).

![Each run as a multiple of its baseline's median]({stem}.svg)

| benchmark | measured | baseline | median | baseline's median | ratio | limit | n |
|---|---|---|--:|--:|--:|--:|--:|
"""


def markdown(
    results: Sequence[Result], curves: Sequence[CurveResult], machine: str, page: Page = BENCHMARKS_PAGE
) -> str:
    """Return the page. Equal results give an equal page."""
    rows = "".join(map(_row, results))
    sections = "".join(_section(result, page) for result in curves)
    footer = f"Run all: `{page.command}`. Run one: `python -m tests.bench --only NAME`."
    head = _HEAD.format(stem=page.stem, command=page.command)
    return f"{head}{rows}{sections}{page.other_plots}\nMeasured on {machine}. {footer}\n"


def this_machine() -> str:
    """Return the properties of this machine that affect the figures, without host name, user or paths."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({platform.system()} {platform.machine()}), Python {platform.python_version()}"


def _section(result: CurveResult, page: Page) -> str:
    curve = result.curve
    plot = f"![{curve.y} by {curve.x}]({page.stem}-{curve.name}.svg)"
    return f"\n## {curve.title}\n\n{plot}\n\n{curve_text(result)}\n"


def _row(result: Result) -> str:
    benchmark = result.benchmark
    limit = limit_text(benchmark) if result.within_limit else f"**{limit_text(benchmark)}, missed**"
    descriptions = [benchmark.name, benchmark.measured, benchmark.baseline]
    cells = [*descriptions, *median_texts(result), ratio_text(result.ratio), limit]
    return f"| {' | '.join(cells)} | {len(result.measured)} |\n"

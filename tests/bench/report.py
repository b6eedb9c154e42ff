"""The results as a page: docs/benchmarks.md."""

import os
import platform
from collections.abc import Sequence

from tests.bench.harness import Result
from tests.bench.words import bound, medians, times

_HEAD = """# Benchmarks

Each line compares two things that were measured in turn in one run: what Satchel does, and a baseline that anybody can
judge. The ratio of the medians is what counts; seconds differ from machine to machine. A limit in a unit is one of the
median, and any other is one of the ratio; what is over its limit is marked, and then `make bench` fails.

![Each run as a multiple of its baseline's median](benchmarks.svg)

| benchmark | measured | baseline | median | baseline's median | ratio | limit | n |
|---|---|---|--:|--:|--:|--:|--:|
"""
_AGAIN = "Run again: `make bench`; one of them: `python -m tests.bench --only NAME`."


def markdown(results: Sequence[Result], machine: str) -> str:
    """Write the page; the same results give the same page."""
    return f"{_HEAD}{''.join(map(_row, results))}\nMeasured on {machine}. {_AGAIN}\n"


def this_machine() -> str:
    """Say what the figures depend on, and nothing that tells whose machine it is."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores ({platform.system()} {platform.machine()}), Python {platform.python_version()}"


def _row(result: Result) -> str:
    mark = result.benchmark
    limit = bound(mark) if result.kept else f"**{bound(mark)}, missed**"
    cells = [mark.name, mark.measures, mark.against, *medians(result), times(result.ratio), limit]
    return f"| {' | '.join(cells)} | {len(result.measured)} |\n"

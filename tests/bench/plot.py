"""The plot: every run as a multiple of its baseline's median, one row a benchmark."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.bench.harness import Result
from tests.bench.words import times

MEASURED, BASELINE = "#1f6feb", "#8c959f"
ROW_INCHES = 0.75
SPREAD = 0.16  # of a row, between the dots of the two sides
_STYLE: dict[Any, Any] = {  # matplotlib's own type is a literal of its hundreds of settings
    "svg.hashsalt": "satchel",  # ids in the file would be random: the same results must give the same bytes
    "svg.fonttype": "none",  # text stays text, in the reader's own font
    "font.family": "sans-serif",
    "font.size": 10,
}


def draw(results: Sequence[Result], target: Path) -> None:
    """Write an SVG that depends on the results alone."""
    with mpl.rc_context(_STYLE):
        drawing = Figure(figsize=(8, 1.1 + ROW_INCHES * len(results)), layout="constrained")
        axes = drawing.add_subplot()
        for row, result in enumerate(results):
            _row(axes, row, result)
        _frame(axes, results)
        drawing.savefig(target, format="svg", metadata={"Date": None, "Creator": None})


def _row(axes: Axes, row: int, result: Result) -> None:
    unit = result.medians[1]
    for values, offset, colour in ((result.measured, -SPREAD, MEASURED), (result.baseline, SPREAD, BASELINE)):
        heights = [row + offset] * len(values)
        axes.scatter([value / unit for value in values], heights, s=18, color=colour, alpha=0.6, linewidths=0)
    axes.annotate(times(result.ratio), (result.ratio, row - SPREAD), (0, 7), textcoords="offset points", ha="center")


def _frame(axes: Axes, results: Sequence[Result]) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.axvline(1, color=BASELINE, linewidth=0.8)
    axes.set_yticks(range(len(results)), [result.benchmark.name for result in results])
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.set_xlabel("times the baseline's median (blue: measured, grey: baseline)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)

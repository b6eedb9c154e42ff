"""The plots: every run as a multiple of its baseline's median, one row a benchmark; and how things grow."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.bench.curves import Traced
from tests.bench.harness import Result
from tests.bench.words import times

MEASURED, BASELINE = "#1f6feb", "#8c959f"
COLOURS = (MEASURED, BASELINE)  # of a curve's lines, ours first
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


def draw_curve(traced: Traced, target: Path) -> None:
    """Write an SVG of one curve, both axes logarithmic: what grows with the size itself rises by 45 degrees."""
    with mpl.rc_context(_STYLE):
        drawing = Figure(figsize=(8, 4.5), layout="constrained")
        axes = drawing.add_subplot()
        for line, colour in zip(traced.lines, COLOURS, strict=False):
            axes.plot(*zip(*line.points, strict=True), marker="o", color=colour)
            label = f"{line.label}: size to the power of {line.exponent:.2f}"
            axes.annotate(label, line.points[-1], (-8, 0), textcoords="offset points", ha="right", color=colour)
        _frame_of_curve(axes, traced)
        drawing.savefig(target, format="svg", metadata={"Date": None, "Creator": None})


def _frame_of_curve(axes: Axes, traced: Traced) -> None:
    curve = traced.curve
    axes.set(title=curve.title, xlabel=curve.x, ylabel=curve.y, xscale="log", yscale="log")
    axes.set_xticks(curve.sizes, list(map(str, curve.sizes)), minor=False)
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(color="#d0d7de", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


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

"""Plots: each run as a multiple of its baseline's median, one row per benchmark, and the growth curves."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.bench.curves import CurveResult
from tests.bench.formatting import ratio_text
from tests.bench.harness import Result

MEASURED, BASELINE = "#1f6feb", "#8c959f"
COLORS = (MEASURED, BASELINE)  # of the series of a curve, Satchel's first
ROW_INCHES = 0.75
OFFSET = 0.16  # between the dots of the two operations, as a fraction of a row
STYLE: dict[Any, Any] = {  # matplotlib's type lists hundreds of settings
    "svg.hashsalt": "satchel",  # otherwise ids are random: equal results must give equal bytes
    "svg.fonttype": "none",  # keeps text as text, in a font of the reader
    "font.family": "sans-serif",
    "font.size": 10,
}


def draw(results: Sequence[Result], target: Path) -> None:
    """Write an SVG that depends only on the results."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 1.1 + ROW_INCHES * len(results)), layout="constrained")
        axes = figure.add_subplot()
        for row, result in enumerate(results):
            _draw_row(axes, row, result)
        _format_axes(axes, results)
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})


def draw_curve(result: CurveResult, target: Path) -> None:
    """Write an SVG of one curve with logarithmic axes."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.add_subplot()
        for series, color in zip(result.series, COLORS, strict=False):
            axes.plot(*zip(*series.points, strict=True), marker="o", color=color)
            label = f"{series.label}: size^{series.exponent:.2f}"
            axes.annotate(label, series.points[-1], (-8, 0), textcoords="offset points", ha="right", color=color)
        _format_curve_axes(axes, result)
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})


def _format_curve_axes(axes: Axes, result: CurveResult) -> None:
    curve = result.curve
    axes.set(title=curve.title, xlabel=curve.x, ylabel=curve.y, xscale="log", yscale="log")
    axes.set_xticks(curve.sizes, list(map(str, curve.sizes)), minor=False)
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(color="#d0d7de", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_row(axes: Axes, row: int, result: Result) -> None:
    unit = result.medians[1]
    for values, offset, color in ((result.measured, -OFFSET, MEASURED), (result.baseline, OFFSET, BASELINE)):
        heights = [row + offset] * len(values)
        axes.scatter([value / unit for value in values], heights, s=18, color=color, alpha=0.6, linewidths=0)
    axes.annotate(
        ratio_text(result.ratio), (result.ratio, row - OFFSET), (0, 7), textcoords="offset points", ha="center"
    )


def _format_axes(axes: Axes, results: Sequence[Result]) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.axvline(1, color=BASELINE, linewidth=0.8)
    axes.set_yticks(range(len(results)), [result.benchmark.name for result in results])
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.set_xlabel("times the baseline's median (blue: measured, grey: baseline)")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(left=False)

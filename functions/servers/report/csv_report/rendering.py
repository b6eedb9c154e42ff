"""Render a table's statistics as an HTML page and a chart. Text from the file is never interpreted as markup."""

import math
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from .table import MAX_VALUE_CHARS, Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = 24
MAX_CHARTED = 6
MAX_FREQUENT = 4
MAX_LABEL = 32
COLOR = "#3b6fd4"
PAGE = Template((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))


def render_page(name: str, table: Table) -> str:
    """Return the report as a self-contained HTML page without scripts, with a light and a dark color scheme."""
    figures = {"Rows": table.rows, "Columns": len(table.columns), "Ragged rows": table.ragged}
    return PAGE.substitute(
        title=escape(name),
        figures="\n".join(f"<div><dt>{label}</dt><dd>{count:,}</dd></div>" for label, count in figures.items()),
        columns="\n".join(_row(column, table.rows) for column in table.columns),
    )


def _row(column: Column, rows: int) -> str:
    values = {key: f"{value:,}" for key, value in column.describe(rows).items() if isinstance(value, int | float)}
    if minimum := values.get("distinct_at_least"):
        values["distinct"] = f"≥ {minimum}"
    numbers = [values.get(key, "") for key in ("empty", "distinct", "min", "mean", "max", "sum")]
    cells = [escape(column.name), column.kind, *numbers, _distribution(column)]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _distribution(column: Column) -> str:
    """Return bars for a column of numbers, or the most frequent values of a column of text, with a caption."""
    if column.kind == "number":
        caption = f"Number of rows by value, {column.low:.6g} to {column.high:.6g}"
        picture = _bars(column.shares(BARS))
    elif not (frequent := column.frequent_values(MAX_FREQUENT)):
        return ""
    elif frequent[0][1] == 1:
        caption, picture = "Each value is in one row", ""
    else:
        values = (
            f"<li>{escape(_shorten(value))}: {count:,} {'row' if count == 1 else 'rows'}</li>"
            for value, count in frequent
        )
        caption, picture = "Most frequent values", f"<ul>{''.join(values)}</ul>"
    return f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"


def _shorten(value: str) -> str:
    return value if len(value) < MAX_VALUE_CHARS else f"{value[: MAX_VALUE_CHARS - 1]}…"


def _bars(shares: list[float]) -> str:
    heights = (share / max(shares) for share in shares)
    bars = (f'<rect x="{n}" y="{1 - h:.3f}" width=".9" height="{h:.3f}"/>' for n, h in enumerate(heights) if h)
    return f'<svg viewBox="0 0 {len(shares)} 1" preserveAspectRatio="none">{"".join(bars)}</svg>' if shares else ""


def draw_chart(name: str, table: Table, path: Path) -> None:
    """Draw a PNG chart: distributions of numeric columns, or counts of distinct values if no column is numeric."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (importing matplotlib takes 1 s, which would delay tools/list)

    numeric = [column for column in table.columns if column.kind == "number"][:MAX_CHARTED]
    columns = min(len(numeric), 3) or 1
    rows = math.ceil(len(numeric) / columns) or 1
    figure = Figure(figsize=(max(3.4 * columns, 6), 2.6 * rows + 0.6), dpi=120, layout="constrained")
    figure.suptitle(_label(name), parse_math=False)
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for panel, column in zip(panels, numeric, strict=False):
        _draw_distribution(panel, column)
    if numeric:
        for panel in panels[len(numeric) :]:
            panel.set_axis_off()
    else:
        _draw_distinct(panels[0], table.columns[:MAX_CHARTED])
    figure.savefig(path)


def _draw_distribution(panel: "Axes", column: Column) -> None:
    percents = [100 * share for share in column.shares(BARS)]
    panel.bar(range(len(percents)), percents, width=0.9, color=COLOR)
    panel.set_xticks([-0.5, len(percents) - 0.5], [f"{column.low:.6g}", f"{column.high:.6g}"])
    panel.set_ylabel("% of rows")
    panel.set_title(_label(column.name), parse_math=False)


def _draw_distinct(panel: "Axes", columns: list[Column]) -> None:
    panel.barh(range(len(columns)), [len(column.counts) for column in columns], color=COLOR)
    panel.set_yticks(range(len(columns)), [_label(column.name) for column in columns], parse_math=False)
    panel.invert_yaxis()
    panel.set_xlabel("distinct values")


def _label(name: str) -> str:
    """Return a name as one line of at most 32 characters. Matplotlib draws a `$` in it unchanged."""
    line = " ".join(name.split())
    return line if len(line) <= MAX_LABEL else f"{line[: MAX_LABEL - 1]}…"

from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from functions.servers.report.csv_report import draw_chart, render_page
from functions.servers.report.csv_report.table import Column, Table


def table(names: list[str], rows: list[list[str]]) -> Table:
    made = Table([Column(name) for name in names], ",")
    made.add(rows)
    return made


class Page(HTMLParser):
    """The elements still open, those met, and the text of each table cell."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: set[str] = set()
        self.rows: list[list[str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  the base class passes them
        self.met.add(tag)
        if tag not in {"meta", "rect"}:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.open:
            self.rows[-1][-1] += data


def test_the_page_has_a_row_for_each_column() -> None:
    page = Page(render_page("sales.csv", table(["amount", "region"], [["1000", "north"], ["2500.5", ""]])))

    assert page.open == []
    assert page.rows[1:] == [
        ["amount", "number", "0", "", "1,000", "1,750.25", "2,500.5", "3,500.5", ""],
        ["region", "text", "1", "1", "", "", "", "", ""],
    ]


def test_the_page_says_that_distinct_values_are_at_least_so_many() -> None:
    page = Page(render_page("sales.csv", table(["id"], [[f"v{n}"] for n in range(2_000)])))

    assert page.rows[1][3] == "≥ 1,000"


def test_nothing_from_the_file_becomes_markup() -> None:
    html = render_page("<b>&$title.csv", table(["<script>alert(1)</script>", '" onload="x', "$rows"], [["1", "x", ""]]))
    page = Page(html)

    assert page.open == []
    assert page.met.isdisjoint({"script", "b", "link", "img", "iframe"})
    assert [row[0] for row in page.rows[1:]] == ["<script>alert(1)</script>", '" onload="x', "$rows"]
    assert "&lt;b&gt;&amp;$title.csv" in html


@pytest.mark.parametrize(
    ("names", "row"),
    [
        (["a"], ["1"]),
        (["a", "b", "c", "d"], ["1", "2", "3", "4"]),
        ([f"n{n}" for n in range(40)], ["1"] * 40),
        (["only", "texts"], ["x", "y"]),
        (["empty"], [""]),
        (["cost in $", r"$\frac$ and _^{", "two\nlines " * 40], ["1", "2", "x"]),
    ],
)
def test_a_chart_is_drawn_of_any_columns(tmp_path: Path, names: list[str], row: list[str]) -> None:
    path = tmp_path / "chart.png"
    draw_chart("$a_b$ ^{.csv", table(names, [row, row]), path)

    with Image.open(path) as image:
        assert image.format == "PNG"
        assert len(image.convert("L").getcolors() or ()) > 2


@pytest.mark.parametrize(
    "numbers", [["1e308", "-1e308"], ["5e-324", "1e-323"], ["1e15", "1000000000000000.1"], ["0", "0"]]
)
def test_a_chart_is_drawn_of_extreme_numbers(tmp_path: Path, numbers: list[str]) -> None:
    draw_chart("extreme.csv", table(["n"], [[number] for number in numbers]), tmp_path / "chart.png")

    assert (tmp_path / "chart.png").stat().st_size > 1_000

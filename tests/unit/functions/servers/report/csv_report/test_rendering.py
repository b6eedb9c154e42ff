from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from functions.servers.report.csv_report import draw_chart, render_page
from functions.servers.report.csv_report.table import Column, Table


def table(names: list[str], rows: list[list[str]]) -> Table:
    table = Table([Column(name) for name in names], ",")
    table.add(rows)
    return table


class Page(HTMLParser):
    """The unclosed tags, the set of all tags, and the text of each table cell."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.unclosed: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002  the base class passes them
        self.tags.add(tag)
        if tag not in {"meta", "rect"}:
            self.unclosed.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag != "rect":
            assert self.unclosed.pop() == tag

    def handle_data(self, data: str) -> None:
        if "td" in self.unclosed:
            self.rows[-1][-1] += data


def test_page_has_a_row_for_each_column() -> None:
    page = Page(render_page("sales.csv", table(["amount", "region"], [["1000", "north"], ["2500.5", ""]])))

    assert page.unclosed == []
    assert page.rows[1:] == [
        [
            "amount",
            "number",
            "0",
            "",
            "1,000",
            "1,750.25",
            "2,500.5",
            "3,500.5",
            "Number of rows by value, 1000 to 2500.5",
        ],
        ["region", "text", "1", "1", "", "", "", "", "Each value is in one row"],
    ]


def test_page_lists_the_frequent_values_texts_with_their_rows() -> None:
    names = ["north", "south", "<b>", "north", "east", "south", "north", "west", "x" * 40, "x" * 40]
    page = Page(render_page("sales.csv", table(["region"], [[name] for name in names])))

    assert page.rows[1][8] == f"Most frequent valuesnorth: 3 rowssouth: 2 rows{'x' * 31}…: 2 rows<b>: 1 row"


def test_page_marks_a_capped_number_of_distinct_values() -> None:
    page = Page(render_page("sales.csv", table(["id"], [[f"v{n}"] for n in range(2_000)])))

    assert page.rows[1][3] == "≥ 1,000"


def test_file_content_never_becomes_markup() -> None:
    html = render_page("<b>&$title.csv", table(["<script>alert(1)</script>", '" onload="x', "$rows"], [["1", "x", ""]]))
    page = Page(html)

    assert page.unclosed == []
    assert page.tags.isdisjoint({"script", "b", "link", "img", "iframe"})
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
def test_chart_is_drawn_for_any_columns(tmp_path: Path, names: list[str], row: list[str]) -> None:
    path = tmp_path / "chart.png"
    draw_chart("$a_b$ ^{.csv", table(names, [row, row]), path)

    with Image.open(path) as image:
        assert image.format == "PNG"
        assert len(image.convert("L").getcolors() or ()) > 2


@pytest.mark.parametrize(
    "numbers", [["1e308", "-1e308"], ["5e-324", "1e-323"], ["1e15", "1000000000000000.1"], ["0", "0"]]
)
def test_chart_is_drawn_for_extreme_numbers(tmp_path: Path, numbers: list[str]) -> None:
    draw_chart("extreme.csv", table(["n"], [[number] for number in numbers]), tmp_path / "chart.png")

    assert (tmp_path / "chart.png").stat().st_size > 1_000

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from fastmcp.exceptions import ToolError

from functions.servers.report.csv_report import reader
from functions.servers.report.csv_report.reader import guess_delimiter, read_in_steps
from functions.servers.report.csv_report.table import Table

Write = Callable[[bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: bytes) -> Path:
        path = tmp_path / "sales.csv"
        path.write_bytes(content)
        return path

    return write


def read(path: Path) -> Table:
    return [table for table, _ in read_in_steps(path)][-1]


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_rows_below_the_header_are_counted_for_all_line_ends(write: Write, end: bytes) -> None:
    table = read(write(end.join([b"a,b", b"1,x", b"2,y", b"3,z"])))

    assert (names(table), table.rows, table.ragged) == (["a", "b"], 3, 0)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_separator_is_detected(write: Write, delimiter: str) -> None:
    rows = ["name,x;y", "a b|c"], ["1", "3"], ["2", "4"]
    table = read(write("\n".join(delimiter.join(f'"{cell}"' for cell in row) for row in rows).encode()))

    assert (table.delimiter, names(table)) == (delimiter, ["name,x;y", "a b|c"])


@pytest.mark.parametrize(
    ("sample", "delimiter"),
    [
        ("", ","),
        ("alone\n1\n2\n", ","),
        ("id;name, first;name, last\n1;a;b\n", ";"),
        ("id,text\n1,a;b;c\n2,d;e\n", ","),
        ("a|b,c\n1|2\n3|4\n", "|"),
        ("a;b\n1,5;2,5\n", ";"),
        ('note,b\n"x;y\n;;",2\n', ","),
    ],
)
def test_guess_delimiter_returns_the_best_fit(sample: str, delimiter: str) -> None:
    assert guess_delimiter(sample) == delimiter


def test_semicolon_implies_a_decimal_comma(write: Write) -> None:
    table = read(write(b"a;b\n1,5;x\n2,5;y\n"))

    assert table.columns[0].describe(table.rows)["sum"] == 4


def test_byte_order_mark_is_not_part_of_the_first_name(write: Write) -> None:
    assert names(read(write(b"\xef\xbb\xbfa,b\n1,2\n"))) == ["a", "b"]


def test_quoted_line_end_does_not_end_a_row(write: Write) -> None:
    table = read(write(b'a,b\n"one\ntwo\r\n\r\nthree",1\n"say ""hi""",2\n'))

    assert (table.rows, table.ragged, table.columns[1].describe(2)["sum"]) == (2, 0, 3)


def test_blank_lines_are_ignored(write: Write) -> None:
    table = read(write(b"\n \na\n\n1\n  \n2\n\n"))

    assert (names(table), table.rows, table.columns[0].filled) == (["a"], 2, 2)


def test_quoted_empty_cell_is_a_row(write: Write) -> None:
    assert read(write(b'a\n""\n1\n')).rows == 2


def test_header_alone_has_no_rows(write: Write) -> None:
    table = read(write(b"a,b,c\n"))

    assert (names(table), table.rows, [c.kind for c in table.columns]) == (["a", "b", "c"], 0, ["empty"] * 3)


def test_columns_without_a_name_are_numbered(write: Write) -> None:
    assert names(read(write(b"a,, \n1,2,3\n"))) == ["a", "column 2", "column 3"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "sales.csv is empty."),
        (b"\xef\xbb\xbf", "sales.csv is empty."),
        (b" \n\n", "sales.csv is empty."),
        (
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01",
            "sales.csv is not a CSV file but binary data. Save it as CSV in UTF-8 and send it again.",
        ),
        (
            "größe,b\n1,2\n".encode("latin-1"),
            "sales.csv is not encoded in UTF-8. Save it as CSV in UTF-8 and send it again.",
        ),
        (b"a,b\n1,\0\n", "sales.csv is not a well-formed CSV file (line 1: binary data)."),
        (b'a,b\n1,2\n3,"4\n5,6\n', "sales.csv is not a well-formed CSV file (line 4: unexpected end of data)."),
        (b",".join([b"c"] * 1001), "sales.csv has 1,001 columns; at most 1,000 can be summarized."),
    ],
)
def test_invalid_file_raises_with_its_name_and_the_reason(write: Write, content: bytes, sentence: str) -> None:
    with pytest.raises(ToolError, match=f"^{re.escape(sentence)}$"):
        read(write(content))


def test_overlong_line_raises_before_it_is_loaded(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LINE", 1_000)

    with pytest.raises(ToolError, match=r"line 1: longer than 1,000 characters"):
        read(write(b"a\n" + b"x" * 5_000))


@pytest.mark.parametrize(("name", "reason"), [("none.csv", "No such file or directory"), (".", "Is a directory")])
def test_unreadable_file_raises_without_its_path(tmp_path: Path, name: str, reason: str) -> None:
    path = tmp_path / name

    with pytest.raises(ToolError, match=f"^{re.escape(path.name)} cannot be read: {reason}.$"):
        read(path)


def test_share_grows_with_each_step_to_one(write: Write) -> None:
    path = write(b"id,name\n" + b"".join(b"%d,a longer name here\n" % n for n in range(100_000)))
    steps = [(share, table.rows) for table, share in read_in_steps(path)]

    assert 10 <= len(steps) <= 20
    assert steps == sorted(set(steps))
    assert steps[-1] == (1.0, 100_000)


def test_tenfold_file_needs_no_more_memory(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "STEP", 8 << 10)

    def peak(rows: int) -> int:
        path = write(b"a,b\n" + b"here,there\n" * rows)
        tracemalloc.start()
        try:
            read(path)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(100_000) < 1.5 * peak(10_000)

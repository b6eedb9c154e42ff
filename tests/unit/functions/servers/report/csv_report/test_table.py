import pytest

from functions.servers.report.csv_report.table import MAX_DISTINCT, MAX_SAMPLE, Column, Table, histogram, numbers_in


def column(*cells: str, decimal_comma: bool = False) -> Column:
    column = Column("c")
    column.add(cells, decimal_comma=decimal_comma)
    return column


def test_numeric_column_is_described_by_min_mean_max_and_sum() -> None:
    assert column("1", " 2.5 ", "", "-4e0").describe(rows=4) == {
        "column": "c",
        "type": "number",
        "empty": 1,
        "min": -4,
        "mean": pytest.approx(-0.5 / 3),
        "max": 2.5,
        "sum": -0.5,
    }


def test_one_word_makes_a_column_text() -> None:
    late = column("1", "2")
    late.add(["2", "n/a"], decimal_comma=False)
    late.add(["3"], decimal_comma=False)

    assert late.describe(rows=5) == {"column": "c", "type": "text", "empty": 0, "distinct": 4}


def test_column_without_filled_cells_is_empty() -> None:
    assert column("", "  ").describe(rows=2) == {"column": "c", "type": "empty", "empty": 2}


@pytest.mark.parametrize(
    "cells", [["nan"], ["inf"], ["-Infinity"], ["1e999"], ["2024_01"], ["1,000"], ["0x10"], ["1", ""]]
)
def test_number_like_texts_are_not_numbers(cells: list[str]) -> None:
    assert numbers_in(cells) is None


def test_decimal_comma_is_read_if_expected() -> None:
    assert numbers_in(["1,5", "2", "3.25"], decimal_comma=True) == [1.5, 2.0, 3.25]
    assert numbers_in(["1.234,5"], decimal_comma=True) is None


def test_binary_fractions_are_rounded() -> None:
    assert column("0.1", "0.2").describe(rows=2)["sum"] == 0.3


def test_overflowing_sum_is_none() -> None:
    summary = column("1e308", "1e308").describe(rows=2)

    assert (summary["max"], summary["sum"], summary["mean"]) == (1e308, None, None)


def test_frequent_values_texts_are_counted_over_all_rows_unless_there_are_too_many() -> None:
    frequent = column("b", "a", " a ", "")
    frequent.add(["a", "b"], decimal_comma=False)
    assert frequent.frequent_values(2) == [("a", 3), ("b", 2)]
    assert frequent.frequent_values(1) == [("a", 3)]
    many = column("a", "a", *(f"v{n}" for n in range(MAX_DISTINCT)))
    many.add(["a"], decimal_comma=False)
    assert (many.frequent_values(2), len(many.counts), many.labels) == ([], MAX_DISTINCT, {})
    assert column("1", "1").frequent_values(2) == []


def test_distinct_values_are_counted_up_to_the_limit() -> None:
    below, above = (column(*(f"v{n}" for n in range(count))) for count in (MAX_DISTINCT - 1, 3 * MAX_DISTINCT))

    assert below.describe(rows=MAX_DISTINCT)["distinct"] == MAX_DISTINCT - 1
    assert above.describe(rows=9 * MAX_DISTINCT)["distinct_at_least"] == MAX_DISTINCT


def test_column_keeps_an_even_sample_of_bounded_size() -> None:
    long = Column("n")
    for start in range(0, 100_000, 1_000):
        long.add([str(n) for n in range(start, start + 1_000)], decimal_comma=False)

    assert MAX_SAMPLE / 2 <= len(long.sample) <= MAX_SAMPLE
    assert sum(long.sample) / len(long.sample) == pytest.approx(50_000, rel=0.02)
    assert long.shares(10) == pytest.approx([0.1] * 10, rel=0.05)


def test_ragged_rows_are_counted_and_read_partly() -> None:
    table = Table([Column("a"), Column("b")], ",")
    table.add([["1", "x"], ["2"], ["3", "y", "beyond"], ["4", "x"]])

    assert (table.rows, table.ragged) == (4, 2)
    assert [each.describe(table.rows) for each in table.columns] == [
        {"column": "a", "type": "number", "empty": 0, "min": 1, "mean": 2.5, "max": 4, "sum": 10},
        {"column": "b", "type": "text", "empty": 1, "distinct": 2},
    ]


@pytest.mark.parametrize(
    ("numbers", "counts"),
    [
        ([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1]),
        ([1.0, 1.0, 8.0], [2, 0, 0, 1]),
        ([0.0, 0.5, 1.0], [1, 0, 1, 1]),
        ([7.0, 7.0], [2]),
        ([0.5, 0.5], [2]),
        ([-1.7e308, 1.7e308], [1, 0, 0, 1]),
        ([5e-324, 1e-323], [2]),
        ([1e300, 2e300], [1, 0, 0, 1]),
    ],
)
def test_histogram_has_ranges_of_equal_width(numbers: list[float], counts: list[int]) -> None:
    assert histogram(numbers, min(numbers), max(numbers), 4) == counts


def test_even_whole_numbers_make_an_even_histogram() -> None:
    assert histogram([float(n) for n in range(1, 41)], 1, 40, 24) == [2] * 20

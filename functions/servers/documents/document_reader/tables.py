"""Tables: workbooks, read by calamine, and Parquet files, read by Arrow."""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from pathlib import Path

import arro3.io
from arro3.core import DataType
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, load_workbook

from .archive import check_unpacked_size
from .document import Document
from .errors import Code, DocumentError
from .kinds import Kind

_MAX_SHOWN_COLUMNS = 100
_MAX_COUNTED_BYTES = 64 << 20
_OLE = b"\xd0\xcf"


def open_workbook(path: Path, kind: Kind, sheet: str | None) -> Document:
    """Return a sheet of a workbook as a document of rows. The default is the first sheet."""
    with path.open("rb") as file:
        is_archive = file.read(2) != _OLE
    if is_archive:
        check_unpacked_size(path)
    try:
        workbook = load_workbook(path)
        if not workbook.sheet_names:
            raise DocumentError(Code.EMPTY, "the workbook has no sheets")
        name = _sheet_name(workbook.sheet_names, sheet)
        table = workbook.get_sheet_by_name(name)
    except PasswordError as error:
        problem = "the workbook is encrypted; ask the user for a copy without a password"
        raise DocumentError(Code.ENCRYPTED, problem) from error
    except (CalamineError, OSError) as error:
        raise DocumentError(Code.DAMAGED, f"the workbook is damaged or cut off ({error})") from error
    return Document(
        kind,
        "row",
        "rows",
        lambda first: _rows(table, first),
        _height(table),
        lambda: _workbook_outline(workbook),
        [f"sheet {name!r} of {len(workbook.sheet_names)}"],
    )


def _sheet_name(names: Sequence[str], requested: str | None) -> str:
    if requested is None:
        return names[0]
    by_name = {name.casefold(): name for name in reversed(names)}
    if found := by_name.get(requested.casefold()):
        return found
    if requested.isdecimal() and 1 <= int(requested) <= len(names):
        return names[int(requested) - 1]
    raise DocumentError(
        Code.BAD_RANGE, f"there is no sheet {requested!r}; the sheets are {', '.join(map(repr, names))}"
    )


def _rows(table: CalamineSheet, first: int) -> Iterator[str]:
    for number, row in enumerate(table.iter_rows(), start=1):
        if number >= first:
            yield as_csv([_shown(value) for value in row])


def _workbook_outline(workbook: CalamineWorkbook) -> Iterator[str]:
    for number, name in enumerate(workbook.sheet_names, start=1):
        try:
            table = workbook.get_sheet_by_name(name)
        except (CalamineError, OSError) as error:  # a sheet of a chart may have no cells
            yield f"sheet {number}: {name!r}, without a table ({error})"
            continue
        yield f"sheet {number}: {name!r}, {_height(table):,} rows x {table.width:,} columns"
        if header := next((row for row in _rows(table, 1) if row.strip(",\n")), ""):
            yield f"  first row: {header.strip()[:1000]}"


def _height(table: CalamineSheet) -> int:
    """Return the number of the last row with a value."""
    return 0 if table.end is None else table.end[0] + 1


def _shown(value: object) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:  # noqa: PLR2004  (exact integers)
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def as_csv(values: Sequence[str]) -> str:
    """Return a row as a line of CSV. Line breaks inside of values become spaces."""
    output = io.StringIO()
    csv.writer(output, lineterminator="\n").writerow([" ".join(value.splitlines()) for value in values])
    return output.getvalue()


def open_parquet(path: Path) -> Document:
    """Return a Parquet file as a document of rows."""
    fields = _schema(path)
    count = sum(batch.num_rows for batch in _batches(path)) if path.stat().st_size <= _MAX_COUNTED_BYTES else None
    shown = as_csv([name for name, _ in fields[:_MAX_SHOWN_COLUMNS]]).strip()
    outline = [f"column {number}: {name} ({kind})" for number, (name, kind) in enumerate(fields, start=1)]
    return Document(
        Kind.PARQUET,
        "row",
        "rows",
        lambda first: _records(path, first),
        count,
        lambda: iter(outline),
        [f"columns: {shown}"],
    )


def _schema(path: Path) -> list[tuple[str, str]]:
    try:
        schema = arro3.io.read_parquet(path).schema
    except BaseException as error:  # the library panics if a file is damaged
        if isinstance(error, (KeyboardInterrupt, SystemExit, MemoryError)):
            raise
        raise DocumentError(Code.DAMAGED, f"the Parquet file is damaged or cut off ({error})") from error
    return [(schema.field(number).name, str(schema.field(number).type)) for number in range(len(schema.names))]


def _batches(path: Path) -> Iterator["arro3.core.RecordBatch"]:
    yield from arro3.io.read_parquet(path)


def _records(path: Path, first: int) -> Iterator[str]:
    skipped = first - 1
    for batch in _batches(path):
        if skipped >= batch.num_rows:
            skipped -= batch.num_rows
            continue
        columns = [_values(batch.column(number).slice(skipped)) for number in range(batch.num_columns)]
        skipped = 0
        for row in zip(*columns, strict=True):
            yield as_csv(row)


def _values(column: "arro3.core.Array") -> list[str]:
    """Return the values of a column as texts. Arrow converts simple types; lists of records become Python values."""
    try:
        values = column.cast(DataType.string()).to_pylist()
    except Exception:  # noqa: BLE001  (the library has no error of its own for a conversion that it does not know)
        values = column.to_pylist()
    return ["" if value is None else str(value) for value in values]

"""The work of the server's tools on one file. It runs in the process of `child`, so it may open the file.

The readers are imported when they are needed, because each call needs one of them.
"""

import base64
import importlib
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from .child import Report
from .document import Document
from .errors import Code, DocumentError
from .kinds import Kind, detect_kind
from .range import Range, parse_range
from .reading import MAX_CHARS, read_bytes, read_part

READERS = ("markup", "pdf", "pictures", "searching", "tables", "texts")
_MAX_OUTLINE_CHARS = 12_000
_MAX_OUTLINE_LINES = 1000


def loaded_readers() -> list[str]:
    """Return the readers that this process has imported."""
    return [name for name in READERS if f"{__package__}.{name}" in sys.modules]


def import_readers(names: list[str]) -> None:
    """Import readers that a finished call needed, so that the next call has them at once."""
    for name in set(names) & set(READERS):
        importlib.import_module(f"{__package__}.{name}")


def open_document(path: Path, sheet: str | None = None) -> Document:
    """Open a file with the reader of its kind. Raise DocumentError if there is none."""
    kind = detect_kind(path)
    if kind is Kind.PICTURE:
        raise DocumentError(Code.IS_A_PICTURE, f"{path.name} is a picture without text; look shows it")
    if sheet is not None and kind not in {Kind.EXCEL, Kind.ODS}:
        raise DocumentError(Code.BAD_RANGE, f"{path.name} ({kind}) has no sheets; omit sheet")
    if kind is Kind.PDF:
        from .pdf import open_pages  # noqa: PLC0415  (on use)

        return open_pages(path)
    if kind in {Kind.EXCEL, Kind.ODS, Kind.PARQUET}:
        from . import tables  # noqa: PLC0415  (on use)

        return tables.open_parquet(path) if kind is Kind.PARQUET else tables.open_workbook(path, kind, sheet)
    if kind in {Kind.CSV, Kind.JSON, Kind.XML, Kind.MARKDOWN, Kind.TEXT}:
        from .texts import open_text  # noqa: PLC0415  (on use)

        return open_text(path, kind)
    from . import markup  # noqa: PLC0415  (on use)

    openers = {
        Kind.WORD: markup.open_word,
        Kind.ODT: markup.open_odt,
        Kind.POWERPOINT: markup.open_slides,
        Kind.EPUB: markup.open_book,
        Kind.HTML: markup.open_html,
        Kind.EMAIL: markup.open_email,
        Kind.NOTEBOOK: markup.open_notebook,
        Kind.ZIP: markup.open_listing,
    }
    return openers[kind](path)


def read(
    filename: str,
    pages: str | int | None,
    rows: str | int | None,
    sheet: str | None,
    lines: str | int | None,
    byte_range: str | int | None,
    offset: int,
    report: Report,
) -> dict[str, Any]:
    """Return a part of a document as text, with its position and the arguments of the call that continues."""
    path = Path(filename)
    report(0, f"Opening {path.name}")
    ranges = {"pages": pages, "rows": rows, "lines": lines, "bytes": byte_range}
    given = {name: value for name, value in ranges.items() if value is not None}
    if len(given) > 1:
        raise DocumentError(Code.BAD_RANGE, f"pass one of {', '.join(ranges)}, not {' and '.join(given)}")
    if byte_range is not None:
        return _answer(*_bytes(path, parse_range("bytes", byte_range, lowest=0)))
    document = open_document(path, sheet)
    requested = _units(document, path, given)
    part = read_part(document, requested, offset, MAX_CHARS)
    shift = document.shift if "rows" in given else 0
    unit, argument = ("row", "rows") if shift else (document.unit, document.argument)
    first, last = part.first - shift, part.last - shift
    where = f"{unit} {first:,}" if first == last else f"{unit}s {first:,} to {last:,}"
    if document.count is not None:
        where += f" of {document.count - shift:,}"
    if offset:
        where += f", from character {offset + 1:,} on"
    header = "; ".join([f"{path.name}: {document.kind}", where, *document.details])
    following: dict[str, Any] | None = None
    if part.next is not None:
        end = "" if requested.last is None else requested.last - shift
        is_beyond = requested.last is not None and part.next > requested.last
        following = {argument: f"{part.next - shift}-{'' if is_beyond else end}"}
        following |= {"offset": part.offset} if part.offset else {}
        following |= {"sheet": sheet} if sheet is not None else {}
    return _answer(path, header, part.text, following)


def _units(document: Document, path: Path, given: dict[str, str | int]) -> Range:
    """Return the units that the arguments select. Rows of a CSV table are lines, without the first one."""
    if not given:
        return Range(1)
    [(argument, value)] = given.items()
    requested = parse_range(argument, value)
    if argument == document.argument:
        return requested
    if argument == "rows" and document.shift:
        last = None if requested.last is None else requested.last + document.shift
        return Range(requested.first + document.shift, last)
    problem = f"{path.name} ({document.kind}) has {document.unit}s, which {document.argument} selects, not {argument}"
    raise DocumentError(Code.BAD_RANGE, problem)


def _bytes(path: Path, requested: Range) -> tuple[Path, str, str, dict[str, Any] | None]:
    if not path.is_file():
        raise DocumentError(Code.NOT_FOUND, f"there is no file {path.name!r}")
    part = read_bytes(path, requested)
    header = f"{path.name}: bytes {part.first:,} to {part.last:,} of {path.stat().st_size:,}"
    header += f"; {part.encoding}" if part.encoding else "; not a text, shown as hexadecimal numbers"
    return path, header, part.text, None if part.next is None else {"bytes": f"{part.next}-"}


def _answer(path: Path, header: str, text: str, following: dict[str, Any] | None) -> dict[str, Any]:
    end = "\n[End of the document]"
    if following is not None:
        end = f"\n[More follows: documents.read {_call(path, following)}]"
    return {"text": f"{header}\n\n{text}{end}", "readers": loaded_readers()}


def _call(path: Path, arguments: dict[str, Any]) -> str:
    return json.dumps({"filename": path.name, **arguments}, ensure_ascii=False)


def search(
    filename: str,
    pattern: str,
    regex: bool,  # noqa: FBT001  (the arguments of the tool)
    match_case: bool,  # noqa: FBT001  (the same)
    context: int,
    sheet: str | None,
    after: str | None,
    report: Report,
) -> dict[str, Any]:
    """Return the lines that match, with their positions, the lines around them, and how to continue."""
    from . import searching  # noqa: PLC0415  (on use)

    path = Path(filename)
    compiled = searching.Pattern(pattern, is_regex=regex, match_case=match_case)
    start = searching.parse_position(after) if after else searching.Position(0)
    report(0, f"Opening {path.name}")
    kind = detect_kind(path)
    if kind in {Kind.CSV, Kind.JSON, Kind.XML, Kind.MARKDOWN, Kind.TEXT} and sheet is None:
        from .texts import as_utf8  # noqa: PLC0415  (on use)

        unit, has_lines = "line", False
        found = searching.search_text(as_utf8(path), compiled, context, start, report)
    else:
        document = open_document(path, sheet)
        unit, has_lines = document.unit, document.argument == "pages"
        found = searching.search_document(document, compiled, context, start, report)
    shown = [
        f"{unit} {position.unit}{f', line {position.line}' if has_lines else ''}{':' if is_match else ' -'} {text}"
        for position, text, is_match in found.lines
    ]
    many = "1 line matches" if found.count == 1 else f"{found.count} lines match"
    since = f" after {unit} {after}" if after else ""
    header = f"{path.name}: {kind}; {many} {pattern!r}{since}"
    end = "[Searched to the end of the document]"
    if found.after is not None:
        arguments = {"pattern": pattern, **({"regex": True} if regex else {}), "after": str(found.after)}
        arguments |= {"sheet": sheet} if sheet is not None else {}
        arguments |= {"match_case": True} if match_case else {}
        end = f"[There may be more: documents.search {_call(path, arguments)}]"
    return {"text": "\n".join([header, "", *shown, "", end]), "readers": loaded_readers()}


def outline(filename: str, report: Report) -> dict[str, Any]:
    """Return what a document consists of: headings, sheets, pages, columns, sizes."""
    path = Path(filename)
    report(0, f"Opening {path.name}")
    kind = detect_kind(path)
    if kind is Kind.PICTURE:
        from .pictures import describe  # noqa: PLC0415  (on use)

        text = f"{path.name}: {describe(path)}; {path.stat().st_size:,} bytes\n\nlook shows it."
        return {"text": text, "readers": loaded_readers()}
    document = open_document(path)
    size = f"{path.stat().st_size:,} bytes"
    count = f"more than {_MAX_OUTLINE_LINES} {document.unit}s"
    if document.count is not None:
        count = f"{document.count:,} {document.unit}{'' if document.count == 1 else 's'}"
    details = [detail for detail in document.details if detail != size]
    lines = ["; ".join([f"{path.name}: {document.kind}", size, count, *details]), ""]
    room = _MAX_OUTLINE_CHARS
    for line in islice(document.outline(), _MAX_OUTLINE_LINES):
        room -= len(line)
        if room < 0:
            lines.append("(the outline is longer)")
            break
        lines.append(line)
    arguments = f"{document.argument} or rows" if document.shift else document.argument
    lines += ["", f"read selects {document.unit}s with {arguments}."]
    return {"text": "\n".join(lines), "readers": loaded_readers()}


def look(filename: str, page: int | None, frame: int | None, report: Report) -> dict[str, Any]:
    """Return a picture as base64, with its type and a description."""
    path = Path(filename)
    report(0, f"Opening {path.name}")
    kind = detect_kind(path)
    if kind not in {Kind.PDF, Kind.PICTURE}:
        raise DocumentError(
            Code.NOT_A_PICTURE, f"{path.name} ({kind}) is neither a picture nor a PDF document; use read instead"
        )
    from . import pictures  # noqa: PLC0415  (on use)

    if kind is Kind.PDF:
        picture = pictures.look_at_page(path, page or 1)
    else:
        picture = pictures.look_at_picture(path, frame or page or 1)
    return picture | {"data": base64.b64encode(picture["data"]).decode(), "readers": loaded_readers()}

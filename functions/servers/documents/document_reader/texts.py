"""Texts: plain text, Markdown, code, tables as text, JSON and XML. Files of any size are read as a stream."""

import csv
import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from lxml import etree

from .document import Document
from .errors import Code, DocumentError
from .kinds import Kind
from .utf8 import Utf8Text, count_lines, detect_encoding

_MAX_COUNTED_BYTES = 256 << 20  # counting the lines of a larger file would slow every answer
_MAX_PARSED_BYTES = 32 << 20
MAX_OUTLINE_LINES = 300

_HEADING = re.compile(r"#{1,6} \S")
_DEFINITION = re.compile(
    r"\s*(export |default |pub(\(\w+\))? |public |private |protected |static |final |abstract |async |unsafe |extern )*"
    r"(def|class|function|func|fn|struct|interface|trait|impl|enum|module|namespace|type|CREATE TABLE)\b\s+\S"
)
_DELIMITERS = ",;\t|"
_MAX_DEPTH = 4


def open_text(path: Path, kind: Kind) -> Document:
    """Return a text as a document of lines."""
    text = as_utf8(path)
    count = sum(map(count_lines, text.blocks())) if text.size <= _MAX_COUNTED_BYTES else None
    details = [f"{text.size:,} bytes", *([] if text.encoding == "utf-8" else [text.encoding])]
    shift = 0
    if kind is Kind.CSV:
        columns = csv_columns(text)
        details.append(f"columns: {', '.join(columns)[:500]}")
        shift = 1
    return Document(kind, "line", "lines", text.lines, count, lambda: _outline(text, kind), details, shift)


def as_utf8(path: Path) -> Utf8Text:
    """Return a text file, which is read as UTF-8."""
    return Utf8Text(path, detect_encoding(path) or "utf-8")


def csv_columns(text: Utf8Text) -> list[str]:
    """Return the names in the first row of a table."""
    first = next(text.lines(), "")
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        return next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error as error:
        raise DocumentError(Code.DAMAGED, f"the first row of the table cannot be read ({error})") from error


def _outline(text: Utf8Text, kind: Kind) -> Iterator[str]:
    if kind is Kind.CSV:
        yield from (f"column {number}: {name}" for number, name in enumerate(csv_columns(text), start=1))
        return
    if kind in {Kind.JSON, Kind.XML} and text.size > _MAX_PARSED_BYTES:
        yield f"(no outline: the file is larger than {_MAX_PARSED_BYTES >> 20} MB; search it)"
    elif kind is Kind.JSON:
        yield from _json_outline(text)
    elif kind is Kind.XML:
        yield from _xml_outline(text.path)
    else:
        yield from headings(text.lines(), _HEADING if kind is Kind.MARKDOWN else _DEFINITION)


def headings(lines: Iterator[str], pattern: re.Pattern[str] = _HEADING) -> Iterator[str]:
    """Yield the lines that match a pattern, with their numbers. Ignore blocks of code in Markdown."""
    is_code = False
    for number, line in enumerate(lines, start=1):
        if pattern is _HEADING and line.startswith("```"):
            is_code = not is_code
        if not is_code and pattern.match(line):
            yield f"line {number}: {line.rstrip()[:200]}"


def _json_outline(text: Utf8Text) -> Iterator[str]:
    try:
        value = json.loads("".join(text.lines()))
    except (ValueError, RecursionError) as error:
        yield f"(not valid JSON: {error})"
        return
    yield from islice(_json_shape(value, "$", 0), MAX_OUTLINE_LINES)


def _json_shape(value: object, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, dict):
        yield f"{path}: object with {len(value)} keys"
        children = ((f"{path}.{key}", child) for key, child in value.items())
    elif isinstance(value, list):
        yield f"{path}: array with {len(value)} items"
        children = ((f"{path}[0]", child) for child in value[:1])
    else:
        yield f"{path}: {type(value).__name__}"
        return
    if depth < _MAX_DEPTH:
        for name, child in children:
            yield from _json_shape(child, name[:200], depth + 1)


def _xml_outline(path: Path) -> Iterator[str]:
    """Count the elements of each path. Entities are never replaced, and nothing outside the file is read."""
    counts: dict[str, int] = {}
    names: list[str] = []
    try:
        parsed = etree.iterparse(path, ("start", "end"), resolve_entities=False, no_network=True, load_dtd=False)
        for event, element in parsed:
            if event == "start":
                names.append(etree.QName(element).localname if isinstance(element.tag, str) else "")
                key = "/".join(names)
                if len(names) <= _MAX_DEPTH and (key in counts or len(counts) < MAX_OUTLINE_LINES):
                    counts[key] = counts.get(key, 0) + 1
            else:
                names.pop()
                element.clear()
    except etree.XMLSyntaxError as error:
        yield f"(not valid XML: {error})"
    yield from (f"{key}: {count}" for key, count in counts.items())

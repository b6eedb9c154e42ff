"""Large files, and the actions of the server `documents` on them in forked processes, whose memory is measured."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

from functions.servers.documents.document_reader import actions
from functions.servers.documents.document_reader.child import Report, run_in_child
from tests.documents.pdf import write_pdf
from tests.memory import MemoryGrowth

GIB = 1 << 30
NEEDLE = "2026-12-31,south,needle,4711.00"
_HEADER = b"date,region,product,price\n"
_ROWS = b"2026-01-02,north,bolt,12.50\n" * 37_000  # about a megabyte
_MEBIBYTES = "mebibytes"

Action = Callable[[Report], dict[str, Any]]


def write_table(path: Path, size: int, *, sparse: bool) -> None:
    """Write a CSV table of about this size, whose last row is ``NEEDLE``. A sparse one has rows at both ends only."""
    with path.open("wb") as file:
        file.write(_HEADER)
        if sparse:
            file.write(8 * _ROWS)
            file.seek(size - 8 * len(_ROWS), os.SEEK_SET)
            file.write(b"\n")
        while file.tell() < size:
            file.write(_ROWS)
        file.write(NEEDLE.encode() + b"\n")


def write_book(path: Path, pages: int) -> None:
    """Write a PDF document whose pages say their numbers, for example ``This is sheet 7.``."""
    write_pdf(path, [f"This is sheet {number}." for number in range(1, pages + 1)])


def search(path: Path, pattern: str, *, regex: bool = False) -> Action:
    """Return the search of a file for a pattern."""
    return lambda report: actions.search(str(path), pattern, regex, False, 1, None, None, report)  # noqa: FBT003


def read_page(path: Path, page: int) -> Action:
    """Return the reading of a page."""
    return lambda report: actions.read(str(path), str(page), None, None, None, None, 0, report)


def run_action(action: Action) -> tuple[str, float]:
    """Run an action as the server does after the first call of each kind. Return its answer, and its memory in MiB."""

    def work(report: Report) -> dict[str, Any]:
        growth = MemoryGrowth()
        return action(report) | {_MEBIBYTES: growth.mebibytes()}

    async def ignore(_share: float, _message: str) -> None:
        """Ignore progress."""

    actions.import_readers(list(actions.READERS))
    result = anyio.run(run_in_child, work, ignore)
    return result["text"], result[_MEBIBYTES]

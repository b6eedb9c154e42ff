"""PDF documents, read by PDFium."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pypdfium2

from .document import Document
from .errors import Code, DocumentError
from .kinds import Kind

_MAX_BOOKMARKS = 300
_MAX_CHECKED_PAGES = 50
_POINTS_PER_MM = 72 / 25.4


@contextmanager
def open_pdf(path: Path) -> Iterator[pypdfium2.PdfDocument]:
    """Open a PDF document. Raise DocumentError if it is encrypted or damaged."""
    try:
        pdf = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if any(word in str(error).lower() for word in ("password", "security")):
            problem = "the PDF is encrypted; ask the user for a copy without a password"
            raise DocumentError(Code.ENCRYPTED, problem) from error
        raise DocumentError(Code.DAMAGED, f"the PDF is damaged or cut off ({error})") from error
    try:
        yield pdf
    except pypdfium2.PdfiumError as error:
        raise DocumentError(Code.DAMAGED, f"a page of the PDF is damaged ({error})") from error
    finally:
        pdf.close()


def open_pages(path: Path) -> Document:
    """Return a PDF as a document of pages. The texts are read when they are needed."""
    with open_pdf(path) as pdf:
        count = len(pdf)
    if not count:
        raise DocumentError(Code.DAMAGED, "the PDF has no pages")
    return Document(Kind.PDF, "page", "pages", lambda first: _texts(path, first), count, lambda: _outline(path))


def _texts(path: Path, first: int) -> Iterator[str]:
    with open_pdf(path) as pdf:
        for number in range(first, len(pdf) + 1):
            text = _text(pdf, number)
            shown = text or f'(no text: this page is a picture. look {{"page": {number}}} shows it.)'
            yield f"[page {number}]\n{shown}\n\n"


def _text(pdf: pypdfium2.PdfDocument, number: int) -> str:
    page = pdf[number - 1]
    text_page = page.get_textpage()
    text: str = text_page.get_text_bounded()
    text_page.close()
    page.close()
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", "-").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def _outline(path: Path) -> Iterator[str]:
    with open_pdf(path) as pdf:
        yield from (f"{name}: {value[:200]}" for name, value in pdf.get_metadata_dict().items() if value)
        width, height = (round(points / _POINTS_PER_MM) for points in pdf[0].get_size())
        yield f"size of page 1: {width} x {height} mm"
        for bookmark in islice(pdf.get_toc(), _MAX_BOOKMARKS):
            destination = bookmark.get_dest()
            index = destination.get_index() if destination else None
            where = "" if index is None else f" (page {index + 1})"
            yield f"{'  ' * bookmark.level}{bookmark.get_title()[:200]}{where}"
        checked = min(len(pdf), _MAX_CHECKED_PAGES)
        if scans := [str(number) for number in range(1, checked + 1) if not _text(pdf, number)]:
            yield f"pages without text among the first {checked}, which look shows: {', '.join(scans)}"

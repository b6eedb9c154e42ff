"""Detect the kind of a file by its bytes. Its name decides only between kinds of text."""

import json
from enum import StrEnum
from pathlib import Path

from .archive import open_archive
from .errors import Code, DocumentError
from .utf8 import detect_encoding


class Kind(StrEnum):
    """A kind of file, as the answers call it."""

    PDF = "PDF document"
    WORD = "Word document"
    EXCEL = "Excel workbook"
    POWERPOINT = "PowerPoint presentation"
    ODT = "OpenDocument text"
    ODS = "OpenDocument spreadsheet"
    EPUB = "EPUB book"
    PARQUET = "Parquet table"
    ZIP = "ZIP archive"
    PICTURE = "picture"
    CSV = "CSV table"
    HTML = "HTML page"
    EMAIL = "e-mail"
    NOTEBOOK = "Jupyter notebook"
    JSON = "JSON"
    XML = "XML"
    MARKDOWN = "Markdown"
    TEXT = "text"


_HEAD_BYTES = 8192
_PICTURES = (
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"II*\0",
    b"MM\0*",
    b"\0\0\1\0",
    b"\0\0\0\x0cjP",
    b"\xff\x4f\xff",
)
_BITMAP = b"BM"
_RIFF, _WEBP, _FTYP = b"RIFF", b"WEBP", b"ftyp"
_AVIF = (b"avif", b"avis")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OFFICE = {"word/": Kind.WORD, "xl/": Kind.EXCEL, "ppt/": Kind.POWERPOINT}
_MIMETYPES = {
    "application/epub+zip": Kind.EPUB,
    "application/vnd.oasis.opendocument.text": Kind.ODT,
    "application/vnd.oasis.opendocument.text-template": Kind.ODT,
    "application/vnd.oasis.opendocument.spreadsheet": Kind.ODS,
    "application/vnd.oasis.opendocument.spreadsheet-template": Kind.ODS,
}
_SUFFIXES = {
    ".csv": Kind.CSV,
    ".tsv": Kind.CSV,
    ".tab": Kind.CSV,
    ".htm": Kind.HTML,
    ".html": Kind.HTML,
    ".xhtml": Kind.HTML,
    ".eml": Kind.EMAIL,
    ".ipynb": Kind.NOTEBOOK,
    ".json": Kind.JSON,
    ".xml": Kind.XML,
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
}
_MAX_NOTEBOOK_BYTES = 64 << 20


def detect_kind(path: Path) -> Kind:
    """Return the kind of a file. Raise DocumentError if it is empty, encrypted, damaged or of an unknown kind."""
    if not path.is_file():
        raise DocumentError(Code.NOT_FOUND, f"there is no file {path.name!r}; list the user's files to find its name")
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise DocumentError(Code.EMPTY, f"{path.name} is empty: it has 0 bytes")
    if b"%PDF-" in head[:1024]:
        return Kind.PDF
    if _is_picture(head):
        return Kind.PICTURE
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        return _kind_of_archive(path)
    if head.startswith(_OLE):
        return _kind_of_ole(path)
    if head.startswith(b"PAR1"):
        return Kind.PARQUET
    encoding = detect_encoding(path)
    if encoding is None:
        raise DocumentError(
            Code.UNKNOWN_KIND,
            f"{path.name} is a binary file of an unknown kind, which begins with the bytes {head[:8].hex(' ')}; "
            "read shows its bytes if you pass bytes, for example bytes='0-255'",
        )
    return _kind_of_text(path, head.decode(encoding, "ignore").lstrip())


def _is_picture(head: bytes) -> bool:
    if head.startswith(_BITMAP):
        return head[6:10] == b"\0\0\0\0"  # reserved; the first two letters alone begin many texts
    is_webp = head.startswith(_RIFF) and head[8:12] == _WEBP
    is_avif = head[4:8] == _FTYP and head[8:12] in _AVIF
    return is_webp or is_avif or head.startswith(_PICTURES)


def _kind_of_archive(path: Path) -> Kind:
    with open_archive(path) as archive:
        names = archive.namelist()
        if "mimetype" in names:
            mimetype = archive.read("mimetype")[:200].decode("ascii", "replace").strip()
            return _MIMETYPES.get(mimetype, Kind.ZIP)
        if "[Content_Types].xml" in names:
            return next((kind for top, kind in _OFFICE.items() if any(n.startswith(top) for n in names)), Kind.ZIP)
    return Kind.ZIP


def _kind_of_ole(path: Path) -> Kind:
    """Return Excel for a workbook of Office 97 to 2003. Raise DocumentError for other files of this format."""
    with path.open("rb") as file:
        content = file.read(64 << 20)
    if "EncryptedPackage".encode("utf-16-le") in content:
        raise DocumentError(Code.ENCRYPTED, f"{path.name} is encrypted; ask the user for a copy without a password")
    if any(name.encode("utf-16-le") in content for name in ("Workbook", "Book")):
        return Kind.EXCEL
    raise DocumentError(
        Code.UNKNOWN_KIND,
        f"{path.name} has a format of Office 97 to 2003 that cannot be read; ask the user for a copy in a newer one",
    )


def _kind_of_text(path: Path, text: str) -> Kind:
    kind = _SUFFIXES.get(path.suffix.lower(), Kind.TEXT)
    start = text[:200].lower()
    if start.startswith(("<!doctype html", "<html")):
        return Kind.HTML
    if start.startswith("<?xml") and kind is not Kind.HTML:
        return Kind.HTML if "<html" in text[:1000].lower() else Kind.XML
    if kind is Kind.NOTEBOOK and not _is_notebook(path):
        return Kind.JSON
    return kind


def _is_notebook(path: Path) -> bool:
    if path.stat().st_size > _MAX_NOTEBOOK_BYTES:
        return False
    try:
        notebook = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    return isinstance(notebook, dict) and isinstance(notebook.get("cells"), list)

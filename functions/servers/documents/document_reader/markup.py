"""Documents that are converted to Markdown: Word, OpenDocument, HTML, books, e-mail, slides and notebooks."""

import email
import email.policy
import json
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from email.message import EmailMessage, MIMEPart
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import html_to_markdown
from lxml import etree

from .archive import check_unpacked_size, open_archive
from .document import Document, line_document
from .errors import Code, DocumentError
from .kinds import Kind
from .texts import as_utf8, headings

_MAX_HTML_BYTES = 32 << 20
_MAX_EMAIL_BYTES = 64 << 20
_MAX_CELL_OUTPUT_CHARS = 10_000
_OPTIONS = html_to_markdown.ConversionOptions(extract_metadata=False, extract_images=False)
_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,[A-Za-z0-9+/=\s]{100,}")
_CONTAINER = "META-INF/container.xml"
_XML_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
_SHOWN_HEADERS = ("From", "To", "Cc", "Date", "Subject")


def html_to_text(html: str) -> str:
    """Return the Markdown of a page, without scripts and without embedded pictures."""
    if len(html) > _MAX_HTML_BYTES:
        raise DocumentError(Code.TOO_LARGE, f"the page is larger than {_MAX_HTML_BYTES >> 20} MB; read it by bytes")
    content: str = html_to_markdown.convert(_DATA_URL.sub("(picture)", html), _OPTIONS).content or ""
    return content.strip() + "\n"


def _markdown_document(kind: Kind, text: str, details: Sequence[str] = ()) -> Document:
    return line_document(kind, text, lambda: headings(iter(text.splitlines())), details)


def open_html(path: Path) -> Document:
    """Return an HTML page as Markdown."""
    text = as_utf8(path)
    if text.size > _MAX_HTML_BYTES:
        raise DocumentError(Code.TOO_LARGE, f"the page is larger than {_MAX_HTML_BYTES >> 20} MB; read it by bytes")
    return _markdown_document(Kind.HTML, html_to_text("".join(text.lines())))


def open_word(path: Path) -> Document:
    """Return a Word document as Markdown."""
    import mammoth  # noqa: PLC0415  (each call needs one reader)

    check_unpacked_size(path)
    no_pictures = mammoth.images.img_element(lambda _image: {"src": ""})
    try:
        with path.open("rb") as file:
            html = mammoth.convert_to_html(file, convert_image=no_pictures).value
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise DocumentError(Code.DAMAGED, f"the Word document is damaged ({error})") from error
    return _markdown_document(Kind.WORD, html_to_text(html))


def open_odt(path: Path) -> Document:
    """Return an OpenDocument text as Markdown."""
    from odfdo import Document as OpenDocument  # noqa: PLC0415  (each call needs one reader)

    check_unpacked_size(path)
    with open_archive(path) as archive:
        if b"encryption-data" in _member(archive, "META-INF/manifest.xml"):
            problem = "the document is encrypted; ask the user for a copy without a password"
            raise DocumentError(Code.ENCRYPTED, problem)
    try:
        text = str(OpenDocument(path).to_markdown())
    except (KeyError, ValueError, OSError, TypeError, AttributeError) as error:
        raise DocumentError(Code.DAMAGED, f"the document is damaged ({error})") from error
    return _markdown_document(Kind.ODT, text.strip() + "\n")


def open_slides(path: Path) -> Document:
    """Return a PowerPoint presentation as a document of slides."""
    from pptx import Presentation  # noqa: PLC0415  (each call needs one reader)

    check_unpacked_size(path)
    try:
        slides = Presentation(str(path)).slides
        titles = [_slide_title(slide) for slide in slides]
    except (KeyError, ValueError, OSError, AttributeError) as error:
        raise DocumentError(Code.DAMAGED, f"the presentation is damaged ({error})") from error

    def texts(first: int) -> Iterator[str]:
        for number, slide in enumerate(slides, start=1):
            if number >= first:
                yield _slide_text(slide, number)

    outline = [f"slide {number}: {title}" for number, title in enumerate(titles, start=1)]
    return Document(Kind.POWERPOINT, "slide", "pages", texts, len(titles), lambda: iter(outline))


def _slide_title(slide: Any) -> str:  # noqa: ANN401  (the library has no types)
    title = slide.shapes.title
    return str(title.text_frame.text).replace("\v", " ") if title is not None else "(no title)"


def _slide_text(slide: Any, number: int) -> str:  # noqa: ANN401  (the library has no types)
    parts = [f"[slide {number}]", *_shape_texts(slide.shapes, slide.shapes.title)]
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None and notes.text.strip():
        parts.append(f"Notes: {notes.text}")
    return "\n".join(parts).replace("\v", "\n") + "\n\n"


def _shape_texts(shapes: Any, title: Any = None) -> Iterator[str]:  # noqa: ANN401  (the library has no types)
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shape_texts(shape.shapes)
        elif getattr(shape, "has_table", False):
            rows = [[cell.text.replace("\n", " ") for cell in row.cells] for row in shape.table.rows]
            yield "\n".join(f"| {' | '.join(row)} |" for row in rows)
        elif getattr(shape, "has_chart", False):
            for series in shape.chart.series:
                yield f"(chart) {series.name}: {', '.join(map(str, series.values))}"
        elif shape.has_text_frame and shape.text_frame.text.strip():
            is_title = title is not None and shape.shape_id == title.shape_id
            yield f"# {shape.text_frame.text}" if is_title else shape.text_frame.text


def open_book(path: Path) -> Document:
    """Return an EPUB book as a document of chapters, in their reading order."""
    check_unpacked_size(path)
    with open_archive(path) as archive:
        chapters, details = _spine(archive)

    def texts(first: int) -> Iterator[str]:
        with open_archive(path) as archive:
            for number, name in enumerate(chapters[first - 1 :], start=first):
                text = html_to_text(_member(archive, name).decode("utf-8", "replace"))
                yield f"[chapter {number}]\n{text}\n"

    def outline() -> Iterator[str]:
        for number, text in enumerate(texts(1), start=1):
            heading = next((line for line in text.splitlines()[1:] if line.strip()), "")
            yield f"chapter {number}: {heading.strip('# ')[:200]}"

    return Document(Kind.EPUB, "chapter", "pages", texts, len(chapters), outline, details)


def _spine(archive: zipfile.ZipFile) -> tuple[list[str], list[str]]:
    """Return the names of the chapters' files, and the book's title and author."""
    try:
        container = etree.fromstring(_member(archive, _CONTAINER), _XML_PARSER)
        package_name = container.xpath("string(//*[local-name()='rootfile']/@full-path)")
        package = etree.fromstring(_member(archive, package_name), _XML_PARSER)
    except etree.XMLSyntaxError as error:
        raise DocumentError(Code.DAMAGED, f"the book's list of chapters is damaged ({error})") from error
    files = {item.get("id"): item.get("href", "") for item in package.xpath("//*[local-name()='item']")}
    references = [item.get("idref") for item in package.xpath("//*[local-name()='itemref']")]
    folder = posixpath.dirname(package_name)
    names = [posixpath.normpath(posixpath.join(folder, unquote(files[each]))) for each in references if each in files]
    details = [package.xpath(f"string(//*[local-name()='{name}'])").strip() for name in ("title", "creator")]
    return names, [detail[:200] for detail in details if detail]


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except (KeyError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise DocumentError(Code.DAMAGED, f"the file's part {name!r} is missing or damaged ({error})") from error


def open_email(path: Path) -> Document:
    """Return an e-mail: its headers, its text and the names of its attachments."""
    if path.stat().st_size > _MAX_EMAIL_BYTES:
        raise DocumentError(Code.TOO_LARGE, f"the e-mail is larger than {_MAX_EMAIL_BYTES >> 20} MB; read it by bytes")
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    assert isinstance(message, EmailMessage)  # noqa: S101  (the default policy makes these)
    lines = [f"{name}: {message[name]}" for name in _SHOWN_HEADERS if message[name]]
    body = message.get_body(("plain", "html"))
    text = "" if body is None else _content(body)
    if body is not None and body.get_content_subtype() == "html":
        text = html_to_text(text)
    attached = [f"- {part.get_filename()} ({part.get_content_type()})" for part in message.iter_attachments()]
    lines += ["", text.strip(), *(["", "Attachments:", *attached] if attached else [])]
    return line_document(Kind.EMAIL, "\n".join(lines) + "\n", lambda: iter([*lines[:5], *attached]))


def _content(part: MIMEPart) -> str:
    try:
        return str(part.get_content()).replace("\r\n", "\n")
    except (LookupError, KeyError):  # an unknown encoding
        payload = part.get_payload(decode=True)
        return payload.decode("latin-1") if isinstance(payload, bytes) else ""


def open_notebook(path: Path) -> Document:
    """Return a Jupyter notebook as a document of cells, with the texts of their outputs."""
    cells = [cell for cell in json.loads(path.read_bytes())["cells"] if isinstance(cell, dict)]

    def texts(first: int) -> Iterator[str]:
        for number, cell in enumerate(cells[first - 1 :], start=first):
            yield _cell_text(cell, number)

    def outline() -> Iterator[str]:
        for number, cell in enumerate(cells, start=1):
            line = next((line for line in _joined(cell.get("source")).splitlines() if line.strip()), "(empty)")
            yield f"cell {number} ({cell.get('cell_type')}): {line[:200]}"

    return Document(Kind.NOTEBOOK, "cell", "pages", texts, len(cells), outline)


def _cell_text(cell: dict[str, Any], number: int) -> str:
    source = _joined(cell.get("source"))
    if cell.get("cell_type") != "code":
        return f"[cell {number}]\n{source}\n\n"
    outputs = [text for output in cell.get("outputs") or () if (text := _output_text(output))]
    shown = "".join(f"Output:\n```\n{text[:_MAX_CELL_OUTPUT_CHARS]}\n```\n" for text in outputs)
    return f"[cell {number}]\n```\n{source}\n```\n{shown}\n"


def _output_text(output: object) -> str:
    if not isinstance(output, dict):
        return ""
    if output.get("output_type") == "error":
        return f"{output.get('ename')}: {output.get('evalue')}"
    data = output.get("data")
    text = data.get("text/plain") if isinstance(data, dict) else output.get("text")
    return _joined(text).strip()


def _joined(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source or "")


def open_listing(path: Path) -> Document:
    """Return the list of an archive's members. They are not unpacked."""
    with open_archive(path) as archive:
        members = archive.infolist()
    lines = [
        f"{member.file_size:>12,}  {member.date_time[0]}-{member.date_time[1]:02}-{member.date_time[2]:02}  "
        f"{' '.join(member.filename.splitlines())}{'  (encrypted)' if member.flag_bits & 1 else ''}\n"
        for member in members
    ]
    unpacked = sum(member.file_size for member in members)
    details = [f"{len(members):,} members, {unpacked:,} bytes when unpacked"]
    return line_document(Kind.ZIP, "".join(lines) or "(no members)\n", lambda: iter(details), details)

"""One document of each kind, with a fact that a reader must find. `files` has more, made by other programs."""

import json
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import xlsxwriter

from tests.documents.pdf import write_pdf

FILES = Path(__file__).parent / "files"

_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_PRESENTATION = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_ML = "application/vnd.openxmlformats-officedocument"
_ODF = "urn:oasis:names:tc:opendocument:xmlns"


def fact(name: str) -> str:
    """Return the fact in the sample with this name."""
    return f"The {name.rpartition('.')[2]} vault opens with code {sum(name.encode()) * 7}"


def write_zip(path: Path, members: dict[str, str]) -> None:
    """Write an archive with these members. The first is not compressed, as OpenDocument and EPUB demand."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, content) in enumerate(members.items()):
            archive.writestr(name, content, zipfile.ZIP_STORED if number == 0 else zipfile.ZIP_DEFLATED)


def write_docx(path: Path, text: str) -> None:
    """Write a Word document with a heading, a paragraph and a table."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>left</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Title</w:t></w:r></w:p>'
    style = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    body = f"{heading}<w:p><w:r><w:t>{text}</w:t></w:r></w:p>{table}"
    write_zip(
        path,
        {
            "[Content_Types].xml": _content_types({"/word/document.xml": f"{_ML}.wordprocessingml.document.main+xml"}),
            "_rels/.rels": _relations({"officeDocument": "word/document.xml"}),
            "word/_rels/document.xml.rels": _relations({"styles": "styles.xml"}),
            "word/styles.xml": f'<w:styles xmlns:w="{word}">{style}</w:styles>',
            "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>',
        },
    )


def write_pptx(path: Path, texts: list[str]) -> None:
    """Write a presentation with a slide for each text."""
    parts = {"/ppt/presentation.xml": f"{_ML}.presentationml.presentation.main+xml"}
    members = {"[Content_Types].xml": "", "_rels/.rels": _relations({"officeDocument": "ppt/presentation.xml"})}
    numbers = range(1, len(texts) + 1)
    for number, text in zip(numbers, texts, strict=True):
        parts[f"/ppt/slides/slide{number}.xml"] = f"{_ML}.presentationml.slide+xml"
        paragraph = f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody>"
        shape = (
            '<p:nvSpPr><p:cNvPr id="2" name="T"/><p:cNvSpPr/><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/>'
        )
        group = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'
        tree = f"<p:cSld><p:spTree>{group}<p:sp>{shape}{paragraph}</p:sp></p:spTree></p:cSld>"
        members[f"ppt/slides/slide{number}.xml"] = (
            f'<p:sld xmlns:p="{_PRESENTATION}" xmlns:a="{_DRAWING}" xmlns:r="{_OFFICE}">{tree}</p:sld>'
        )
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="r{number}"/>' for number in numbers)
    members["ppt/presentation.xml"] = (
        f'<p:presentation xmlns:p="{_PRESENTATION}" xmlns:r="{_OFFICE}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
    )
    targets = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/slide" Target="slides/slide{number}.xml"/>' for number in numbers
    )
    members["ppt/_rels/presentation.xml.rels"] = f'<Relationships xmlns="{_RELATIONS}">{targets}</Relationships>'
    members["[Content_Types].xml"] = _content_types(parts)
    write_zip(path, members)


def _content_types(parts: dict[str, str]) -> str:
    overrides = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in parts.items())
    rels = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    xml = '<Default Extension="xml" ContentType="application/xml"/>'
    return f'<Types xmlns="{_TYPES}">{rels}{xml}{overrides}</Types>'


def _relations(targets: dict[str, str]) -> str:
    items = "".join(
        f'<Relationship Id="r{kind}" Type="{_OFFICE}/{kind}" Target="{target}"/>' for kind, target in targets.items()
    )
    return f'<Relationships xmlns="{_RELATIONS}">{items}</Relationships>'


def write_odt(path: Path, text: str) -> None:
    """Write an OpenDocument text with a heading and a paragraph."""
    names = " ".join(f'xmlns:{prefix}="{_ODF}:{prefix}:1.0"' for prefix in ("office", "text"))
    body = f'<text:h text:outline-level="1">Title</text:h><text:p>{text}</text:p>'
    content = f"<office:body><office:text>{body}</office:text></office:body>"
    media = "application/vnd.oasis.opendocument.text"
    manifest = f"{_ODF}:manifest:1.0"
    entry = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"/>'
    write_zip(
        path,
        {
            "mimetype": media,
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{manifest}">{entry}</manifest:manifest>',
            "content.xml": f'<office:document-content {names} office:version="1.2">{content}</office:document-content>',
        },
    )


def write_epub(path: Path, chapters: list[str]) -> None:
    """Write a book with these chapters in HTML."""
    files = {f"OEBPS/c{number}.xhtml": html for number, html in enumerate(chapters, start=1)}
    items = "".join(f'<item id="c{n}" href="c{n}.xhtml"/>' for n in range(1, len(chapters) + 1))
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(1, len(chapters) + 1))
    write_zip(
        path,
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfile full-path="OEBPS/book.opf"/></container>',
            "OEBPS/book.opf": f"<package><title>B</title><manifest>{items}</manifest><spine>{spine}</spine></package>",
            **files,
        },
    )


def write_xlsx(path: Path, sheets: dict[str, list[list[object]]], far_cell: tuple[int, int] | None = None) -> None:
    """Write a workbook with these rows by sheet. ``far_cell`` also gets a value in each sheet."""
    with xlsxwriter.Workbook(path) as workbook:
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
            if far_cell is not None:
                sheet.write(*far_cell, "far")


def write_samples(folder: Path) -> dict[str, str]:
    """Write one document of each kind. Return the fact in each by the name of its file."""
    names = [f"sample.{suffix}" for suffix in _TEXTS] + [f"sample.{suffix}" for suffix in _WRITERS]
    for name in names:
        suffix = name.rpartition(".")[2]
        if suffix in _TEXTS:
            (folder / name).write_text(_TEXTS[suffix].replace("FACT", fact(name)), encoding="utf-8")
        else:
            _WRITERS[suffix](folder / name, fact(name))
    return {name: fact(name) for name in names}


def _write_eml(path: Path, text: str) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "ada@example.com", "eve@example.com", "The vault"
    message.set_content(f"<p>See <b>below</b>.</p><p>{text}</p>", subtype="html")
    message.add_attachment(b"1,2", maintype="text", subtype="csv", filename="numbers.csv")
    path.write_bytes(message.as_bytes())


def _write_ipynb(path: Path, text: str) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": [text]}
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["print(vault())"], "outputs": [output]},
    ]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}), encoding="utf-8")


_TEXTS = {
    "txt": "First line\nFACT\n",
    "md": "# Title\n\nFACT\n\n## End\n",
    "csv": "name,note\nnorth,FACT\n",
    "tsv": "name\tnote\nnorth\tFACT\n",
    "json": '{"notes": [{"text": "FACT"}]}',
    "xml": "<?xml version='1.0'?><notes><note>FACT</note></notes>",
    "html": "<!doctype html><title>T</title><h1>Title</h1><script>hidden()</script><p><b>FACT</b></p>",
    "py": "def vault():\n    return 'FACT'\n",
}
_WRITERS: dict[str, Callable[[Path, str], None]] = {
    "pdf": lambda path, text: write_pdf(path, ["First page", text]),
    "docx": write_docx,
    "xlsx": lambda path, text: write_xlsx(path, {"First": [["a", 1]], "Second": [["note"], [text]]}),
    "pptx": lambda path, text: write_pptx(path, ["First slide", text]),
    "odt": write_odt,
    "epub": lambda path, text: write_epub(path, ["<h1>One</h1>", f"<h1>Two</h1><p>{text}</p>"]),
    "eml": _write_eml,
    "ipynb": _write_ipynb,
    "parquet": lambda path, text: pq.write_table(pa.table({"id": [1, 2], "note": ["a", text]}), path),
    "zip": lambda path, text: write_zip(path, {f"{text}.txt": "inside"}),
}

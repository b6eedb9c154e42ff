"""A minimal writer of PDF documents."""

from collections.abc import Iterable, Sequence
from pathlib import Path


def write_pdf(path: Path, pages: Sequence[str]) -> None:
    """Write a document with these lines of text on its pages. A page without text has only a gray rectangle."""
    first = 4
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, text in enumerate(pages):
        content = _drawn(text.splitlines()) if text else "0.5 g 100 100 300 300 re f"
        resources = "<< /Font << /F1 3 0 R >> >>"
        page = f"/Parent 2 0 R /MediaBox [0 0 595 842] /Resources {resources} /Contents {first + 2 * number + 1} 0 R"
        objects += [f"<< /Type /Page {page} >>", f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"]
    path.write_bytes(_file(objects))


def _drawn(lines: Iterable[str]) -> str:
    escaped = (line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in lines)
    return "BT /F1 12 Tf 72 770 Td 14 TL " + " ".join(f"({line}) Tj T*" for line in escaped) + " ET"


def _file(objects: Sequence[str]) -> bytes:
    output = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(output))
        output += f"{number} 0 obj\n{content}\nendobj\n".encode("cp1252")
    start = len(output)
    output += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    output += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    output += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(output)

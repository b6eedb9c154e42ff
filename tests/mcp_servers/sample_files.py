"""Small valid files for every viewer of the canvas."""

import io
import json
import math
import struct
import wave
import zlib

Content = tuple[str, bytes]  # MIME type and bytes


def png(width: int, height: int, level: int = 9) -> bytes:
    """Return a grey picture, one byte per pixel, compressed row by row so that a huge picture needs little memory."""
    row = b"\0" + bytes((128 + column * 100 // width) % 256 for column in range(width))
    packer = zlib.compressobj(level)
    packed = b"".join([*(packer.compress(row) for _ in range(height)), packer.flush()])
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def pdf(*pages: str) -> bytes:
    """Return a PDF with one line of text on each page."""
    kids = " ".join(f"{4 + 2 * index} 0 R" for index in range(len(pages)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>"]
    objects.append("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    for index, text in enumerate(pages):
        stream = f"BT /F1 28 Tf 72 700 Td ({text}) Tj ET"
        fonts = "/Resources<</Font<</F1 3 0 R>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {5 + 2 * index} 0 R{fonts}>>")
        objects.append(f"<</Length {len(stream)}>>stream\n{stream}\nendstream")
    out = io.BytesIO(b"%PDF-1.7\n")
    out.seek(0, io.SEEK_END)
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n{body}\nendobj\n".encode())
    start = out.tell()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode())
    out.write(f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def wav() -> bytes:
    """Return a tone of 0.2 seconds."""
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(index / 3))) for index in range(1600)))
    return out.getvalue()


GRAPH = {
    "nodes": [{"id": "TP53", "type": "Gene"}, {"id": "MDM2", "type": "Gene"}, {"id": "Nutlin", "type": "Drug"}],
    "edges": [
        {"from": "MDM2", "to": "TP53", "label": "inhibits"},
        {"from": "Nutlin", "to": "MDM2", "label": "inhibits"},
    ],
}
CITATIONS = [
    {"pmid": "31234567", "title": "Vectors of gene therapy", "authors": ["Ota K", "Muller A"], "year": 2019},
    {"doi": "10.1000/182", "title": "Capsids", "authors": ["Silva P"], "year": 2021, "journal": "Gene"},
    {"title": "Older papers", "abstract": "How it began."},
    *({"title": f"Older paper {number}"} for number in range(1, 50)),
]
PAGE = "<!doctype html><title>R</title><style>h1{color:teal}</style><h1>A report</h1><p>All is well.</p>"
TABLE = "city,people\n" + "".join(f"City {row % 7},{row * 37 % 1000}\n" for row in range(500))

FILES: dict[str, Content] = {
    "report.html": ("text/html", PAGE.encode()),
    "picture.png": ("image/png", png(320, 200)),
    "drawing.svg": (
        "image/svg+xml",
        b'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><circle cx="50" cy="50" r="40"/></svg>',
    ),
    "paper.pdf": ("application/pdf", pdf("First page", "Second page")),
    "notes.md": ("text/markdown", b"# Notes\n\n- one\n- **two**\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
    "script.py": ("text/x-python", b"def twice(number: int) -> int:\n    return 2 * number\n"),
    "settings.json": ("application/json", b'{"name":"satchel","sizes":[1,2,3]}'),
    "cities.csv": ("text/csv", TABLE.encode()),
    "cities.tsv": ("text/tab-separated-values", b"a\tb\n1\t2\n"),
    "tone.wav": ("audio/wav", wav()),
    "archive.zip": ("application/zip", b"PK\5\6" + bytes(18)),
    "relations.json": ("application/vnd.knowledge-graph", json.dumps(GRAPH).encode()),
    "references.json": ("application/vnd.bibliography", json.dumps(CITATIONS).encode()),
}

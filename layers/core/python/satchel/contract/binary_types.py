"""Binary file types: which MIME types are binary, how their files begin, and content that tools return as base64.

Tools return the bytes of typed artifacts as base64 in ``content`` (clause v5:artifacts:binary-content).
"""

from collections.abc import Sequence

from satchel.contract import base64
from satchel.contract.media_types import UNKNOWN, essence, is_text

_BINARY = frozenset(
    "application/" + subtype
    for subtype in [
        "octet-stream", "pdf", "zip", "gzip", "x-gzip", "x-bzip2", "x-xz", "x-tar", "x-7z-compressed", "epub+zip",
        "vnd.apache.parquet", "x-parquet", "vnd.apache.arrow.file", "vnd.sqlite3", "msword", "wasm",
        "vnd.ms-excel", "vnd.ms-powerpoint", "vnd.oasis.opendocument.text", "vnd.oasis.opendocument.spreadsheet",
        "vnd.oasis.opendocument.presentation",
    ]
)  # fmt: skip
_BINARY_TOPS = frozenset({"image", "audio", "video", "font"})
_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_SVG = "image/svg+xml"
_ZIP = ((0, b"PK\x03\x04"), (0, b"PK\x05\x06"))
# The signatures of each MIME type, as (offset, bytes). Files of a type without an entry may have any content.
_SIGNATURES: dict[str, Sequence[tuple[int, bytes]]] = {
    "image/png": ((0, b"\x89PNG\r\n\x1a\n"),),
    "image/jpeg": ((0, b"\xff\xd8\xff"),),
    "image/gif": ((0, b"GIF87a"), (0, b"GIF89a")),
    "image/webp": ((8, b"WEBP"),),
    "image/tiff": ((0, b"II*\0"), (0, b"MM\0*")),
    "application/pdf": ((0, b"%PDF-"),),
    "application/zip": _ZIP,
    "application/gzip": ((0, b"\x1f\x8b"),),
    "audio/wav": ((8, b"WAVE"),),
    "audio/ogg": ((0, b"OggS"),),
    "audio/flac": ((0, b"fLaC"),),
    "video/mp4": ((4, b"ftyp"),),
    "video/webm": ((0, b"\x1aE\xdf\xa3"),),
    "application/vnd.apache.parquet": ((0, b"PAR1"),),
    "application/vnd.sqlite3": ((0, b"SQLite format 3\0"),),
}
HEAD_BYTES = 384
"""The number of bytes at the beginning of a file that ``guess_mime`` needs."""

_HEAD_CHARS = HEAD_BYTES * 4 // 3


def is_binary(mime: str) -> bool:
    """Return True if files of a MIME type are binary: images (except SVG), audio, video, PDF, archives and similar."""
    kind = essence(mime)
    if is_text(kind):
        return False
    return kind in _BINARY or kind.partition("/")[0] in _BINARY_TOPS or kind.startswith(_OPEN_XML)


def guess_mime(head: bytes) -> str:
    """Guess a file's MIME type from its first ``HEAD_BYTES`` bytes. Return ``application/octet-stream`` if unknown."""
    for kind in _SIGNATURES:
        if _has_signature(kind, head):
            return kind
    is_plain = head and b"\0" not in head and "\ufffd" not in head.decode("utf-8", "replace")[:-1]
    return "text/plain" if is_plain else UNKNOWN


def decode_content(mime: str, content: str) -> str | None:
    """Return the validated base64 in an artifact's ``content`` if its type is binary, or None if the content is text.

    SVG images are text unless their content is a base64 ``data:`` URL. ``application/octet-stream`` is text unless its
    content is valid base64. Raise ValueError if content of another binary type is not base64, or if the decoded bytes
    do not begin with the type's signature.
    """
    kind = essence(mime)
    if not is_binary(kind) and not (kind == _SVG and content.lstrip().lower().startswith("data:")):
        return None
    try:
        body = base64.validate(content)
    except base64.Base64Error as error:
        if kind in {UNKNOWN, _SVG}:
            return None
        raise ValueError(f"the content of a file of type {kind} must be base64, but it is {error}") from None
    head = base64.decode(body[:_HEAD_CHARS])
    if kind in _SIGNATURES and not _has_signature(kind, head):
        raise ValueError(f"the content is not a file of type {kind}: its first bytes differ from those of this type")
    return body


def _has_signature(kind: str, head: bytes) -> bool:
    return any(head[start : start + len(mark)] == mark for start, mark in _SIGNATURES[kind])

"""MIME types: validate and guess them, choose a viewer or file extension, and detect types that can contain scripts."""

import mimetypes
import re
from collections.abc import Sequence
from functools import cache

UNKNOWN = "application/octet-stream"
VIEWERS = frozenset({"image", "pdf", "html", "code", "data", "audio", "video", "app"})
APP_MIME = "text/html;profile=mcp-app"
"""The MIME type of the apps of MCP servers (SEP-1865)."""

_TOKEN = r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}"  # noqa: S105  (a token as RFC 6838 defines it)
_VALUE = rf"(?:{_TOKEN}|\"[ !#-\[\]-~]*\")"
_FORM = re.compile(rf"({_TOKEN}/{_TOKEN})((?: ?; ?{_TOKEN}={_VALUE}){{0,8}})")
_GENERIC = frozenset({UNKNOWN, "binary/octet-stream", "application/unknown", "text/plain"})
_TEXT = frozenset(
    "application/" + subtype
    for subtype in [
        "json", "jsonl", "x-ndjson", "xml", "yaml", "x-yaml", "toml", "sql", "javascript", "ecmascript", "x-javascript",
        "x-sh", "x-python", "vnd.bibliography", "vnd.knowledge-graph", "graphql", "x-tex", "x-httpd-php",
    ]
)  # fmt: skip
_DATA = frozenset(
    [
        "text/csv",
        "text/tab-separated-values",
        "application/vnd.apache.parquet",
        "application/x-parquet",
        "application/vnd.apache.arrow.file",
        "application/vnd.ms-excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.sqlite3",
    ]
)
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_ACTIVE = _HTML | frozenset(
    ["text/xml", "application/xml", "text/xsl", "text/vbscript", "message/rfc822", "application/x-mimearchive"]
)
_SCRIPT = re.compile(r"(?:text|application)/(?:x-)?(?:java|ecma|live|j)script[0-9.]*")
_OWN_TYPES = {
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".arrow": "application/vnd.apache.arrow.file",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".webp": "image/webp",
    ".jsonl": "application/x-ndjson",
    ".ndjson": "application/x-ndjson",
    ".geojson": "application/geo+json",
    ".ipynb": "application/x-ipynb+json",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
    ".sql": "application/sql",
    ".log": "text/plain",
    ".ts": "text/x-typescript",
    ".js": "text/javascript",
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
    ".sqlite": "application/vnd.sqlite3",
    ".7z": "application/x-7z-compressed",
}
_COMPRESSED = {"gzip": "application/gzip", "bzip2": "application/x-bzip2", "xz": "application/x-xz"}
_EXTENSIONS = {
    "text/plain": ".txt",
    "text/html": ".html",
    "image/jpeg": ".jpg",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
}
_JSON_TYPES = frozenset({"application/json", "application/vnd.bibliography", "application/vnd.knowledge-graph"})


@cache
def _table() -> mimetypes.MimeTypes:
    """Return the MIME types of file extensions.

    Ignores the machine's MIME tables (/etc/mime.types), so that a file name has the same MIME type on every machine.
    Python reads these tables nevertheless, so the first use takes 2.5 ms, which tool calls without files do not need.
    """
    table = mimetypes.MimeTypes()
    for extension, mime in _OWN_TYPES.items():
        table.add_type(mime, extension)
    return table


def normalize_mime(mime: str) -> str:
    """Return a MIME type in lower case (except its parameters), or ``application/octet-stream`` if it is malformed."""
    match = _FORM.fullmatch(mime.strip(" "))
    return match[1].lower() + match[2] if match else UNKNOWN


def is_app(mime: str) -> bool:
    """Return True if the MIME type is the one of apps of MCP servers."""
    return normalize_mime(mime).replace(" ", "").lower() == APP_MIME


def is_mime(text: str) -> bool:
    """Return True if the text is a well-formed MIME type."""
    return _FORM.fullmatch(text.strip(" ")) is not None


def essence(mime: str) -> str:
    """Return a MIME type in lower case, without its parameters: ``text/html`` for ``text/HTML; charset=utf-8``."""
    return normalize_mime(mime).partition(";")[0].rstrip(" ")


def mime_of(name: str) -> str:
    """Guess the MIME type from a file name. Return ``application/octet-stream`` if the extension is unknown."""
    guessed, encoding = _table().guess_type(f"./{name}")  # "./" keeps a name with a colon from being parsed as a URL
    if encoding is not None:
        return _COMPRESSED.get(encoding, UNKNOWN)
    return guessed or UNKNOWN


def extension_of(mime: str, default: str = "") -> str:
    """Return the usual file extension of a MIME type, such as ``.csv``, or ``default`` if the type is unknown."""
    kind = essence(mime)
    if kind in _JSON_TYPES or kind.endswith("+json"):
        return _table().guess_extension(kind) or ".json"
    return _EXTENSIONS.get(kind) or _table().guess_extension(kind) or default


def viewer_for(mime: str, name: str, hints: Sequence[str | None] = ()) -> str:
    """Return the viewer for a file: the first of the tool's ``hints`` that fits the file's type, or the default."""
    kind = effective_mime(mime, name)
    default = "app" if is_app(mime) else _default_viewer(kind)
    viewers = (hint.lower() for hint in hints if hint)
    return next((viewer for viewer in viewers if _fits(viewer, kind, default)), default)


def _fits(viewer: str, kind: str, default: str) -> bool:
    """Return True if a viewer can show files of a type. Every viewer fits a type whose default viewer is ``auto``."""
    if viewer not in VIEWERS:
        return False
    is_plain = viewer == "html" and kind == "text/plain"
    return default in {viewer, "auto"} or is_plain or (viewer == "code" and is_text(kind))


def _default_viewer(kind: str) -> str:
    if kind in _HTML:
        return "html"
    if kind == "application/pdf":
        return "pdf"
    if kind in _DATA:
        return "data"
    top = kind.partition("/")[0]
    if top in ("image", "audio", "video"):
        return top
    return "code" if is_text(kind) else "auto"


def is_showable(mime: str, name: str) -> bool:
    """Return True if the canvas (the panel for files) can display the file: an image, PDF, HTML, text or code."""
    kind = effective_mime(mime, name)
    return kind.startswith("image/") or kind == "application/pdf" or kind in _HTML or is_text(kind)


def is_active(mime: str) -> bool:
    """Return True if browsers might run scripts in files of this type. Never serve them inline on the app's origin."""
    kind = essence(mime)
    if kind.startswith("multipart/"):  # some browsers render the parts of multipart files, even HTML
        return True
    return kind in _ACTIVE or kind.endswith("+xml") or _SCRIPT.fullmatch(kind) is not None


def effective_mime(mime: str, name: str) -> str:
    """Return the declared MIME type. If it is generic (``text/plain``), prefer a guess from the file name."""
    kind = essence(mime)
    by_name = mime_of(name)
    return by_name if kind in _GENERIC and by_name != UNKNOWN else kind


def is_text(kind: str) -> bool:
    """Return True if a MIME type (without parameters) is a kind of text, including source code and JSON."""
    return kind.startswith("text/") or kind in _TEXT or kind.endswith(("+json", "+xml", "+yaml"))

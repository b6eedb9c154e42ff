"""Make file names safe to store, display and download.

Uploads, tool arguments, artifacts and HTTP headers must all get the same name, so ``safe_name`` never fails and leaves
safe names unchanged. The package pathvalidate implements only some of these rules.
"""

import hashlib
import re
import unicodedata

MAX_BYTES = 255
DEFAULT_NAME = "file"

_SLASHES = re.compile("[/\\\\∕⁄⧸／＼⧵⧹﹨∖]|%2f|%5c", re.IGNORECASE)  # noqa: RUF001  (slash look-alikes, on purpose)
_DRIVES = re.compile(r"\A(?:[A-Za-z]:)+")
_FORBIDDEN = str.maketrans(dict.fromkeys('<>:"|?*', "_"))
_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp"})
_EDGES = ". "
_EXTENSION = re.compile(r"(?:\.tar)?\.[^. ]{1,31}\Z", re.IGNORECASE)
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"]
)
_SYSTEM_FILES = frozenset(
    [
        "desktop.ini",
        "thumbs.db",
        "autorun.inf",
        "ntuser.dat",
        "pagefile.sys",
        "hiberfil.sys",
        "$recycle.bin",
        "ds_store",
    ]
)


def safe_name(raw: str | bytes) -> str:
    """Return a safe file name: one path component, at most 255 bytes in UTF-8. Safe names stay unchanged."""
    name = _remove_invisible(_decode_name(raw))
    name = _last_component(unicodedata.normalize("NFC", name))
    name = _DRIVES.sub("", name.strip(_EDGES)).translate(_FORBIDDEN).strip(_EDGES)
    if name.startswith("-"):
        name = "_" + name[1:]
    if _is_reserved(name):
        name = "_" + name
    return _shorten(name) if name else DEFAULT_NAME


def numbered_name(name: str, number: int) -> str:
    """Return the name with a number: ``name (2).ext`` for 2, ``name.ext`` for 1. The result has at most 255 bytes."""
    if number <= 1:
        return name
    stem, extension = split_extension(name)
    ending = f" ({number}){extension}"
    return _truncate(stem, MAX_BYTES - len(ending.encode())) + ending


def split_extension(name: str) -> tuple[str, str]:
    """Split a file name into stem and extension (``.txt``, ``.tar.gz``). A missing or too long extension is empty."""
    match = _EXTENSION.search(name)
    if match is None or match.start() == 0 or len(match[0].encode()) > MAX_BYTES // 4:
        return name, ""
    return name[: match.start()], match[0]


def _decode_name(raw: str | bytes) -> str:
    if isinstance(raw, bytes):
        return raw.decode("utf-8", "replace")
    return raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _remove_invisible(text: str) -> str:
    """Remove control, bidi and zero-width characters. Call it first: such characters can hide a slash."""
    if text.isascii() and text.isprintable():
        return text
    visible = (char for char in text if unicodedata.category(char) not in _INVISIBLE)
    return "".join(" " if unicodedata.category(char) == "Zs" else char for char in visible)


def _last_component(path: str) -> str:
    return next((part for part in reversed(_SLASHES.split(path)) if part.strip()), "")


def _is_reserved(name: str) -> bool:
    stem = name.partition(".")[0].rstrip().lower()
    return stem in _DEVICES or name.lower() in _SYSTEM_FILES


def _shorten(name: str) -> str:
    """Truncate a name over 255 bytes but keep its extension. Add a hash so that different long names stay different."""
    if len(name.encode()) <= MAX_BYTES:
        return name
    stem, extension = split_extension(name)
    ending = f"-{hashlib.sha256(name.encode()).hexdigest()[:8]}{extension}"
    return _truncate(stem, MAX_BYTES - len(ending.encode())) + ending


def _truncate(text: str, size: int) -> str:
    return text.encode()[:size].decode("utf-8", "ignore")

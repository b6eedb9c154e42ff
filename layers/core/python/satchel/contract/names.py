"""File names from anywhere made safe to store, to show and to offer for download (spec 3 §5.2, §9.1).

pathvalidate does a part of this; ours is one total and idempotent function, because the same name must come out
wherever it is asked for: at the upload, in a model's arguments, in a tool's artifact, in a header.
"""

import hashlib
import re
import unicodedata

MAX_BYTES = 255
EMPTY = "file"

_SLASHES = re.compile("[/\\\\∕⁄⧸／＼⧵⧹﹨∖]|%2f|%5c", re.IGNORECASE)  # noqa: RUF001  (look-alikes are the point)
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
    """Make any name storable: one path component of at most 255 bytes of UTF-8. Never raises; idempotent."""
    name = _visible(_text(raw))
    name = _last_component(unicodedata.normalize("NFC", name))
    name = _DRIVES.sub("", name.strip(_EDGES)).translate(_FORBIDDEN).strip(_EDGES)
    if name.startswith("-"):
        name = "_" + name[1:]
    if _belongs_to_a_system(name):
        name = "_" + name
    return _shortened(name) if name else EMPTY


def numbered(name: str, number: int) -> str:
    """Return the ``number``-th name of that kind: ``name (2).ext``; the first is the name itself. At most 255 bytes."""
    if number <= 1:
        return name
    stem, extension = split_extension(name)
    ending = f" ({number}){extension}"
    return _cut(stem, MAX_BYTES - len(ending.encode())) + ending


def split_extension(name: str) -> tuple[str, str]:
    """Split off the extension with its dot (``.tar.gz`` is one); what is too long to be one, is none."""
    found = _EXTENSION.search(name)
    if found is None or found.start() == 0 or len(found[0].encode()) > MAX_BYTES // 4:
        return name, ""
    return name[: found.start()], found[0]


def _text(raw: str | bytes) -> str:
    if isinstance(raw, bytes):
        return raw.decode("utf-8", "replace")
    return raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _visible(text: str) -> str:
    """Leave out control, bidi and zero-width characters, before anything else: else they could hide a slash."""
    if text.isascii() and text.isprintable():
        return text
    shown = (char for char in text if unicodedata.category(char) not in _INVISIBLE)
    return "".join(" " if unicodedata.category(char) == "Zs" else char for char in shown)


def _last_component(path: str) -> str:
    return next((part for part in reversed(_SLASHES.split(path)) if part.strip()), "")


def _belongs_to_a_system(name: str) -> bool:
    stem = name.split(".", 1)[0].rstrip(" ").lower()
    return stem in _DEVICES or name.lower() in _SYSTEM_FILES


def _shortened(name: str) -> str:
    """Cut a name that is too long, keep its extension, and let the hash of the whole tell it from its like."""
    if len(name.encode()) <= MAX_BYTES:
        return name
    stem, extension = split_extension(name)
    ending = f"-{hashlib.sha256(name.encode()).hexdigest()[:8]}{extension}"
    return _cut(stem, MAX_BYTES - len(ending.encode())) + ending


def _cut(text: str, size: int) -> str:
    """Keep at most ``size`` bytes of UTF-8, never half a character."""
    return text.encode()[:size].decode("utf-8", "ignore")

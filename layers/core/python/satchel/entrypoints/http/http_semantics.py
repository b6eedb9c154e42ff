"""Read and write download headers: conditional requests (RFC 9110 §13), ranges (§14), Content-Disposition (RFC 6266).

The content of a file version never changes, so each version has one constant ETag. That of a session or of settings
names what their user can change in them.
"""

import hashlib
import json
import re
from urllib.parse import quote

from satchel.domain.errors import Changed, RangeNotSatisfiable

_ETAG_CHARS = 32
_RANGE = re.compile(r"^bytes=([0-9]{0,18})-([0-9]{0,18})$")


def is_unchanged(if_none_match: str | None, etag: str) -> bool:
    """Return True if ``If-None-Match`` contains ``etag``: the client has this version, so the answer is 304."""
    known = {each.strip().removeprefix("W/") for each in (if_none_match or "").split(",")}
    return "*" in known or etag in known


def etag_of(*values: object) -> str:
    """Return the ETag of a resource that can change, made from the values that its user can change."""
    digest = hashlib.sha256(json.dumps(values).encode()).hexdigest()
    return f'"{digest[:_ETAG_CHARS]}"'


def check_unchanged(if_match: str | None, etag: str) -> None:
    """Raise Changed if there is an ``If-Match`` header without ``etag``. Weak tags never match (RFC 9110 §13.1.1)."""
    if if_match is not None and not {"*", etag} & {each.strip() for each in if_match.split(",")}:
        raise Changed


def is_range_valid(if_range: str | None, etag: str) -> bool:
    """Return True if the requested range may be sent: there is no ``If-Range`` header, or it equals ``etag``."""
    return if_range is None or if_range.strip() == etag


def content_disposition(name: str, *, inline: bool) -> str:
    """Return the value of the header Content-Disposition, with the UTF-8 file name and an ASCII fallback.

    Users and tools choose the name, so quotes, backslashes and line breaks are replaced or encoded.
    """
    ascii_name = "".join(char if " " <= char <= "~" and char not in '"\\%' else "_" for char in name)
    return f"{'inline' if inline else 'attachment'}; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}"


def requested_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Return the first and last byte of the requested range, or None for the whole file. Raise RangeNotSatisfiable.

    As RFC 9110 permits, return None for several ranges, a unit other than bytes, and an invalid header.
    """
    match = _RANGE.match((header or "").strip())
    if not match or not (match[1] or match[2]):
        return None
    if not match[1]:
        first, last = max(0, size - int(match[2])), size - 1
        unsatisfiable = int(match[2]) == 0 or size == 0
    else:
        first, last = int(match[1]), min(int(match[2] or size), size - 1)
        unsatisfiable = first >= size
        if match[2] and int(match[2]) < first:
            return None
    if unsatisfiable:
        raise RangeNotSatisfiable(f"The file has {size} bytes.", size=size)
    return first, last

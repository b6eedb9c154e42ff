"""Headers of downloads: conditional requests (RFC 9110 §13), byte ranges (§14) and Content-Disposition (RFC 6266).

A version of a file never changes, so its ETag is constant.
"""

import re
from urllib.parse import quote

from satchel.domain.errors import RangeNotSatisfiable

_RANGE = re.compile(r"^bytes=([0-9]{0,18})-([0-9]{0,18})$")


def is_unchanged(if_none_match: str | None, etag: str) -> bool:
    """Return True if ``If-None-Match`` contains the ETag of the current version."""
    known = {each.strip().removeprefix("W/") for each in (if_none_match or "").split(",")}
    return "*" in known or etag in known


def is_range_valid(if_range: str | None, etag: str) -> bool:
    """Return True if a range may be sent: there is no ``If-Range``, or it contains the ETag of the current version."""
    return if_range is None or if_range.strip() == etag


def content_disposition(name: str, *, inline: bool) -> str:
    """Return the header with an ASCII fallback and the UTF-8 name.

    Quotes, backslashes and line breaks are replaced or encoded, because users and tools choose the name.
    """
    ascii_name = "".join(char if " " <= char <= "~" and char not in '"\\%' else "_" for char in name)
    return f"{'inline' if inline else 'attachment'}; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}"


def requested_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Return the first and last byte of the requested range, or None for the whole file. Raises RangeNotSatisfiable.

    Several ranges, another unit and an invalid header also give the whole file, as the RFC permits.
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

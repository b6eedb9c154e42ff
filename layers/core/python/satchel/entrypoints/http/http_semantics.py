"""Whether a reader has a file already (RFC 9110 §13). Each version has one ETag, for good.

Content-Disposition in both forms (RFC 6266): an ASCII fallback, and UTF-8 percent-encoded.

One byte range of a download (RFC 9110 §14): several at once, or anything else, is answered with the whole.
"""

import re
from urllib.parse import quote

from satchel.domain.errors import Unsatisfiable


def is_unchanged(if_none_match: str | None, etag: str) -> bool:
    """Tell whether ``If-None-Match`` names what would be sent."""
    named = {one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")}
    return "*" in named or etag in named


def range_still_valid(if_range: str | None, etag: str) -> bool:
    """Tell whether a range may be sent: without ``If-Range``, or where it names this very version."""
    return if_range is None or if_range.strip() == etag


def content_disposition(name: str, *, inline: bool) -> str:
    """Return the header. Quotes, backslashes and line ends never pass: the name comes from anybody."""
    plain = "".join(char if " " <= char <= "~" and char not in '"\\%' else "_" for char in name)
    return f"{'inline' if inline else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


_RANGE = re.compile(r"^bytes=([0-9]{0,18})-([0-9]{0,18})$")


def requested_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Return first and last byte of what is asked, None for the whole. Raises Unsatisfiable."""
    found = _RANGE.match((header or "").strip())
    if not found or not (found[1] or found[2]):
        return None
    if not found[1]:
        first, last = max(0, size - int(found[2])), size - 1
        unsatisfiable = int(found[2]) == 0 or size == 0
    else:
        first, last = int(found[1]), min(int(found[2] or size), size - 1)
        unsatisfiable = first >= size
        if found[2] and int(found[2]) < first:
            return None
    if unsatisfiable:
        raise Unsatisfiable(f"The file has {size} bytes.", size=size)
    return first, last

"""One byte range of a download (RFC 9110 §14): several at once, or anything else, is answered with the whole."""

import re

from satchel.domain.errors import Unsatisfiable

_RANGE = re.compile(r"^bytes=([0-9]{0,18})-([0-9]{0,18})$")


def asked_range(header: str | None, size: int) -> tuple[int, int] | None:
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

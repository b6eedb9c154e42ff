"""The opaque cursors of lists: the sort key after which the next page begins."""

import base64

from satchel.domain.errors import InvalidRequest

_MOST_KEY_BYTES = 1024


def to_cursor(sort_key: str | None) -> str | None:
    """Make the opaque cursor of a list; None where the list ends."""
    return None if sort_key is None else base64.urlsafe_b64encode(sort_key.encode()).decode()


def from_cursor(cursor: str | None, prefix: str) -> str | None:
    """Read a cursor of a list whose sort keys begin with ``prefix``. Raises InvalidRequest for one that is not ours."""
    if cursor is None:
        return None
    try:
        sort_key = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError:
        sort_key = ""
    if not sort_key.startswith(prefix) or len(sort_key.encode()) > _MOST_KEY_BYTES:
        raise InvalidRequest("The cursor is not one that this list gave.", cursor=cursor[:100])
    return sort_key

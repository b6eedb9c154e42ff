"""Pages of lists, as the table returns them."""

from collections.abc import Sequence
from typing import TypeVar

from satchel.domain.errors import InvalidRequest
from satchel.ports import Page

T = TypeVar("T")
_PREFIX = "after:"


def page_of(items: Sequence[tuple[str, T]], limit: int, cursor: str | None) -> Page[T]:
    """Return the page after the item with the cursor's key. Raise InvalidRequest if the cursor is malformed."""
    first = 0
    if cursor is not None:
        if not cursor.startswith(_PREFIX):
            raise InvalidRequest("The cursor does not belong to this list.", cursor=cursor)
        first = [key for key, _ in items].index(cursor.removeprefix(_PREFIX)) + 1
    shown = items[first : first + limit]
    more = first + limit < len(items)
    return Page(items=[item for _, item in shown], cursor=f"{_PREFIX}{shown[-1][0]}" if more else None)

"""Lists as pages, as a table gives them."""

from collections.abc import Sequence
from typing import TypeVar

from satchel.domain.errors import InvalidRequest
from satchel.ports import Page

T = TypeVar("T")
_MARK = "after:"


def page_of(items: Sequence[tuple[str, T]], limit: int, cursor: str | None) -> Page[T]:
    """Return the page after the item whose key the cursor holds. Raises InvalidRequest for any other cursor."""
    first = 0
    if cursor is not None:
        if not cursor.startswith(_MARK):
            raise InvalidRequest("The cursor does not belong to this list.", cursor=cursor)
        first = [key for key, _ in items].index(cursor.removeprefix(_MARK)) + 1
    shown = items[first : first + limit]
    more = first + limit < len(items)
    return Page(items=[item for _, item in shown], cursor=f"{_MARK}{shown[-1][0]}" if more else None)

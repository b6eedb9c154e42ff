"""The interfaces to the outside world, as small Protocols. Adapters are in ``adapters``, fakes in ``tests/fakes``.

Imports ``domain`` and ``contract`` only.
"""

from typing import Generic, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """One page of a list. ``cursor`` is None on the last page."""

    items: list[T]
    cursor: str | None = None

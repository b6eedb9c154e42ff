"""Protocols for everything outside the process (storage, clock, models). The package ``adapters`` implements them.

``tests/fakes`` contains fakes for tests. This package imports only ``domain`` and ``contract``.
"""

from typing import Generic, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """One page of a list. ``cursor`` is None on the last page."""

    items: list[T]
    cursor: str | None = None

"""TODO."""

from typing import Annotated

from fastapi import Query

Limit = Annotated[int, Query(ge=1, le=100, description="Items a page.")]


Cursor = Annotated[str | None, Query(max_length=2000, description="`cursor` of the page before.")]

"""Part: ``bibliography``, an array of citations (spec 5)."""

from typing import Any

from satchel.contract.jsonable import NotJsonError, text_of
from satchel.contract.shapes import typed
from satchel.contract.shapes.draft import Draft

TYPE = "application/vnd.bibliography"
TITLE = "Article References"


def take(payload: dict[str, Any], draft: Draft) -> None:
    """Turn the citations into one artifact that holds them as JSON."""
    citations = payload.get("bibliography")
    if not isinstance(citations, list | tuple):
        return
    del payload["bibliography"]
    try:
        content = text_of(citations)
    except NotJsonError as error:
        draft.refuse(TITLE, str(error))
        return
    item = {"type": TYPE, "title": TITLE, "content": content}
    draft.add(typed.completed(item, position=len(draft.artifacts)), TITLE)

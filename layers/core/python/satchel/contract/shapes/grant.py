"""Part: ``grantMarkdown``, a text that is itself the artifact (spec 5)."""

from collections.abc import Mapping
from typing import Any

from satchel.contract.media import is_mime
from satchel.contract.shapes import typed
from satchel.contract.shapes.draft import Draft

TYPE = "text/markdown"
TITLE = "NIH Grant Details"


def take(payload: dict[str, Any], draft: Draft) -> None:
    """Turn the markdown, given as an object or as the bare text, into an artifact."""
    given = payload.get("grantMarkdown")
    grant = {"content": given} if isinstance(given, str) else given
    if not isinstance(grant, Mapping):
        return
    del payload["grantMarkdown"]
    title = grant.get("title") or TITLE
    if grant.get("content") is None:
        draft.refuse(str(title), "no content")
        return
    kind = grant.get("type")
    kind = kind if isinstance(kind, str) and is_mime(kind) else TYPE
    item = {"language": "markdown", **grant, "type": kind, "title": title}
    draft.add(typed.completed(item, position=len(draft.artifacts)), str(title))

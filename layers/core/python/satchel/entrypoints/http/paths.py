"""Ids in paths, from one table: an id that cannot exist gives the same 404 as one that does not exist."""

import re
from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Path
from pydantic import BeforeValidator

from satchel.domain.canvas import CANVAS_ID
from satchel.domain.errors import (
    CallNotFound,
    CanvasNotFound,
    FileNotFound,
    NotFound,
    SessionNotFound,
    SharedLinkNotFound,
    TurnNotFound,
    UploadNotFound,
)
from satchel.domain.ids import CALL_ID, ID_BODY, CallId, CanvasId, FileKey, LinkId, SessionId, TurnId, UploadId
from satchel.entrypoints.http import examples

IdT = TypeVar("IdT", bound=str)
_MAX_SHOWN_CHARS = 100


def _checked(make: Callable[[str], IdT], pattern: str, not_found: Callable[[IdT], NotFound]) -> Callable[[str], IdT]:
    """Return a function that turns a text into an id, or raises ``not_found`` if the text cannot be one."""
    compiled = re.compile(pattern)

    def check(text: str) -> IdT:
        if not compiled.fullmatch(text):
            raise not_found(make(text[:_MAX_SHOWN_CHARS]))
        return make(text)

    return check


known_session = _checked(SessionId, f"s{ID_BODY}", SessionNotFound)
_turn = _checked(TurnId, f"t{ID_BODY}", TurnNotFound)
_call = _checked(CallId, CALL_ID, CallNotFound)
_file = _checked(FileKey, f"f{ID_BODY}", FileNotFound)
_upload = _checked(lambda text: UploadId(FileKey(text)), f"f{ID_BODY}", UploadNotFound)
_link = _checked(LinkId, f"l{ID_BODY}", SharedLinkNotFound)
_canvas = _checked(CanvasId, CANVAS_ID, CanvasNotFound)

# NotFound is no ValueError, so pydantic lets it pass and the answer is 404, not 422.
SessionPath = Annotated[SessionId, BeforeValidator(known_session), Path(examples=[examples.SESSION_ID])]
TurnPath = Annotated[TurnId, BeforeValidator(_turn), Path(examples=[examples.TURN_ID])]
CallPath = Annotated[CallId, BeforeValidator(_call), Path(examples=[examples.CALL_ID])]
FilePath = Annotated[FileKey, BeforeValidator(_file), Path(examples=[examples.FILE_KEY])]
UploadPath = Annotated[UploadId, BeforeValidator(_upload), Path(examples=[examples.UPLOAD_ID])]
LinkPath = Annotated[LinkId, BeforeValidator(_link), Path(examples=[examples.LINK_ID])]
CanvasPath = Annotated[
    CanvasId, BeforeValidator(_canvas), Path(examples=[examples.CANVAS_ID], description="As its tool named it.")
]

"""Parameters that several routes share: ids in paths, the injected use cases, and the limit and cursor of pages.

An id with an invalid format returns the same 404 error as an id that does not exist.
"""

import re
from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Path, Query, Request
from pydantic import BeforeValidator

from satchel.domain.canvas import CANVAS_ID_PATTERN
from satchel.domain.errors import (
    CallNotFound,
    CanvasNotFound,
    FileNotFound,
    NotFound,
    SessionNotFound,
    SharedLinkNotFound,
    TokenNotFound,
    TurnNotFound,
    UploadNotFound,
)
from satchel.domain.ids import (
    CALL_ID,
    ID_BODY,
    TURN_ID,
    CallId,
    CanvasId,
    FileKey,
    LinkId,
    SessionId,
    TokenId,
    TurnId,
    UploadId,
)
from satchel.domain.personal_tokens import TOKEN_ID
from satchel.entrypoints.http import examples
from satchel.use_cases import UseCases

IdT = TypeVar("IdT", bound=str)
_MAX_SHOWN_CHARS = 100


def _id_validator(
    make: Callable[[str], IdT], pattern: str, not_found: Callable[[IdT], NotFound]
) -> Callable[[str], IdT]:
    """Return a function that converts a text to an id with ``make``, or raises ``not_found`` if the text is invalid."""
    compiled = re.compile(pattern)

    def validate(text: str) -> IdT:
        if not compiled.fullmatch(text):
            raise not_found(make(text[:_MAX_SHOWN_CHARS]))
        return make(text)

    return validate


check_session_id = _id_validator(SessionId, f"s{ID_BODY}", SessionNotFound)
_turn = _id_validator(TurnId, TURN_ID, TurnNotFound)
_call = _id_validator(CallId, CALL_ID, CallNotFound)
check_file_key = _id_validator(FileKey, f"f{ID_BODY}", FileNotFound)
_upload = _id_validator(lambda text: UploadId(FileKey(text)), f"f{ID_BODY}", UploadNotFound)
_link = _id_validator(LinkId, f"l{ID_BODY}", SharedLinkNotFound)
_token = _id_validator(TokenId, TOKEN_ID, TokenNotFound)
_canvas = _id_validator(CanvasId, CANVAS_ID_PATTERN, CanvasNotFound)

# pydantic catches only ValueErrors in validators, so NotFound propagates and the response is 404 instead of 422.
SessionPath = Annotated[
    SessionId,
    BeforeValidator(check_session_id),
    Path(description="The id of the session.", examples=[examples.SESSION_ID]),
]
TurnPath = Annotated[
    TurnId, BeforeValidator(_turn), Path(description="The id of the turn.", examples=[examples.TURN_ID])
]
CallPath = Annotated[
    CallId, BeforeValidator(_call), Path(description="The id of the tool call.", examples=[examples.CALL_ID])
]
FilePath = Annotated[
    FileKey, BeforeValidator(check_file_key), Path(description="The key of the file.", examples=[examples.FILE_KEY])
]
UploadPath = Annotated[
    UploadId, BeforeValidator(_upload), Path(description="The id of the upload.", examples=[examples.UPLOAD_ID])
]
LinkPath = Annotated[
    LinkId, BeforeValidator(_link), Path(description="The id of the link.", examples=[examples.LINK_ID])
]
ChatLinkPath = Annotated[
    LinkId, BeforeValidator(_link), Path(description="The id of the link.", examples=[examples.LINK_ID])
]
TokenPath = Annotated[
    TokenId, BeforeValidator(_token), Path(description="The id of the personal token.", examples=[examples.TOKEN_ID])
]
CanvasPath = Annotated[
    CanvasId,
    BeforeValidator(_canvas),
    Path(examples=[examples.CANVAS_ID], description="The id that the tool gave to its dashboard."),
]


def get_use_cases(request: Request) -> UseCases:
    """Return the application's use cases, for injection into routes."""
    use_cases: UseCases = request.app.state.use_cases
    return use_cases


InjectedUseCases = Annotated[UseCases, Depends(get_use_cases)]

IdempotencyKey = Annotated[
    str | None,
    Header(
        max_length=200,
        description="A repeated request with the same key, within a day, returns what the first one created.",
    ),
]
IfMatch = Annotated[
    str | None,
    Header(max_length=400, description="Change it only if it still has this `ETag`; otherwise the response is 412."),
]
IfNoneMatch = Annotated[
    str | None, Header(alias="If-None-Match", description="The `ETag`s that the client has cached.")
]
ETAG_HEADER = {"ETag": {"description": "Names what can be changed, for `If-Match`.", "schema": {"type": "string"}}}
Limit = Annotated[int, Query(ge=1, le=100, description="Maximum number of items in a page.")]
Cursor = Annotated[str | None, Query(max_length=2000, description="The `cursor` of the previous page.")]
NewestFirst = Annotated[bool, Query(description="Newest items first. All pages of a list need the same value.")]

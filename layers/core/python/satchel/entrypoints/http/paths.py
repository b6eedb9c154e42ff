"""Ids in paths: one that cannot be an id of ours is simply not found."""

import re
from typing import Annotated

from fastapi import Depends, Path

from satchel.domain.canvas import is_canvas_id
from satchel.domain.errors import (
    CallNotFound,
    CanvasNotFound,
    FileNotFound,
    SessionNotFound,
    SharedLinkNotFound,
    TurnNotFound,
    UploadNotFound,
)
from satchel.entrypoints.http.examples import CALL_ID, CANVAS_ID, FILE_KEY, LINK_ID, SESSION_ID, TURN_ID, UPLOAD_ID

_BODY = re.compile(r"[0-9a-hjkmnp-tv-z]{26}")
_CALL = re.compile(r"t[0-9a-hjkmnp-tv-z]{26}-[0-9]{2,3}-[0-9]{2,3}")


def known_session(session_id: str) -> str:
    """Return what may be an id of a session. Raises SessionNotFound for what cannot."""
    if session_id[:1] != "s" or not _BODY.fullmatch(session_id[1:]):
        raise SessionNotFound(session_id[:100])
    return session_id


def _session(session_id: Annotated[str, Path(examples=[SESSION_ID])]) -> str:
    return known_session(session_id)


def _turn(turn_id: Annotated[str, Path(examples=[TURN_ID])]) -> str:
    if turn_id[:1] != "t" or not _BODY.fullmatch(turn_id[1:]):
        raise TurnNotFound(turn_id[:100])
    return turn_id


def _call(call_id: Annotated[str, Path(examples=[CALL_ID])]) -> str:
    if not _CALL.fullmatch(call_id):
        raise CallNotFound(call_id[:100])
    return call_id


def _file(file_key: Annotated[str, Path(examples=[FILE_KEY])]) -> str:
    if file_key[:1] != "f" or not _BODY.fullmatch(file_key[1:]):
        raise FileNotFound(file_key[:100])
    return file_key


def _upload(upload_id: Annotated[str, Path(examples=[UPLOAD_ID])]) -> str:
    if upload_id[:1] != "f" or not _BODY.fullmatch(upload_id[1:]):
        raise UploadNotFound(upload_id[:100])
    return upload_id


def _link(link_id: Annotated[str, Path(examples=[LINK_ID])]) -> str:
    if link_id[:1] != "l" or not _BODY.fullmatch(link_id[1:]):
        raise SharedLinkNotFound(link_id[:100])
    return link_id


def _canvas(canvas_id: Annotated[str, Path(examples=[CANVAS_ID], description="As its tool named it.")]) -> str:
    if not is_canvas_id(canvas_id):
        raise CanvasNotFound(canvas_id[:100])
    return canvas_id


SessionPath = Annotated[str, Depends(_session)]
TurnPath = Annotated[str, Depends(_turn)]
CallPath = Annotated[str, Depends(_call)]
FilePath = Annotated[str, Depends(_file)]
UploadPath = Annotated[str, Depends(_upload)]
LinkPath = Annotated[str, Depends(_link)]
CanvasPath = Annotated[str, Depends(_canvas)]

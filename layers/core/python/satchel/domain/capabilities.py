"""The claims of capabilities: short-lived permissions, most of them for somebody who is not signed in."""

from typing import Literal

from pydantic import BaseModel

from satchel.domain.ids import FileKey, SessionId, UserName

Audience = Literal["ui", "tool"]
UI_SECONDS = 300
CANVAS_SECONDS = 300
CONFIRM_SECONDS = 300


class Claims(BaseModel):
    """Permission to fetch one version of one file.

    ``session_id`` and ``epoch`` tie it to the file's session; ``exp`` in seconds since 1970. ``link_id`` is given where
    a record is kept of it, with which it can be revoked.
    """

    file_key: FileKey
    version: int
    owner: UserName
    session_id: str
    epoch: int
    audience: Audience
    exp: int
    link_id: str = ""


class CanvasClaims(BaseModel):
    """For whom a dashboard is shown, and in which session; it opens no file (its audience is its own)."""

    canvas_id: str
    owner: UserName
    session_id: SessionId
    epoch: int
    audience: Literal["canvas"] = "canvas"
    exp: int


class EraseClaims(BaseModel):
    """A person was told what erasing everything means, and may say it once more until ``exp``; it opens nothing."""

    owner: UserName
    audience: Literal["erase"] = "erase"
    exp: int

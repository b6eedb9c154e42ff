"""The claims of capabilities: short-lived permissions for somebody who is not signed in."""

from typing import Literal

from pydantic import BaseModel

from satchel.domain.ids import FileKey, SessionId, UserName

Audience = Literal["ui", "tool"]
UI_SECONDS = 300
CANVAS_SECONDS = 300


class Claims(BaseModel):
    """Permission to fetch one version of one file.

    ``session_id`` and ``epoch`` tie it to the file's session; ``exp`` in seconds since 1970.
    """

    file_key: FileKey
    version: int
    owner: UserName
    session_id: str
    epoch: int
    audience: Audience
    exp: int


class CanvasClaims(BaseModel):
    """For whom a dashboard is shown, and in which session; it opens no file (its audience is its own)."""

    canvas_id: str
    owner: UserName
    session_id: SessionId
    epoch: int
    audience: Literal["canvas"] = "canvas"
    exp: int

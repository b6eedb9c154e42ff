"""The claims of a capability: permission to fetch one version of one file for a short time, without being signed in."""

from typing import Literal

from pydantic import BaseModel

from satchel.domain.ids import FileKey, UserName

Audience = Literal["ui", "tool"]
UI_SECONDS = 300


class Claims(BaseModel):
    """What a token says. ``session_id`` and ``epoch`` tie it to the file's session; ``exp`` in seconds since 1970."""

    file_key: FileKey
    version: int
    owner: UserName
    session_id: str
    epoch: int
    audience: Audience
    exp: int

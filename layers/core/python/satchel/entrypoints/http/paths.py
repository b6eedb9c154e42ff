"""Ids in paths: one that cannot be an id of ours is simply not found."""

import re
from typing import Annotated

from fastapi import Depends, Path

from satchel.domain.errors import FileNotFound, SessionNotFound, TurnNotFound
from satchel.entrypoints.http.examples import FILE_KEY, SESSION_ID, TURN_ID

_BODY = re.compile(r"[0-9a-hjkmnp-tv-z]{26}")


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


def _file(file_key: Annotated[str, Path(examples=[FILE_KEY])]) -> str:
    if file_key[:1] != "f" or not _BODY.fullmatch(file_key[1:]):
        raise FileNotFound(file_key[:100])
    return file_key


SessionPath = Annotated[str, Depends(_session)]
TurnPath = Annotated[str, Depends(_turn)]
FilePath = Annotated[str, Depends(_file)]

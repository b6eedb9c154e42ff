"""Id types: mypy distinguishes them, and pydantic validates them where data enters.

The time comes first in an id, so a listing by key is a listing by time. Ids of a call and its files are derived,
because workflow states may repeat.
"""

import hashlib
from datetime import UTC, datetime
from typing import Annotated, NewType

from pydantic import StringConstraints

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_CHARS = 10
_ENTROPY_CHARS = 16
ID_BODY = r"[0-9a-hjkmnp-tv-z]{26}"
CALL_ID = rf"t{ID_BODY}-[0-9]{{2,3}}-[0-9]{{2,3}}"
_CALL_PREFIX_HASH_CHARS = 12

UserName = NewType("UserName", Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$")])
"""The signed-in user. Part of paths, S3 prefixes and IAM policies: no slash, no wildcard, no leading dot."""

SessionId = NewType("SessionId", Annotated[str, StringConstraints(pattern=rf"^s{ID_BODY}$")])
"""A conversation."""

TurnId = NewType("TurnId", Annotated[str, StringConstraints(pattern=rf"^t{ID_BODY}$")])
"""One user message and everything that follows from it; also the name of its execution."""

FileKey = NewType("FileKey", Annotated[str, StringConstraints(pattern=rf"^f{ID_BODY}$")])
"""An opaque id of a file or of one stored object: it contains neither the owner nor the name."""

UploadId = NewType("UploadId", FileKey)
"""An upload in parts: the key that the file gets when the upload is complete."""

CallId = NewType("CallId", Annotated[str, StringConstraints(pattern=rf"^{CALL_ID}$")])
"""One tool call: ``{turn_id}-{round}-{index}``, so that asking the model twice gives the same calls."""

LinkId = NewType("LinkId", Annotated[str, StringConstraints(pattern=rf"^l{ID_BODY}$")])
"""A shared link, by which its owner lists and revokes it."""

CanvasId = NewType("CanvasId", str)
"""A dashboard, in the words of the tool that made it: unique only within a session."""

ConnectionId = NewType("ConnectionId", str)
"""A WebSocket connection, as API Gateway names it."""


def _base32(number: int, chars: int) -> str:
    digits = [_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(chars))]
    return "".join(digits)


def new_id(kind: str, now: datetime, entropy: bytes) -> str:
    """Return an id of a kind (``s``, ``t``, ``f``, …) made of the time (ms) and at least ten random bytes."""
    millis = int(now.timestamp() * 1000)
    return kind + _base32(millis, _TIME_CHARS) + _base32(int.from_bytes(entropy[:10], "big"), _ENTROPY_CHARS)


def call_id(turn_id: TurnId, round_number: int, index: int) -> CallId:
    """Return the id of a call by its position in its turn."""
    return CallId(f"{turn_id}-{round_number:02d}-{index:02d}")


def time_of(any_id: str) -> datetime:
    """Return the time (UTC) that an id contains."""
    number = 0
    for char in any_id[1 : 1 + _TIME_CHARS]:
        number = number * 32 + _ALPHABET.index(char)
    return datetime.fromtimestamp(number / 1000, UTC)


def call_prefix(call: CallId) -> str:
    """Return the prefix of the object ids of all files of one call.

    One prefix for each call allows one IAM statement for its credentials: they can write nothing else.
    """
    digest = int.from_bytes(hashlib.sha256(call.encode()).digest()[:8], "big")
    return "f" + call[1 : 1 + _TIME_CHARS] + _base32(digest, _CALL_PREFIX_HASH_CHARS)


def object_id(call: CallId, index: int) -> FileKey:
    """Return the id of the ``index``-th file of a call; a retry gets the same id."""
    return FileKey(call_prefix(call) + _base32(index, _ENTROPY_CHARS - _CALL_PREFIX_HASH_CHARS))


def date_part(any_id: str) -> str:
    """Return the ``YYYYMMDD`` part of the S3 key of an object with this id."""
    return time_of(any_id).strftime("%Y%m%d")

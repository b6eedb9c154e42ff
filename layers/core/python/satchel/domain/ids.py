"""Id types and functions. mypy distinguishes the types; pydantic validates ids in requests and stored data.

An id starts with its creation time, so sorting by id sorts by time. The ids of a tool call and of its files are
derived from the turn's id, so a repeated workflow state produces the same ids.
"""

import hashlib
from datetime import UTC, datetime
from typing import Annotated, NewType

from pydantic import StringConstraints

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_CHARS = 10
_ENTROPY_CHARS = 16
ID_BODY = r"[0-9a-hjkmnp-tv-z]{26}"
TURN_ID = rf"[tx]{ID_BODY}"
CALL_ID = rf"{TURN_ID}-[0-9]{{2,3}}-[0-9]{{2,3}}"
_CALL_PREFIX_HASH_CHARS = 12
TURN, APP_TURN = "t", "x"
"""The first letters of the ids of turns: those that users start with a message, and those that apps start."""

UserName = NewType("UserName", Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$")])
"""A user's name. It has no slash, wildcard or leading dot, because paths, S3 prefixes and IAM policies contain it."""

SessionId = NewType("SessionId", Annotated[str, StringConstraints(pattern=rf"^s{ID_BODY}$")])
"""The id of a session (a conversation)."""

TurnId = NewType("TurnId", Annotated[str, StringConstraints(pattern=rf"^{TURN_ID}$")])
"""The id of a turn (a user message and its answer). The turn's Step Functions execution has the same name.

The id of a turn that an app started begins with ``x``: it has one tool call, and is not part of the conversation.
"""

FileKey = NewType("FileKey", Annotated[str, StringConstraints(pattern=rf"^f{ID_BODY}$")])
"""The opaque id of a file or a stored object. It reveals neither the owner nor the file's name."""

UploadId = NewType("UploadId", FileKey)
"""The id of an upload in parts. When the upload is complete, the file gets this id."""

CallId = NewType("CallId", Annotated[str, StringConstraints(pattern=rf"^{CALL_ID}$")])
"""The id of a tool call: ``{turn_id}-{round}-{index}``. A repeated model request produces the same ids."""

LinkId = NewType("LinkId", Annotated[str, StringConstraints(pattern=rf"^l{ID_BODY}$")])
"""The id of a shared link. The link's owner uses the id to revoke the link."""

TokenId = NewType("TokenId", Annotated[str, StringConstraints(pattern=rf"^p{ID_BODY}$")])
"""The id of a personal token. The user who made the token uses the id to revoke it."""

IdBody = NewType("IdBody", str)
"""An id without its first letter. A request with an idempotency key and its repetitions use the same one."""

CanvasId = NewType("CanvasId", str)
"""The id of a dashboard. The tool that opens the dashboard chooses the id, so it is unique only within a session."""

ConnectionId = NewType("ConnectionId", str)
"""The id that API Gateway assigned to a WebSocket connection."""


def _base32(number: int, chars: int) -> str:
    digits = [_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(chars))]
    return "".join(digits)


def new_id_body(now: datetime, entropy: bytes) -> IdBody:
    """Return an id without its first letter: the time in ms, and ten bytes of ``entropy``."""
    millis = int(now.timestamp() * 1000)
    return IdBody(_base32(millis, _TIME_CHARS) + _base32(int.from_bytes(entropy[:10]), _ENTROPY_CHARS))


def new_id(kind: str, now: datetime, entropy: bytes) -> str:
    """Return an id: the letter ``kind`` (``s``, ``t``, ``f``, …) and a new body."""
    return kind + new_id_body(now, entropy)


def is_from_app(turn_id: TurnId) -> bool:
    """Return True if an app started the turn, to call one tool."""
    return turn_id.startswith(APP_TURN)


def call_id(turn_id: TurnId, round_number: int, index: int) -> CallId:
    """Return the id of the tool call at position ``index`` in a round of a turn."""
    return CallId(f"{turn_id}-{round_number:02d}-{index:02d}")


def turn_of(origin: str) -> str:
    """Return the turn id that a tool call's id contains. Return other ids, such as an upload's, unchanged."""
    return origin.partition("-")[0]


def time_of(any_id: str) -> datetime:
    """Return the UTC creation time from an id. The id of a tool call contains the creation time of its turn."""
    number = 0
    for char in any_id[1 : 1 + _TIME_CHARS]:
        number = number * 32 + _ALPHABET.index(char)
    return datetime.fromtimestamp(number / 1000, UTC)


def time_prefix(turn: str) -> str:
    """Return the prefix of the ids of all files that the calls of a turn create: the time of the turn."""
    return "f" + turn[1 : 1 + _TIME_CHARS]


def call_prefix(call: CallId) -> str:
    """Return the id prefix of all files that a tool call creates. An IAM policy limits the call to this prefix."""
    digest = int.from_bytes(hashlib.sha256(call.encode()).digest()[:8])
    return time_prefix(call) + _base32(digest, _CALL_PREFIX_HASH_CHARS)


def object_id(call: CallId, index: int) -> FileKey:
    """Return the id of the ``index``-th file that a tool call creates. A retry of the call produces the same id."""
    return FileKey(call_prefix(call) + _base32(index, _ENTROPY_CHARS - _CALL_PREFIX_HASH_CHARS))


def date_part(any_id: str) -> str:
    """Return the creation date from an id as ``YYYYMMDD``. The object's S3 key contains this date."""
    return time_of(any_id).strftime("%Y%m%d")

"""Ids: time first, so that a listing by key is a listing by time; and derived where a state may run twice."""

import hashlib
from datetime import UTC, datetime
from typing import Annotated

from pydantic import StringConstraints

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_CHARS = 10
_ENTROPY_CHARS = 16
_ID_BODY = r"[0-9a-hjkmnp-tv-z]{26}"
_CALL_PREFIX_HASH_CHARS = 12

UserName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$")]
"""Who is signed in. It stands in paths, S3 prefixes and IAM policies: no slash, no wildcard, no leading dot."""

SessionId = Annotated[str, StringConstraints(pattern=rf"^s{_ID_BODY}$")]
"""A conversation."""

TurnId = Annotated[str, StringConstraints(pattern=rf"^t{_ID_BODY}$")]
"""One user message and what follows from it; also the name of its execution."""

FileKey = Annotated[str, StringConstraints(pattern=rf"^f{_ID_BODY}$")]
"""Opaque id of a file: neither its owner nor its name is in it."""

CallId = Annotated[str, StringConstraints(pattern=rf"^t{_ID_BODY}-[0-9]{{2,3}}-[0-9]{{2,3}}$")]
"""One tool call: ``{turn_id}-{round}-{index}``, so that asking the model twice gives the same calls."""


def _base32(number: int, chars: int) -> str:
    digits = [_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(chars))]
    return "".join(digits)


def new_id(kind: str, now: datetime, entropy: bytes) -> str:
    """Make an id of a kind (``s``, ``t``, ``f``) from the time (ms) and at least ten random bytes."""
    millis = int(now.timestamp() * 1000)
    return kind + _base32(millis, _TIME_CHARS) + _base32(int.from_bytes(entropy[:10], "big"), _ENTROPY_CHARS)


def call_id(turn_id: str, round_number: int, index: int) -> str:
    """Derive the id of a call from where it stands in its turn."""
    return f"{turn_id}-{round_number:02d}-{index:02d}"


def made_at(any_id: str) -> datetime:
    """Read the time (UTC) out of an id of ours."""
    number = 0
    for char in any_id[1 : 1 + _TIME_CHARS]:
        number = number * 32 + _ALPHABET.index(char)
    return datetime.fromtimestamp(number / 1000, UTC)


def call_prefix(call: str) -> str:
    """Return what the object ids of all files of one call begin with.

    One prefix a call makes one IAM statement a call: its credentials can write nothing else.
    """
    digest = int.from_bytes(hashlib.sha256(call.encode()).digest()[:8], "big")
    return "f" + call[1 : 1 + _TIME_CHARS] + _base32(digest, _CALL_PREFIX_HASH_CHARS)


def object_id(call: str, index: int) -> str:
    """Derive the id of the ``index``-th file that a call made; a retry derives the same."""
    return call_prefix(call) + _base32(index, _ENTROPY_CHARS - _CALL_PREFIX_HASH_CHARS)


def date_part(any_id: str) -> str:
    """Return the ``YYYYMMDD`` that stands in the S3 key of an object of this id."""
    return made_at(any_id).strftime("%Y%m%d")

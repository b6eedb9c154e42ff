"""Where things lie: S3 keys and paths in a runner (DESIGN: files)."""

from datetime import timedelta
from typing import Literal

from satchel.domain.ids import CallId, FileKey, TurnId, UserName, call_prefix, date_part

ObjectKind = Literal["uploads", "artifacts", "deferred"]
CALL_FILE_KINDS: tuple[ObjectKind, ...] = ("artifacts", "deferred")

UNCLAIMED_TAGS = {"retention": "unkept"}
"""Tags of what a call hands over: the bucket drops it after a day, unless it has become a file by then."""

EXPIRY_DAYS = (1, 3, 7, 30, 90, 400)
"""After so many days the bucket drops an object that is tagged so, should nobody have deleted it before."""


def expiry_tags(lifetime: timedelta) -> dict[str, str]:
    """Return the tags of an object that lives so long: the next number of days above it."""
    longer = (days for days in EXPIRY_DAYS if timedelta(days=days) > lifetime)
    return {"expire-days": str(next(longer, EXPIRY_DAYS[-1]))}


def object_key(user: UserName, kind: ObjectKind, object_id: FileKey, name: str) -> str:
    """Return the S3 key of a file."""
    return f"{user}/{kind}/{date_part(object_id)}/{object_id}/{name}"


def call_objects_prefixes(user: UserName, call_id: CallId) -> list[str]:
    """Return what the S3 keys of all files of one call begin with; its credentials reach no further."""
    return [f"{user}/{kind}/{date_part(call_id)}/{call_prefix(call_id)}" for kind in CALL_FILE_KINDS]


def outcome_key(user: UserName, turn_id: TurnId, call_id: CallId) -> str:
    """Return the S3 key of a call's outcome."""
    return f"{user}/turns/{turn_id}/{call_id}/outcome.json"


def text_key(user: UserName, turn_id: TurnId, digest: str) -> str:
    """Return the S3 key of a text of a turn that is too large for its item."""
    return f"{user}/turns/{turn_id}/texts/{digest}.json"


def tool_directory(user: UserName) -> str:
    """Return the one directory that a tool of this person may write (spec 3 §5.1)."""
    return f"/tmp/{user}/"  # noqa: S108  (the contract's own place)


def input_path(user: UserName, name: str) -> str:
    """Return where a tool finds an input file (spec 3 §3.1)."""
    return f"{tool_directory(user)}input_files/{name}"

"""Build the S3 keys and tags of objects, and the paths of files in a runner."""

from datetime import timedelta
from typing import Literal

from satchel.domain.ids import CallId, FileKey, TurnId, UserName, call_prefix, date_part, time_prefix

ObjectKind = Literal["uploads", "artifacts", "deferred"]
CALL_FILE_KINDS: tuple[ObjectKind, ...] = ("artifacts", "deferred")

UNCLAIMED_TAGS = {"retention": "unkept"}
"""Tags of new tool output. The bucket's lifecycle deletes tagged objects after a day. Recorded files lose the tags."""

EXPIRY_DAYS = (1, 3, 7, 30, 90, 400)
"""Possible lifetimes in expiry tags, in days. The bucket's lifecycle deletes objects that the sweep job missed."""


def expiry_tags(lifetime: timedelta) -> dict[str, str]:
    """Return the S3 tags for an object with this lifetime, rounded up to the next number of days in ``EXPIRY_DAYS``."""
    longer = (days for days in EXPIRY_DAYS if timedelta(days=days) > lifetime)
    return {"expire-days": str(next(longer, EXPIRY_DAYS[-1]))}


def object_key(user: UserName, kind: ObjectKind, object_id: FileKey, name: str) -> str:
    """Return the S3 key of a user's file."""
    return f"{user}/{kind}/{date_part(object_id)}/{object_id}/{name}"


def call_objects_prefixes(user: UserName, call_id: CallId) -> list[str]:
    """Return the S3 key prefixes for files that a tool call creates. The call's credentials allow no other prefixes."""
    return [f"{user}/{kind}/{date_part(call_id)}/{call_prefix(call_id)}" for kind in CALL_FILE_KINDS]


def turn_objects_prefixes(user: UserName, turn_id: TurnId) -> list[str]:
    """Return the S3 key prefixes of all objects that a turn stores: its texts, reports, and the files of its calls.

    The ids of the files of a call begin with the time of its turn.
    """
    files = [f"{user}/{kind}/{date_part(turn_id)}/{time_prefix(turn_id)}" for kind in CALL_FILE_KINDS]
    return [turn_texts_prefix(user, turn_id), *files]


def turn_texts_prefix(user: UserName, turn_id: TurnId) -> str:
    """Return the S3 key prefix of a turn's texts and of the reports of its calls."""
    return f"{user}/turns/{turn_id}/"


def outcome_key(user: UserName, turn_id: TurnId, call_id: CallId) -> str:
    """Return the S3 key at which the runner stores its report of a tool call."""
    return f"{user}/turns/{turn_id}/{call_id}/outcome.json"


def text_key(user: UserName, turn_id: TurnId, digest: str) -> str:
    """Return the S3 key for a turn's text that is too large for a DynamoDB item."""
    return f"{user}/turns/{turn_id}/texts/{digest}.json"


def tool_directory(user: UserName) -> str:
    """Return the only directory into which a user's tools may write (clause v2.1:isolation:guarded)."""
    return f"/tmp/{user}/"  # noqa: S108  (the contract names this path)


def input_path(user: UserName, name: str) -> str:
    """Return the path at which a tool finds an input file (clause v2.1:files:local-paths)."""
    return f"{tool_directory(user)}input_files/{name}"

"""Where things lie: S3 keys and paths in a runner (DESIGN: files)."""

from typing import Literal

from satchel.domain.ids import call_prefix, date_part

Kind = Literal["uploads", "artifacts", "deferred"]


def object_key(user: str, kind: Kind, object_id: str, name: str) -> str:
    """Return the S3 key of a file."""
    return f"{user}/{kind}/{date_part(object_id)}/{object_id}/{name}"


def call_objects_prefix(user: str, call_id: str, kind: Kind = "artifacts") -> str:
    """Return what the S3 keys of all files of one call begin with; its credentials reach no further."""
    return f"{user}/{kind}/{date_part(call_id)}/{call_prefix(call_id)}"


def outcome_key(user: str, turn_id: str, call_id: str) -> str:
    """Return the S3 key of a call's outcome."""
    return f"{user}/turns/{turn_id}/{call_id}/outcome.json"


def tool_directory(user: str) -> str:
    """Return the one directory that a tool of this person may write (spec 3 §5.1)."""
    return f"/tmp/{user}/"  # noqa: S108  (the contract's own place)


def input_path(user: str, name: str) -> str:
    """Return where a tool finds an input file (spec 3 §3.1)."""
    return f"{tool_directory(user)}input_files/{name}"

"""Quotas of a user: how many sessions, turns, tool calls, uploads and bytes one user may have."""

from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, ConfigDict

CALL_LEASE = timedelta(minutes=16)
"""A tool call counts as running for at most this long, even if its end is not recorded. Calls run up to 15 minutes."""

_SECONDS_PER_MINUTE = 60
_TOOL_FILE_MARGIN_PERCENT = 10


class TooManyRunningCalls(Exception):
    """The user runs as many tool calls as the deployment allows. The state Dispatch waits, then tries again."""


class Quotas(BaseModel):
    """The limits for one user. ``turns_per_minute`` counts the turns that start in one minute of the clock."""

    model_config = ConfigDict(frozen=True)

    open_sessions: int
    turns_per_minute: int
    running_calls: int
    uploads: int
    stored_bytes: int

    @property
    def stored_bytes_with_tool_files(self) -> int:
        """Return the limit for the files of tools: a tenth higher, so that a tool's work is not lost at once."""
        return self.stored_bytes + self.stored_bytes * _TOOL_FILE_MARGIN_PERCENT // 100


class UserActivity(BaseModel):
    """Counts of what a user does now. ``upload_bytes`` is the total size of the files whose uploads are in progress."""

    open_sessions: int = 0
    turns_in_minute: int = 0
    running_calls: int = 0
    uploads: int = 0
    upload_bytes: int = 0


class QuotaUse(BaseModel):
    """A limit and how much of it the user uses. The count starts again from 0 at ``resets_at``, if that is set."""

    limit: int
    used: int
    resets_at: datetime | None = None


class QuotaReport(BaseModel):
    """All quotas of a user with their use. ``stored_bytes`` includes the files whose uploads are in progress."""

    open_sessions: QuotaUse
    turns_per_minute: QuotaUse
    running_calls: QuotaUse
    uploads: QuotaUse
    stored_bytes: QuotaUse


def minute_of(time: datetime) -> int:
    """Return the number of the clock's minute that contains ``time``, counted from 1970."""
    return int(time.timestamp()) // _SECONDS_PER_MINUTE


def end_of_minute(time: datetime) -> datetime:
    """Return the start of the next minute of the clock."""
    return datetime.fromtimestamp((minute_of(time) + 1) * _SECONDS_PER_MINUTE, UTC)


def seconds_left_in_minute(time: datetime) -> int:
    """Return the number of seconds until the next minute of the clock, rounded up: 1 to 60."""
    return -int((time - end_of_minute(time)) // timedelta(seconds=1))

"""Tasks of servers (MCP extension ``io.modelcontextprotocol/tasks``): work that outlasts the request for it."""

from datetime import datetime

from pydantic import BaseModel, Field

from satchel.contract.errors import ToolError, ToolTimedOut
from satchel.domain.ids import CallId, TurnId

MAX_TASK_ID_CHARS = 1000
_LAST_POLL = ((3, 1), (8, 5), (18, 30))
"""Up to this number of polls, the seconds between them. After 18 polls (5.5 minutes), there are 300 seconds."""

_MAX_SECONDS = 300


def seconds_to_poll(polls: int, poll_seconds: float) -> int:
    """Return the time to wait before poll ``polls + 1``: a key of ``POLL_ERRORS``.

    It is at least the interval that the server wants. It grows with the polls, because a turn has few of them.
    """
    by_number = next((seconds for last, seconds in _LAST_POLL if polls < last), _MAX_SECONDS)
    allowed = (seconds for _, seconds in _LAST_POLL if seconds >= poll_seconds)
    return max(by_number, next(allowed, _MAX_SECONDS))


class ReportedTask(BaseModel):
    """A runner's untrusted report that a server works on a task, and the time to wait before the next poll."""

    task_id: str = Field(min_length=1, max_length=MAX_TASK_ID_CHARS)
    wait_seconds: int


class CallTask(BaseModel):
    """The task that works on a call. ``polls`` counts how often it was polled."""

    call_id: CallId
    turn_id: TurnId
    server: str
    task_id: str
    started_at: datetime
    polls: int = 0

    def timed_out(self, now: datetime) -> ToolError:
        """Return the error of the call if its task was polled as often as a turn allows."""
        return ToolTimedOut(round((now - self.started_at).total_seconds()), kind="cap")

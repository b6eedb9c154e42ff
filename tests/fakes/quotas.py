"""In-memory counts for the quotas of users."""

from collections.abc import Collection
from datetime import datetime

from satchel.domain.ids import CallId, UserName
from satchel.domain.quotas import CALL_LEASE, UserActivity
from tests.fakes.files import FakeUploads
from tests.fakes.sessions import FakeSessions
from tests.fakes.turns import FakeTurns


class FakeQuotaCounts:
    """Implements ``ports.quotas.QuotaCounts``. ``running`` has the end of each running call's lease."""

    def __init__(self, sessions: FakeSessions, turns: FakeTurns, uploads: FakeUploads) -> None:
        self._sessions = sessions
        self._turns = turns
        self._uploads = uploads
        self.running: dict[tuple[UserName, CallId], datetime] = {}

    def read(self, user: UserName, now: datetime) -> UserActivity:
        return self._uploads.activity(user).model_copy(
            update={
                "open_sessions": self._sessions.count_open(user),
                "turns_in_minute": self._turns.count_in_minute(user, now),
                "running_calls": self._count_running(user, now),
            }
        )

    def start_call(self, user: UserName, call_id: CallId, limit: int, now: datetime) -> bool:
        """Count a tool call as running, as a part of what ``FakeSteps`` does. Return False if the limit is reached."""
        if (user, call_id) not in self.running and self._count_running(user, now) >= limit:
            return False
        self.running[user, call_id] = now + CALL_LEASE
        return True

    def end_calls(self, user: UserName, call_ids: Collection[CallId]) -> None:
        for call_id in call_ids:
            self.running.pop((user, call_id), None)

    def _count_running(self, user: UserName, now: datetime) -> int:
        return sum(owner == user and until > now for (owner, _), until in self.running.items())

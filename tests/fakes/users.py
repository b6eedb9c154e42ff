"""In-memory erasures, and fakes that record erasure requests."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from satchel.domain.ids import UserName
from satchel.domain.users import Erasure, InterruptedTurn


class FakeErasureStarter:
    """Implements ``ports.users.ErasureStarter``. Records the users without an erasure."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def start(self, user: UserName) -> None:
        self.started.append(user)


class FakeErasures:
    """Implements ``ports.users.Erasures``."""

    def __init__(self) -> None:
        self._erasures: dict[str, Erasure] = {}
        self._due: dict[UserName, datetime] = {}

    def begin(self, user: UserName, now: datetime) -> Erasure:
        latest = self._erasures.get(user)
        if latest is None or latest.finished_at is not None:
            self._erasures[user] = Erasure(user=user, started_at=now)
            self._due[user] = now
        return self._erasures[user]

    def get(self, user: UserName) -> Erasure | None:
        return self._erasures.get(user)

    def save_interrupted_turns(self, user: UserName, turns: Sequence[InterruptedTurn]) -> None:
        self._erasures[user] = self._erasures[user].model_copy(update={"late": list(turns)})

    def reschedule(self, user: UserName, at: datetime) -> None:
        if user in self._due:
            self._due[user] = at

    def finish(self, user: UserName, now: datetime) -> None:
        self._erasures[user] = self._erasures[user].model_copy(update={"finished_at": now})
        self._due.pop(user, None)

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        return sorted((user for user, at in self._due.items() if at <= until), key=self._due.__getitem__)[:limit]


class FakeUserPurger:
    """Implements ``ports.users.UserPurger``. Records the users, and yields one step without items."""

    def __init__(self) -> None:
        self.erased: list[str] = []

    def erase(self, user: UserName, interrupted: Sequence[InterruptedTurn]) -> Iterator[int]:
        del interrupted
        self.erased.append(user)
        yield 0

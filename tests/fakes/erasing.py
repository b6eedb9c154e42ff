"""Erasures in memory."""

from collections.abc import Sequence
from datetime import datetime

from satchel.domain.users import Erasure, LateTurn


class FakeErasureStarter:
    """Implements ``ports.erasing.ErasureStarter``: nothing happens but that ``started`` says for whom it was asked."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def start(self, user: str) -> None:
        self.started.append(user)


class FakeErasures:
    """Implements ``ports.erasing.Erasures``; of one that is finished nothing changes but by a new one."""

    def __init__(self) -> None:
        self._kept: dict[str, Erasure] = {}
        self._due: dict[str, datetime] = {}

    def begin(self, user: str, now: datetime) -> Erasure:
        known = self._kept.get(user)
        if known is None or known.finished_at is not None:
            self._kept[user] = Erasure(user=user, started_at=now)
            self._due[user] = now
        return self._kept[user]

    def get(self, user: str) -> Erasure | None:
        return self._kept.get(user)

    def note(self, user: str, late: Sequence[LateTurn]) -> None:
        self._kept[user] = self._kept[user].model_copy(update={"late": list(late)})

    def look_again(self, user: str, at: datetime) -> None:
        if user in self._due:
            self._due[user] = at

    def finish(self, user: str, now: datetime) -> None:
        self._kept[user] = self._kept[user].model_copy(update={"finished_at": now})
        self._due.pop(user, None)

    def due(self, until: datetime, limit: int) -> Sequence[str]:
        return sorted((user for user, at in self._due.items() if at <= until), key=self._due.__getitem__)[:limit]

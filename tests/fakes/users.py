"""In-memory erasures, and fakes that record erasure requests."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from satchel.domain.errors import RequestRunning, TooManyTokens
from satchel.domain.ids import CallId, TokenId, TurnId, UserName
from satchel.domain.personal_tokens import PersonalToken
from satchel.domain.users import Erasure, InterruptedTurn, UserSettings
from satchel.ports.users import SettingsCheck, accept_any


class FakeErasureStarter:
    """Implements ``ports.users.ErasureStarter``. Records the users without an erasure."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def start(self, user: UserName) -> None:
        self.started.append(user)


class FakeUserSettings:
    """Implements ``ports.users.UserSettingsStore``."""

    def __init__(self) -> None:
        self._settings: dict[UserName, UserSettings] = {}

    def get(self, user: UserName) -> UserSettings:
        return self._settings.get(user, UserSettings())

    def save(
        self,
        user: UserName,
        settings: UserSettings,
        now: datetime,  # noqa: ARG002  (the port's)
        check: SettingsCheck = accept_any,
    ) -> None:
        check(self.get(user))
        self._settings[user] = settings


class FakePersonalTokens:
    """Implements ``ports.users.PersonalTokens``."""

    def __init__(self) -> None:
        self._tokens: dict[TokenId, PersonalToken] = {}

    def add(self, token: PersonalToken, limit: int) -> None:
        if sum(token.created_at < each.expires_at for each in self.list(token.user)) >= limit:
            raise TooManyTokens(limit)
        self._tokens[token.token_id] = token

    def get(self, user: UserName, token_id: TokenId) -> PersonalToken | None:
        token = self._tokens.get(token_id)
        return token if token and token.user == user else None

    def replace(self, old: PersonalToken, new: PersonalToken) -> None:
        stored = self.get(new.user, new.token_id)
        if stored is None or stored.digest != old.digest or stored.last_used_at is not None:
            raise RequestRunning
        self._tokens[new.token_id] = new

    def list(self, user: UserName) -> Sequence[PersonalToken]:
        return [token for _, token in sorted(self._tokens.items(), reverse=True) if token.user == user]

    def remove(self, user: UserName, token_id: TokenId) -> None:
        if self.get(user, token_id):
            del self._tokens[token_id]

    def mark_used(self, user: UserName, token_id: TokenId, at: datetime) -> None:
        if token := self.get(user, token_id):
            self._tokens[token_id] = token.model_copy(update={"last_used_at": at})


class FakeErasures:
    """Implements ``ports.users.Erasures``."""

    def __init__(self) -> None:
        self._erasures: dict[str, Erasure] = {}
        self._due: dict[UserName, datetime] = {}

    def begin(self, user: UserName, now: datetime) -> Erasure:
        latest = self._erasures.get(user)
        if latest is None or latest.cleared_at is not None:
            self._erasures[user] = Erasure(user=user, started_at=now, late=latest.late if latest else [])
            self._due[user] = now
        return self._erasures[user]

    def get(self, user: UserName) -> Erasure | None:
        return self._erasures.get(user)

    def save_interrupted_turns(self, erasure: Erasure, turns: Sequence[InterruptedTurn]) -> None:
        self._change(erasure, late=list(turns))

    def mark_cleared(self, erasure: Erasure, now: datetime) -> None:
        if self._erasures[erasure.user].cleared_at is None:
            self._change(erasure, cleared_at=now)

    def reschedule(self, user: UserName, at: datetime) -> None:
        if user in self._due:
            self._due[user] = at

    def finish(self, erasure: Erasure, now: datetime) -> None:
        self._change(erasure, finished_at=now, late=[])
        self._due.pop(erasure.user, None)

    def _change(self, erasure: Erasure, **fields: object) -> None:
        latest = self._erasures[erasure.user]
        if latest.started_at == erasure.started_at and latest.finished_at is None:
            self._erasures[erasure.user] = latest.model_copy(update=fields)

    def list_due(self, until: datetime, limit: int) -> Sequence[UserName]:
        return sorted((user for user, at in self._due.items() if at <= until), key=self._due.__getitem__)[:limit]


class FakeUserPurger:
    """Implements ``ports.users.UserPurger``. Records the users of both passes; each pass is one step without items."""

    def __init__(self) -> None:
        self.erased: list[str] = []
        self.erased_late_writes: list[str] = []

    def erase(self, erasure: Erasure) -> Iterator[int]:
        self.erased.append(erasure.user)
        yield 0

    def erase_late_writes(self, erasure: Erasure) -> Iterator[int]:
        self.erased_late_writes.append(erasure.user)
        yield 0

    def list_call_ids(self, turn_id: TurnId) -> Sequence[CallId]:
        del turn_id
        return []

"""The sign-in sessions: random ids that are stored as hashes, with an idle and an absolute end."""

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from local.emulator.sign_in.accounts import Account
from local.emulator.sign_in.database import Database
from satchel.domain.ids import UserName
from satchel.domain.users import Identity

_ID_BYTES = 32
_HOUR = 3600.0
_TOUCH_SECONDS = 60.0  # the use of a session is stored at most once in this time, to save writes
_FIND = """
    SELECT accounts.name, accounts.groups, sessions.used_at FROM sessions JOIN accounts USING (name)
    WHERE sessions.id = ? AND sessions.created_at > ? AND sessions.used_at > ?
"""
# Only while the account still has the password that was verified: the password may change during the verification.
_CREATE = "INSERT INTO sessions SELECT ?, name, ?, ? FROM accounts WHERE name = ? AND password = ?"


@dataclass(frozen=True)
class Lifetime:
    """A session ends ``idle_hours`` after its last request, and ``max_hours`` after the sign-in."""

    idle_hours: float
    max_hours: float

    @property
    def max_seconds(self) -> int:
        """Return the seconds after which a session ends at the latest."""
        return round(self.max_hours * _HOUR)


@dataclass(frozen=True)
class Sessions:
    """Stores sessions. A reader of the database cannot use them, because it has only hashes of their ids.

    ``clock`` returns the time in seconds since 1970.
    """

    database: Database
    lifetime: Lifetime
    clock: Callable[[], float]

    def create(self, account: Account) -> str | None:
        """Return the id of a new session, or None if the account's password has changed or the account is removed."""
        session, now = secrets.token_urlsafe(_ID_BYTES), self.clock()
        count = self.database.write(
            ("DELETE FROM sessions WHERE created_at <= ? OR used_at <= ?", self._limits(now)),
            (_CREATE, (_hash(session), now, now, account.name, account.password)),
        )
        return session if count else None

    def find(self, session: str, *, use: bool = True) -> Identity | None:
        """Return the user of a session, or None if the session has ended. ``use`` prolongs the session."""
        now = self.clock()
        for name, groups, used_at in self.database.read(_FIND, (_hash(session), *self._limits(now))):
            if use and now - used_at >= _TOUCH_SECONDS:
                self._touch(session, now)
            return Identity(name=UserName(name), groups=frozenset(json.loads(groups)))
        return None

    def end(self, session: str) -> None:
        """End a session. Without effect if it has ended already."""
        self.database.write(("DELETE FROM sessions WHERE id = ?", (_hash(session),)))

    def _touch(self, session: str, now: float) -> None:
        with suppress(sqlite3.OperationalError):  # a full disk must not end the session before its idle time
            self.database.write(("UPDATE sessions SET used_at = ? WHERE id = ?", (now, _hash(session))))

    def _limits(self, now: float) -> tuple[float, float]:
        """Return the times before which living sessions were neither created nor used."""
        return now - self.lifetime.max_hours * _HOUR, now - self.lifetime.idle_hours * _HOUR


def _hash(session: str) -> bytes:
    """Return the stored form of an id. The id is random, so a fast hash is safe."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).digest()

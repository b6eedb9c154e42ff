"""Accounts with a fast password hash, on a clock that tests advance."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from argon2 import PasswordHasher
from starlette.types import ASGIApp

from local.emulator.sign_in.accounts import Accounts
from local.emulator.sign_in.database import Database
from local.emulator.sign_in.gateway import Cookie, PasswordGateway
from local.emulator.sign_in.passwords import Passwords
from local.emulator.sign_in.sessions import Lifetime, Sessions
from local.emulator.sign_in.throttle import Throttle
from tests.fakes.system import FakeClock

FAST = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
IDLE_HOURS, MAX_HOURS = 10.0, 100.0
PASSWORD = "correct horse battery"
CLIENT = {"X-Satchel-Client": "test"}


@dataclass(frozen=True)
class SignInParts:
    """All parts of password mode."""

    clock: FakeClock
    accounts: Accounts
    sessions: Sessions
    throttle: Throttle

    def gateway(self, app: ASGIApp, *, secure: bool = False) -> PasswordGateway:
        """Return the middleware in front of ``app``."""
        cookie = Cookie(secure=secure, max_seconds=self.sessions.lifetime.max_seconds)
        return PasswordGateway(app, self.accounts, self.sessions, self.throttle, cookie)


@contextmanager
def sign_in_parts(folder: Path) -> Iterator[SignInParts]:
    """Open accounts in a folder."""
    clock = FakeClock()
    with Database(folder) as database:
        yield SignInParts(
            clock,
            Accounts(database, Passwords(FAST), lambda: clock.now().timestamp()),
            Sessions(database, Lifetime(IDLE_HOURS, MAX_HOURS), lambda: clock.now().timestamp()),
            Throttle(clock.monotonic),
        )

"""A running system in password mode, and its accounts."""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from local.emulator.sign_in.accounts import Accounts
from local.emulator.sign_in.database import Database
from local.emulator.sign_in.passwords import Passwords
from tests.e2e.system_process import SystemProcess, running_system
from tests.e2e.user_client import SESSION_COOKIE, UserClient
from tests.fakes.accounts import CLIENT, FAST, PASSWORD


@dataclass(frozen=True)
class PasswordSystem:
    """The system, and the folder of its data and accounts."""

    system: SystemProcess
    folder: Path

    @property
    def url(self) -> str:
        """Return the system's address."""
        return self.system.url

    @contextmanager
    def accounts(self) -> Iterator[Accounts]:
        """Open the accounts beside the running system, as `satchel user` does."""
        with Database(self.folder) as database:
            yield Accounts(database, Passwords(FAST), time.time)

    def new_user(self, groups: str = "users") -> UserClient:
        """Create an account with an unused name, and sign in."""
        name = f"u{uuid.uuid4().hex[:12]}@example.com"
        with self.accounts() as accounts:
            accounts.add(name, PASSWORD, groups.split(","))
        return UserClient(self.url, name, groups, session=self.sign_in(name))

    def sign_in(self, name: str, password: str = PASSWORD) -> str:
        """Sign in and return the session."""
        body = {"user": name, "password": password}
        response = httpx2.post(f"{self.url}/auth/sign-in", json=body, headers=CLIENT, timeout=60)
        assert response.is_success, response.text
        return str(response.cookies[SESSION_COOKIE])


@contextmanager
def running_password_system(
    folder: Path, config: Path, settings: Mapping[str, str] | None = None
) -> Iterator[PasswordSystem]:
    """Start a system in password mode with its data in ``folder``, and stop it."""
    own = {"SATCHEL_AUTH": "password", "SATCHEL_DATA": str(folder), "SATCHEL_MCP_CONFIG": str(config)}
    with running_system(settings={**own, **(settings or {})}) as system:
        yield PasswordSystem(system, folder)

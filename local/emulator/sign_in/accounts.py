"""The accounts of a server: names, password hashes and groups."""

import json
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from local.emulator.sign_in.database import AccountsError, Database
from local.emulator.sign_in.passwords import Passwords
from satchel.domain.ids import UserName
from satchel.domain.users import DEFAULT_GROUP, Identity

_END_SESSIONS = "DELETE FROM sessions WHERE name = ?"
_user_name = TypeAdapter(UserName)


@dataclass(frozen=True)
class Account:
    """An account, and the hash of its password."""

    identity: Identity
    password: str
    created_at: float

    @property
    def name(self) -> UserName:
        """Return the account's name."""
        return self.identity.name

    @property
    def groups(self) -> list[str]:
        """Return the account's groups, sorted."""
        return sorted(self.identity.groups)


@dataclass(frozen=True)
class Accounts:
    """Stores accounts. Names are lowercase, because people do not remember how they wrote their name.

    ``clock`` returns the time in seconds since 1970.
    """

    database: Database
    passwords: Passwords
    clock: Callable[[], float]

    def add(self, name: str, password: str, groups: Collection[str] = ()) -> Identity:
        """Create an account. Raise AccountsError if it exists or the name is invalid, or InvalidPassword."""
        identity = Identity(name=parse_name(name), groups=frozenset({DEFAULT_GROUP, *groups}))
        row = (identity.name, self.passwords.hash(password), json.dumps(sorted(identity.groups)), self.clock())
        try:
            self.database.write(("INSERT INTO accounts VALUES (?, ?, ?, ?)", row))
        except sqlite3.IntegrityError as error:
            raise AccountsError(f"there is already an account {identity.name}") from error
        return identity

    def remove(self, name: str) -> None:
        """Delete an account and end its sessions. Its chats and files stay. Raise AccountsError if there is none."""
        self._change(name, "DELETE FROM accounts WHERE name = ?")

    def set_password(self, name: str, password: str) -> None:
        """Change the password and end all sessions of the account. Raise AccountsError or InvalidPassword."""
        hashed = self.passwords.hash(password)
        self._change(name, "UPDATE accounts SET password = ? WHERE name = ?", hashed)

    def set_groups(self, name: str, groups: Collection[str]) -> None:
        """Replace the groups of an account and end its sessions. Raise AccountsError if it does not exist."""
        text = json.dumps(sorted({DEFAULT_GROUP, *groups}))
        self._change(name, "UPDATE accounts SET groups = ? WHERE name = ?", text)

    def find(self, name: str) -> Account | None:
        """Return the account of this name, in upper or lower case."""
        rows = self.database.read(
            "SELECT name, password, groups, created_at FROM accounts WHERE name = ?", (name.lower(),)
        )
        return _account(*rows[0]) if rows else None

    def find_current(self, identity: Identity) -> Identity | None:
        """Return the user with the account's present groups, or None if there is no such account any more."""
        account = self.find(identity.name)
        return account.identity if account else None

    def list(self) -> list[Account]:
        """Return all accounts, sorted by name."""
        rows = self.database.read("SELECT name, password, groups, created_at FROM accounts ORDER BY name")
        return [_account(*row) for row in rows]

    def _change(self, name: str, statement: str, *values: str) -> None:
        lowercase = name.lower()
        if not self.database.write((_END_SESSIONS, (lowercase,)), (statement, (*values, lowercase))):
            raise AccountsError(f"there is no account {lowercase}")


def parse_name(name: str) -> UserName:
    """Return the name of an account in lower case. Raise AccountsError if it is invalid."""
    try:
        return _user_name.validate_python(name.lower())
    except ValidationError as error:
        raise AccountsError(f"{name!r} is no user name: it must match [a-z0-9][a-z0-9._@+-]{{0,63}}") from error


def _account(name: str, password: str, groups: str, created_at: float) -> Account:
    return Account(Identity(name=UserName(name), groups=frozenset(json.loads(groups))), password, created_at)

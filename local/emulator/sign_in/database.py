"""The SQLite database of accounts and sessions. The server and ``satchel user`` use it at the same time."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from local.emulator.settings import data_folder

FILE_NAME = "accounts.sqlite"
_VERSION = 1
_SCHEMA = """
    CREATE TABLE accounts (
        name TEXT PRIMARY KEY, password TEXT NOT NULL, groups TEXT NOT NULL, created_at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE sessions (
        id BLOB PRIMARY KEY,
        name TEXT NOT NULL REFERENCES accounts (name) ON DELETE CASCADE,
        created_at REAL NOT NULL,
        used_at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX sessions_of_account ON sessions (name);
"""


class AccountsError(Exception):
    """The accounts cannot be read or changed. The message is one line, for the user."""


def open_database() -> "Database":
    """Return the database in the data folder (``SATCHEL_DATA``). Raise AccountsError if the data are in memory."""
    folder = data_folder()
    if folder is None:
        raise AccountsError("SATCHEL_DATA=memory has no folder for the accounts")
    return Database(folder)


class Database:
    """A context manager that opens the database, and creates it if it does not exist. Thread-safe.

    Only the account of the operating system that runs the server can read the file. Raise AccountsError if the database
    cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._mutex = threading.Lock()

    def __enter__(self) -> Self:
        """Open the database."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # SQLite gives its other files the mode of this one
            self._connection = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._connection.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise AccountsError(f"cannot open {self.path}: {error}") from error
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close the database."""
        with self._mutex:
            self._connection.close()

    def read(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._mutex:
            return self._connection.execute(query, values).fetchall()

    def write(self, *statements: tuple[str, tuple[Any, ...]]) -> int:
        """Run the statements in one transaction. Return the number of rows that the last one changed."""
        count = 0
        with self._mutex, self._transaction():
            for statement, values in statements:
                count = self._connection.execute(statement, values).rowcount
        return count

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA foreign_keys = ON")
        with self._transaction():
            [version] = self._connection.execute("PRAGMA user_version").fetchone()
            if version > _VERSION:
                raise AccountsError(f"a newer Satchel wrote {self.path} (version {version}); this one reads {_VERSION}")
            if version == 0:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {_VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

"""Open the data folder: one process at a time uses it, and its database has one known layout."""

import fcntl
import os
import secrets
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

VERSION = 1
_DATABASE, _LOG, _OBJECTS, _LOCK = "satchel.sqlite", "satchel.sqlite-wal", "objects", "lock"
_ROWS = 1000
_APPLICATION_ID = 0x5A7C4E1
_SCHEMA = """
    CREATE TABLE items (
        pk TEXT NOT NULL, sk TEXT NOT NULL, attributes TEXT NOT NULL,
        PRIMARY KEY (pk, sk)
    ) WITHOUT ROWID;
    CREATE TABLE objects (
        position INTEGER PRIMARY KEY, key TEXT NOT NULL, version TEXT NOT NULL, content TEXT, state TEXT NOT NULL,
        UNIQUE (key, version)
    );
    CREATE TABLE uploads (id TEXT PRIMARY KEY, state TEXT NOT NULL);
    CREATE TABLE parts (
        upload TEXT NOT NULL, number INTEGER NOT NULL, content TEXT NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (upload, number)
    ) WITHOUT ROWID;
    CREATE TABLE secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_MIGRATIONS: Mapping[int, Callable[[sqlite3.Connection], None]] = {}
"""Maps each older version to the function that changes its database to the next version."""

REFUSAL = "The data folder cannot be written"
"""The begin of the message of each refused write to the emulated AWS."""

Statement = tuple[str, tuple[Any, ...]]


class DataFolderError(Exception):
    """The data folder cannot be used. The message is one line, for the user."""


class DataFolder:
    """A context manager that opens the data folder for this process, and creates it if it does not exist.

    ``objects`` is the directory of the objects' contents. Raise DataFolderError if another process uses the folder, a
    newer Satchel wrote it, it is damaged, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.objects = path / _OBJECTS
        self._mutex, self._synchronizing = threading.Lock(), threading.Lock()
        self._written = self._synchronized = 0

    def __enter__(self) -> Self:
        """Lock the folder and open its database."""
        try:
            self.objects.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = _lock(self.path / _LOCK)
        except OSError as error:
            raise DataFolderError(f"cannot use the data folder {self.path}: {_reason(error)}") from error
        try:
            self._database = _open(self.path / _DATABASE)
        except (sqlite3.Error, OSError, DataFolderError) as error:
            os.close(self._lock)
            if isinstance(error, DataFolderError):
                raise
            raise DataFolderError(f"cannot open {self.path / _DATABASE}: {_reason(error)}") from error
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close the database and unlock the folder."""
        with self._mutex:
            self._database.close()
        os.close(self._lock)

    def write(self, statements: Iterable[Statement]) -> None:
        """Run the statements in one transaction. Raise sqlite3.Error, and change nothing, if the disk is full.

        When this returns, the data survive the end of this process, and after ``synchronize`` a power failure.
        """
        with self._mutex:
            with _transaction(self._database):
                for statement, values in statements:
                    self._database.execute(statement, values)
            self._written += 1

    @property
    def is_synchronized(self) -> bool:
        """Return True if all writes are on the disk."""
        return self._synchronized == self._written

    def synchronize(self) -> None:
        """Return when all earlier writes are on the disk. Concurrent callers share the work."""
        with self._synchronizing:
            if not self.is_synchronized:
                written = self._written
                _sync(self.path / _LOG)
                self._synchronized = written

    def read(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._mutex:
            return self._database.execute(query, values).fetchall()

    def iterate(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query without holding all of them in memory. Nothing may be written meanwhile."""
        cursor = self._database.execute(query, values)
        while rows := cursor.fetchmany(_ROWS):
            yield from rows

    def compact(self) -> None:
        """Give the free space of the database back to the disk."""
        with self._mutex:
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                self._database.execute(statement).fetchall()

    def content_path(self, name: str) -> Path:
        """Return the path of the content of this name."""
        return self.objects / name[:2] / name

    def add_content(self, pieces: Iterable[bytes]) -> Path:
        """Write a new content to the disk, and return its path. Raise OSError, and leave no file, if this fails."""
        path = self.content_path(secrets.token_hex(16))
        path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            with path.open("xb") as file:
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            for folder in (path.parent, self.objects):  # both may have a new entry
                _sync(folder)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return path

    def unused_contents(self) -> list[Path]:
        """Return the files of contents that no object or part has."""
        used = {name for (name,) in self.read("SELECT content FROM objects UNION ALL SELECT content FROM parts")}
        files = (Path(path, name) for path, _, names in os.walk(self.objects) for name in names)
        return [path for path in files if path.name not in used]


def refusal(error: OSError | sqlite3.Error) -> str:
    """Return the message of a request whose write failed, without paths."""
    return f"{REFUSAL}: {_reason(error)}"


@contextmanager
def open_existing(path: Path) -> Iterator[DataFolder]:
    """Open the folder as ``DataFolder``, but do not create it. Raise DataFolderError if it does not exist."""
    _ensure_exists(path)
    with DataFolder(path) as folder:
        yield folder


@contextmanager
def open_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database of a folder that another process may use. Raise DataFolderError if this is impossible."""
    _ensure_exists(path)
    try:
        database = sqlite3.connect(f"{(path / _DATABASE).absolute().as_uri()}?mode=ro", uri=True)
        try:
            _ensure_readable(path, database)
            yield database
        finally:
            database.close()
    except sqlite3.Error as error:
        raise DataFolderError(f"cannot read {path / _DATABASE}: {error}") from error


def current_owner(path: Path) -> str | None:
    """Return the id of the process that uses the folder, or None."""
    if not (path / _LOCK).exists():
        return None
    with (path / _LOCK).open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return lock.read(20).strip()
    return None


def _ensure_exists(path: Path) -> None:
    if not (path / _DATABASE).is_file():
        raise DataFolderError(f"there are no data in {path}")


def _ensure_readable(path: Path, database: sqlite3.Connection) -> int:
    """Return the version of the database. Raise DataFolderError if a newer Satchel wrote it."""
    [version] = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise DataFolderError(f"a newer Satchel wrote {path} (version {version}); this one reads {VERSION}")
    return int(version)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return os.strerror(error.errno or 0)
    is_full = getattr(error, "sqlite_errorname", "") == "SQLITE_IOERR_SHMSIZE"  # SQLite calls this an I/O error
    return "database or disk is full" if is_full else str(error)


def _sync(path: Path) -> None:
    """Write a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite has already rolled back after some errors
            database.execute("ROLLBACK")
        raise


def _lock(path: Path) -> int:
    """Lock the folder and return the open lock file. Its content is the id of the process that uses the folder."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, 20, 0).decode().strip()
        os.close(descriptor)
        raise DataFolderError(f"process {owner} already uses the data folder {path.parent}") from None
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _open(path: Path) -> sqlite3.Connection:
    """Open the database, and create it or migrate an older one. Before a migration, copy it to ``*.version-N``."""
    path.touch(mode=0o600)
    database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")  # commits do not wait for the disk: ``synchronize`` does
    try:
        version = _ensure_readable(path.parent, database)
    except DataFolderError:
        database.close()
        raise
    database.execute("BEGIN IMMEDIATE").execute("ROLLBACK")  # fails if the database can be read only
    if version == 0:
        database.executescript(
            f"BEGIN; {_SCHEMA} PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
        )
    for older in range(version or VERSION, VERSION):
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copy2(path, path.with_suffix(f".version-{older}"))
        with _transaction(database):
            _MIGRATIONS[older](database)
            database.execute(f"PRAGMA user_version = {older + 1}")
    return database

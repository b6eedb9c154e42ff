"""Write and read the archive of a data folder. ``docs/local-data.md`` describes its format.

All objects with the same content are next to one another in the list of objects, and the contents have the order of the
list. So both directions read and write one object at a time.
"""

import hashlib
import json
import os
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import IO, Any, Self

from local.emulator.data.folder import DataFolder

FORMAT = 1
_SUMMARY, _OBJECTS, _ITEMS, _CONTENTS = "satchel.json", "objects.jsonl", "items.jsonl", "objects/"
_PIECE_BYTES = 1 << 20
_MAX_SUMMARY_BYTES = 1 << 16
_DAMAGED = (tarfile.TarError, ValueError, KeyError, TypeError, AttributeError)
_FIELDS = {"key", "version", "sha256", "size", "etag", "last_modified", "metadata", "storage_class", "checksum", "tags"}
_SELECT_ITEMS = """
    SELECT attributes FROM items
    WHERE NOT (pk GLOB 'CONN#*' OR pk GLOB 'TICKET#*' OR sk GLOB 'SUB#*') ORDER BY pk, sk
"""
_SELECT_OBJECTS = """
    SELECT key, version, content, state FROM objects AS each
    WHERE content IS NOT NULL AND position = (SELECT max(position) FROM objects WHERE key = each.key)
"""

Progress = Callable[[str, int, int], None]
"""A function of the current step, the number that is done, and the number of all."""


class ArchiveError(Exception):
    """The archive cannot be written, read or imported. The message is one line, for the user."""


@dataclass(frozen=True)
class Summary:
    """Counts of an archive. ``contents`` counts equal contents once. ``bytes`` is their size."""

    items: int
    objects: int
    contents: int
    bytes: int


def sha256(path: Path) -> str:
    """Return the hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def item_key(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key of an item. Raise ArchiveError if it has none."""
    try:
        return item["pk"]["S"], item["sk"]["S"]
    except (KeyError, TypeError) as error:
        raise ArchiveError("the archive is damaged: an item has no key") from error


def write_archive(folder: DataFolder, target: Path, progress: Progress) -> Summary:
    """Write the items and the newest versions of the objects to a new file, which appears when it is complete.

    Raise ArchiveError if the file exists, or the content of an object is missing.
    """
    if target.exists():
        raise ArchiveError(f"{target} already exists")
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w") as tar:
            summary = _Writer(folder, tar, target.absolute().parent, progress).write()
            tar.close()
            file.flush()
            os.fsync(file.fileno())
        part.rename(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return summary


class _Writer:
    def __init__(self, folder: DataFolder, tar: tarfile.TarFile, temporary: Path, progress: Progress) -> None:
        self._folder = folder
        self._tar = tar
        self._temporary = temporary
        self._progress = progress
        self._time = int(time.time())

    def write(self) -> Summary:
        # A private database on disk sorts the objects by their contents, however many there are.
        with closing(sqlite3.connect("")) as index, tempfile.TemporaryFile(dir=self._temporary) as items:
            index.execute("CREATE TABLE objects (sha256 TEXT, size INTEGER, key TEXT, content TEXT, line TEXT)")
            index.executemany("INSERT INTO objects VALUES (?, ?, ?, ?, ?)", self._described_objects())
            count = _write_lines(items, (line for (line,) in self._folder.iterate(_SELECT_ITEMS)))
            [objects] = index.execute("SELECT count(*) FROM objects").fetchone()
            distinct = "SELECT sha256, size, min(content) AS content FROM objects GROUP BY sha256"
            [contents, size] = index.execute(f"SELECT count(*), total(size) FROM ({distinct})").fetchone()  # noqa: S608  (fixed)
            summary = Summary(count, objects, contents, int(size))
            self._add_text(_SUMMARY, [json.dumps({"format": FORMAT, **asdict(summary)})])
            self._add_text(
                _OBJECTS, (line for (line,) in index.execute("SELECT line FROM objects ORDER BY sha256, key"))
            )
            for number, (digest, _, name) in enumerate(index.execute(f"{distinct} ORDER BY sha256"), 1):
                with self._folder.content_path(name).open("rb") as content:
                    self._add(f"{_CONTENTS}{digest}", content)
                self._progress("writing contents", number, contents)
            self._add(_ITEMS, items)
        return summary

    def _described_objects(self) -> Iterator[tuple[str, int, str, str, str]]:
        [(total,)] = self._folder.read(f"SELECT count(*) FROM ({_SELECT_OBJECTS})")  # noqa: S608  (fixed)
        for number, (key, version, content, state) in enumerate(self._folder.iterate(_SELECT_OBJECTS), 1):
            fields = json.loads(state)
            path = self._folder.content_path(content)
            if not path.is_file() or path.stat().st_size != fields["size"]:
                raise ArchiveError(f"the content of {key} is missing or damaged; run: satchel data check")
            digest = sha256(path)
            line = json.dumps({"key": key, "version": version, "sha256": digest, **fields})
            yield digest, fields["size"], key, content, line
            self._progress("reading contents", number, total)

    def _add_text(self, name: str, lines: Iterable[str]) -> None:
        with tempfile.TemporaryFile(dir=self._temporary) as file:
            _write_lines(file, lines)
            self._add(name, file)

    def _add(self, name: str, file: IO[bytes]) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = file.seek(0, os.SEEK_END), 0o600, self._time
        file.seek(0)
        self._tar.addfile(info, file)
        self._tar.members.clear()  # type: ignore[attr-defined]  # tarfile would remember every member


def _write_lines(file: IO[bytes], lines: Iterable[str]) -> int:
    count = 0
    for line in lines:
        file.write(line.encode() + b"\n")
        count += 1
    return count


@dataclass(frozen=True)
class Content:
    """A content in an archive, and the lines of its objects, of which there is at least one."""

    sha256: str
    size: int
    objects: list[Mapping[str, Any]]
    _file: IO[bytes]

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes. Raise ArchiveError if some are missing, or at the end if their hash is wrong."""
        digest = hashlib.sha256()
        try:
            for piece in iter(partial(self._file.read, _PIECE_BYTES), b""):
                digest.update(piece)
                yield piece
        except tarfile.TarError as error:
            raise ArchiveError(f"the archive is damaged: {error}") from error
        if digest.hexdigest() != self.sha256:
            raise ArchiveError(f"the archive is damaged: the hash of {self.objects[0]['key']} is wrong")


class Archive:
    """A context manager that reads an archive: first all ``contents``, then all ``items``.

    All methods raise ArchiveError if the file is no archive, is damaged, or was written by a newer Satchel.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Self:
        """Open the archive and read its summary."""
        try:
            self._tar = tarfile.open(self._path, "r:")
        except _DAMAGED as error:
            raise ArchiveError(f"{self._path} is no archive of Satchel") from error
        try:
            self.summary = self._read_summary()
        except BaseException:
            self._tar.close()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close the archive."""
        self._tar.close()

    def contents(self) -> Iterator[Content]:
        """Yield each content with its objects. A content can be read until the next one is requested."""
        try:
            lines = map(json.loads, self._member(_OBJECTS))
            objects = contents = 0
            for digest, group in groupby(lines, key=lambda line: line["sha256"]):
                found = list(group)
                file = self._member(f"{_CONTENTS}{digest}")
                size = file.seek(0, os.SEEK_END)
                file.seek(0)
                if missing := _FIELDS - set.intersection(*(set(each) for each in found)):
                    raise ArchiveError(f"{self._path} is damaged: an object has no {min(missing)}")
                if any(each["size"] != size for each in found):
                    raise ArchiveError(f"the archive is damaged: the size of {found[0]['key']} is wrong")
                yield Content(digest, size, found, file)
                objects, contents = objects + len(found), contents + 1
        except _DAMAGED as error:
            raise self._damaged(error) from error
        self._compare("objects", objects, self.summary.objects)
        self._compare("contents", contents, self.summary.contents)

    def items(self) -> Iterator[Mapping[str, Any]]:
        """Yield each item of the table in the JSON format of DynamoDB."""
        count = 0
        try:
            for line in self._member(_ITEMS):
                yield json.loads(line)
                count += 1
        except _DAMAGED as error:
            raise self._damaged(error) from error
        self._compare("items", count, self.summary.items)

    def _read_summary(self) -> Summary:
        try:
            fields = json.loads(self._member(_SUMMARY).read(_MAX_SUMMARY_BYTES))
            version = int(fields.pop("format"))
            if version > FORMAT:
                raise ArchiveError(f"a newer Satchel wrote {self._path} (format {version}); this one reads {FORMAT}")
            return Summary(**fields)
        except _DAMAGED as error:
            raise ArchiveError(f"{self._path} is no archive of Satchel") from error

    def _member(self, name: str) -> IO[bytes]:
        """Return the next file of the archive, which must have this name."""
        info = self._tar.next()
        self._tar.members.clear()  # type: ignore[attr-defined]  # tarfile would remember every member
        file = self._tar.extractfile(info) if info and info.isreg() and info.name == name else None
        if file is None:
            raise ArchiveError(f"{self._path} is damaged: {name} is missing")
        return file

    def _damaged(self, error: Exception) -> ArchiveError:
        return ArchiveError(f"{self._path} is damaged: {error}")

    def _compare(self, kind: str, count: int, expected: int) -> None:
        if count != expected:
            raise ArchiveError(f"{self._path} is damaged: it has {count} {kind} instead of {expected}")

"""Describe a data folder, check its contents, and remove what nothing uses."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from local.emulator.data.archive import Progress
from local.emulator.data.folder import DataFolder, Statement, current_owner, open_read_only

_SELECT_CONTENTS = """
    SELECT content, key, state, version, NULL FROM objects WHERE content IS NOT NULL
    UNION ALL
    SELECT content, coalesce(json_extract(uploads.state, '$.key'), 'unknown'), parts.state, upload, number
    FROM parts LEFT JOIN uploads ON uploads.id = parts.upload
"""
_SIZE = "total(json_extract(state, '$.size'))"


@dataclass(frozen=True)
class Description:
    """Counts of a data folder. ``owner`` is the id of the process that uses it, if any."""

    version: int
    owner: str | None
    items: int
    objects: int
    object_bytes: int
    uploads: int
    upload_bytes: int


Problem = Literal["missing", "wrong size", "wrong content", "unused file"]


@dataclass(frozen=True)
class Finding:
    """A problem of a content. ``name`` is the key of its object, or the path of a file that no object uses.

    ``mend`` deletes the rows of a missing content. A content that is only damaged stays.
    """

    problem: Problem
    name: str
    path: Path
    mend: Statement | None = None

    @property
    def is_mendable(self) -> bool:
        """Return True if ``mend`` can remove the problem without loss of further data."""
        return self.problem == "unused file" or self.mend is not None


def describe(path: Path) -> Description:
    """Count what the folder contains, also while a server uses it. Raise DataFolderError if it cannot be read."""
    with open_read_only(path) as database:
        database.execute("BEGIN")  # all counts are of the same moment
        [version] = database.execute("PRAGMA user_version").fetchone()
        [items] = database.execute("SELECT count(*) FROM items").fetchone()
        [objects, size] = database.execute(
            f"SELECT count(*), {_SIZE} FROM objects WHERE content IS NOT NULL"  # noqa: S608  (fixed)
        ).fetchone()
        [uploads] = database.execute("SELECT count(*) FROM uploads").fetchone()
        [part_size] = database.execute(f"SELECT {_SIZE} FROM parts").fetchone()  # noqa: S608  (fixed)
    return Description(version, current_owner(path), items, objects, int(size), uploads, int(part_size))


def check(folder: DataFolder, progress: Progress) -> Iterator[Finding]:
    """Compare each row with its file. The ETag of an object or part in one piece is its MD5."""
    [(total,)] = folder.read(f"SELECT count(*) FROM ({_SELECT_CONTENTS})")  # noqa: S608  (fixed)
    for number, (content, key, state, version, part) in enumerate(folder.iterate(_SELECT_CONTENTS), 1):
        path, fields = folder.content_path(content), json.loads(state)
        if not path.is_file():
            yield Finding("missing", key, path, _delete(key, version, part))
        elif path.stat().st_size != fields["size"]:
            yield Finding("wrong size", key, path)
        elif "-" not in fields["etag"] and _md5(path) != fields["etag"]:
            yield Finding("wrong content", key, path)
        progress("checking contents", number, total)
    for path in folder.unused_contents():
        yield Finding("unused file", str(path.relative_to(folder.path)), path)


def mend(folder: DataFolder, findings: list[Finding]) -> None:
    """Delete the unused files, and the rows of the missing contents."""
    folder.write(finding.mend for finding in findings if finding.mend)
    for finding in findings:
        if finding.problem == "unused file":
            finding.path.unlink(missing_ok=True)


def vacuum(folder: DataFolder) -> int:
    """Delete the unused files and compact the database. Return by how many bytes the folder is smaller."""
    before = _size(folder.path)
    for path in folder.unused_contents():
        path.unlink()
    folder.compact()
    return before - _size(folder.path)


def _delete(key: str, version: str, part: int | None) -> Statement:
    if part is None:
        return "DELETE FROM objects WHERE key = ? AND version = ?", (key, version)
    return "DELETE FROM parts WHERE upload = ? AND number = ?", (version, part)


def _md5(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

"""Import an archive into an empty data folder."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from local.emulator.data.archive import Archive, ArchiveError, Content, Progress, item_key, sha256
from local.emulator.data.folder import DataFolder, Statement

_STATE = ("last_modified", "size", "etag", "metadata", "storage_class", "checksum", "tags")


def import_into_folder(folder: DataFolder, archive: Archive, progress: Progress) -> None:
    """Add all objects and items to a folder without data, in one transaction.

    After an error or a crash, the folder has no items, but the contents that were copied: the next import uses those
    whose hash is right. Raise ArchiveError if the folder has data, or the archive is damaged.
    """
    if folder.read("SELECT 1 FROM (SELECT pk FROM items UNION ALL SELECT key FROM objects) LIMIT 1"):
        raise ArchiveError(f"{folder.path} already has data; import into a new folder: SATCHEL_DATA=DIR")
    try:
        folder.write(_statements(folder, archive, progress))
    except sqlite3.IntegrityError as error:
        raise ArchiveError(f"the archive is damaged: {error}") from error


def _statements(folder: DataFolder, archive: Archive, progress: Progress) -> Iterator[Statement]:
    position = 0
    for number, content in enumerate(archive.contents(), 1):
        names = [_content_name(each) for each in content.objects]
        _store(content, [folder.content_path(name) for name in names])
        for each, name in zip(content.objects, names, strict=True):
            state = json.dumps({field: each[field] for field in _STATE})
            row = (position, each["key"], each["version"], name, state)
            yield "INSERT INTO objects VALUES (?, ?, ?, ?, ?)", row
            position += 1
        progress("importing contents", number, archive.summary.contents)
    os.sync()  # the contents are on the disk before the rows that name them
    for number, item in enumerate(archive.items(), 1):
        yield "INSERT INTO items VALUES (?, ?, ?)", (*item_key(item), json.dumps(item))
        progress("importing items", number, archive.summary.items)


def _content_name(described: Mapping[str, Any]) -> str:
    """Return a name of the object's own, the same at each attempt, so that a repeated import finds the file."""
    return hashlib.sha256(f"{described['sha256']} {described['key']}".encode()).hexdigest()[:32]


def _store(content: Content, paths: list[Path]) -> None:
    """Write the content to all paths that do not have it yet."""
    missing = [path for path in paths if not _has(path, content)]
    if not missing:
        return
    source = next((path for path in paths if path not in missing), None)
    for path in missing:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            with path.open("wb") as file:
                if source:
                    with source.open("rb") as stored:
                        shutil.copyfileobj(stored, file)
                else:
                    file.writelines(content.pieces())
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        source = path


def _has(path: Path, content: Content) -> bool:
    return path.is_file() and path.stat().st_size == content.size and sha256(path) == content.sha256

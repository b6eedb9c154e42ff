"""Record each change of the emulated bucket in the data folder: contents in files, everything else in the database."""

import datetime as dt
import itertools
import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from moto.s3.exceptions import S3ClientError
from moto.s3.models import (
    FakeBucket,
    FakeDeleteMarker,
    FakeKey,
    FakeMultipart,
    S3Backend,
    get_canned_acl,
)
from moto.utilities.utils import LowercaseDict

from local.emulator.data.folder import DataFolder, Statement, refusal

_PIECE_BYTES = 1 << 20
_PUT_OBJECT = """
    INSERT INTO objects VALUES (?, ?, ?, ?, ?) ON CONFLICT (key, version) DO UPDATE SET state = excluded.state
"""
_SELECT_OBJECTS = "SELECT position, key, version, content, state FROM objects"
_SELECT_PARTS = "SELECT upload, number, content, state FROM parts"
_DELETE_OBJECT = "DELETE FROM objects WHERE key = ? AND version = ?"
_PUT_UPLOAD = "INSERT INTO uploads VALUES (?, ?) ON CONFLICT DO NOTHING"
_PUT_PART = """
    INSERT INTO parts VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET content = excluded.content, state = excluded.state
"""
_DELETE_UPLOAD = "DELETE FROM uploads WHERE id = ?"
_DELETE_PARTS = "DELETE FROM parts WHERE upload = ?"

Version = FakeKey | FakeDeleteMarker


class StoredContent:
    """The content of an object or part in a file, as the buffer that moto expects. No method holds the file open.

    The file is deleted when the object is removed from the database and also no longer in use (``close``).
    """

    __slots__ = ("_folder", "_is_closed", "_is_removed", "_position", "name")

    def __init__(self, folder: DataFolder, name: str) -> None:
        self.name = name
        self._folder = folder
        self._position = 0
        self._is_removed = self._is_closed = False

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a position, and return it. ``whence`` is SEEK_SET or SEEK_END."""
        self._position = offset + (self._path.stat().st_size if whence == os.SEEK_END else 0)
        return self._position

    def tell(self) -> int:
        """Return the current position."""
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most ``size``."""
        with self._path.open("rb") as file:
            file.seek(self._position)
            content = file.read(size)
        self._position += len(content)
        return content

    def close(self) -> None:
        """Note that no download uses the content any more."""
        self._is_closed = True
        self._delete_unused()

    def remove(self) -> None:
        """Note that the database has no longer a row for the content."""
        self._is_removed = True
        self._delete_unused()

    def _delete_unused(self) -> None:
        if self._is_closed and self._is_removed:
            self._path.unlink(missing_ok=True)

    @property
    def _path(self) -> Path:
        """Not stored: each of many paths would need more memory than the other fields."""
        return self._folder.content_path(self.name)


@dataclass(frozen=True, slots=True)
class _StoredVersion:
    """A row of ``objects``. ``position`` orders the versions of a key. A delete marker has no content."""

    position: int
    content: StoredContent | None
    state: str


class ObjectLog:
    """Records the objects and unfinished uploads of one bucket. Implements ``s3_objects.ChangeLog``."""

    def __init__(self, folder: DataFolder, backend: S3Backend, bucket: str) -> None:
        self._folder = folder
        self._backend = backend
        self._bucket: FakeBucket = backend.get_bucket(bucket)
        self._template = FakeKey("", b"", backend.account_id, backend.region_name)
        self._template._value_buffer.close()  # noqa: SLF001  (moto's buffer)
        self._lock = threading.Lock()
        self._positions = itertools.count()
        self._stored: dict[str, dict[str, _StoredVersion]] = {}
        self._parts: dict[str, dict[int, StoredContent]] = {}

    def store(self, pieces: Iterable[bytes]) -> StoredContent:
        """Write a new content to a file. Raise S3ClientError, and leave no file, if this fails."""
        try:
            return self._store(pieces)
        except OSError as error:
            raise _refusal(error) from error

    def _store(self, pieces: Iterable[bytes]) -> StoredContent:
        return StoredContent(self._folder, self._folder.add_content(pieces).name)

    def commit(self, keys: Collection[str], uploads: Collection[str]) -> None:
        """Store the current state of these keys and uploads.

        If this fails, raise S3ClientError and restore the stored state of the keys and uploads in the bucket.
        """
        try:
            for key in keys:
                for version in self._versions(key):
                    self._store_content(version)
            for upload in uploads:
                for part in self._uploaded_parts(upload).values():
                    self._store_content(part)
            with self._lock:
                removed = self._write(keys, uploads)
            self._folder.synchronize()
        except (OSError, sqlite3.Error) as error:
            self._restore(keys, uploads)
            raise _refusal(error) from error
        for content in removed:
            content.remove()

    def load(self) -> None:
        """Put all objects and unfinished uploads of the data folder into a bucket without objects.

        Delete the files that the database does not name: the writes of unfinished requests.
        """
        self._load_keys(self._folder.read(f"{_SELECT_OBJECTS} ORDER BY position"))
        self._load_uploads(self._folder.read("SELECT id, state FROM uploads"), self._folder.read(_SELECT_PARTS))
        for path in self._folder.unused_contents():
            path.unlink()

    def _restore(self, keys: Collection[str], uploads: Collection[str]) -> None:
        for key in keys:
            dict.pop(self._bucket.keys, key, None)
            self._load_keys(self._folder.read(f"{_SELECT_OBJECTS} WHERE key = ? ORDER BY position", (key,)))
        for upload in uploads:
            self._bucket.multiparts.pop(upload, None)
            self._load_uploads(
                self._folder.read("SELECT id, state FROM uploads WHERE id = ?", (upload,)),
                self._folder.read(f"{_SELECT_PARTS} WHERE upload = ?", (upload,)),
            )

    def _write(self, keys: Collection[str], uploads: Collection[str]) -> list[StoredContent]:
        """Write the differences to the database. Return the contents that it no longer refers to."""
        states = {key: self._current_states(key) for key in keys}
        statements = [each for key in keys for each in self._changed_versions(key, states[key])]
        self._folder.write([*statements, *(each for upload in uploads for each in self._changed_parts(upload))])
        removed = [content for key in keys for content in self._remember_versions(key, states[key])]
        return removed + [content for upload in uploads for content in self._remember_parts(upload)]

    def _current_states(self, key: str) -> dict[str, "_StoredVersion"]:
        """Return the stored versions of a key. Skip a version whose request has not stored its content yet."""
        states = {}
        for version in self._versions(key):
            position = vars(version).setdefault("position", next(self._positions))
            content = version._value_buffer if isinstance(version, FakeKey) else None  # noqa: SLF001  (moto's buffer)
            if content is None or isinstance(content, StoredContent):
                states[version.version_id] = _StoredVersion(position, content, self._state(version))
        return states

    def _changed_versions(self, key: str, states: Mapping[str, "_StoredVersion"]) -> Iterator[Statement]:
        stored = self._stored.get(key, {})
        for version in stored.keys() - states.keys():
            yield _DELETE_OBJECT, (key, version)
        for version, each in states.items():
            if stored.get(version) != each:
                yield _PUT_OBJECT, (each.position, key, version, each.content and each.content.name, each.state)

    def _remember_versions(self, key: str, states: dict[str, "_StoredVersion"]) -> list[StoredContent]:
        """Remember the versions that the database has now. Return the contents of those that it no longer has."""
        old = self._stored.pop(key, {})
        if states:
            self._stored[key] = states
        return [each.content for version, each in old.items() if version not in states and each.content]

    def _changed_parts(self, upload: str) -> Iterator[Statement]:
        multipart: FakeMultipart | None = self._bucket.multiparts.get(upload)
        if multipart is None:
            yield from ((_DELETE_UPLOAD, (upload,)), (_DELETE_PARTS, (upload,)))
            return
        yield _PUT_UPLOAD, (upload, _upload_state(multipart))
        stored = self._parts.get(upload, {})
        for number, content in self._stored_parts(upload).items():
            if stored.get(number) is not content:
                yield _PUT_PART, (upload, number, content.name, self._state(multipart.parts[number]))

    def _remember_parts(self, upload: str) -> list[StoredContent]:
        """Remember the parts that the database has now. Return the contents of those that it no longer has."""
        current, old = self._stored_parts(upload), self._parts.pop(upload, {})
        if current:
            self._parts[upload] = current
        return [content for number, content in old.items() if current.get(number) is not content]

    def _store_content(self, version: Version) -> None:
        """Move the content of a new version or part from moto's buffer to a file."""
        if not isinstance(version, FakeKey):
            return
        with version.lock:
            buffer = version._value_buffer  # noqa: SLF001  (moto's buffer)
            if isinstance(buffer, StoredContent):
                return
            _ = version.etag  # moto computes it from the buffer
            buffer.seek(0)
            stored = self._store(iter(partial(buffer.read, _PIECE_BYTES), b""))
            version._value_buffer = stored  # type: ignore[assignment]  # noqa: SLF001
            buffer.close()

    def _versions(self, key: str) -> list[Version]:
        return list(self._bucket.keys.getlist(key, []))

    def _uploaded_parts(self, upload: str) -> dict[int, FakeKey]:
        multipart = self._bucket.multiparts.get(upload)
        return dict(multipart.parts) if multipart else {}

    def _stored_parts(self, upload: str) -> dict[int, StoredContent]:
        buffers = {number: part._value_buffer for number, part in self._uploaded_parts(upload).items()}  # noqa: SLF001
        return {number: buffer for number, buffer in buffers.items() if isinstance(buffer, StoredContent)}

    def _state(self, version: Version) -> str:
        fields: dict[str, Any] = {"last_modified": version.last_modified.isoformat()}
        if isinstance(version, FakeKey):
            fields |= {
                "size": version.contentsize,
                "etag": version.etag.strip('"'),
                "metadata": dict(version.metadata),
                "storage_class": version.storage_class,
                "checksum": [version.checksum_algorithm, version.checksum_type, version.checksum_value],
                "tags": self._backend.tagger.get_tag_dict_for_resource(version.arn),
            }
        return json.dumps(fields)

    def _load_keys(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for position, key, version, name, state in rows:
            fields = json.loads(state)
            content = StoredContent(self._folder, name) if name else None
            loaded = self._load_object(key, version, content, fields) if content else self._load_marker(key, version)
            loaded.last_modified = dt.datetime.fromisoformat(fields["last_modified"])
            vars(loaded)["position"] = position
            self._positions = itertools.count(max(position + 1, next(self._positions)))
            self._bucket.keys[key] = loaded
            self._stored.setdefault(key, {})[version] = _StoredVersion(position, content, state)

    def _load_object(self, key: str, version: str, content: StoredContent, fields: Mapping[str, Any]) -> FakeKey:
        loaded = self._new_key(
            key, content, fields, _is_versioned=True, _version_id=version, bucket_name=self._bucket.name
        )
        loaded._metadata = LowercaseDict()  # noqa: SLF001  (moto's field)
        loaded.set_metadata(fields["metadata"])
        tagger = self._backend.tagger
        tagger.delete_all_tags_for_resource(loaded.arn)  # those of a request that failed
        if fields["tags"]:
            tagger.tag_resource(loaded.arn, tagger.convert_dict_to_tags_input(fields["tags"]))
        return loaded

    def _load_marker(self, key: str, version: str) -> FakeDeleteMarker:
        previous: Any = self._bucket.keys.get(key) or SimpleNamespace(name=key)
        marker = FakeDeleteMarker(previous)
        marker._version_id = version  # noqa: SLF001  (moto's field)
        return marker

    def _load_uploads(self, uploads: Iterable[tuple[Any, ...]], parts: Iterable[tuple[Any, ...]]) -> None:
        for upload, state in uploads:
            self._bucket.multiparts[upload] = self._new_upload(upload, json.loads(state))
        for upload, number, name, state in sorted(parts):
            multipart, content = self._bucket.multiparts[upload], StoredContent(self._folder, name)
            fields = json.loads(state)
            multipart.parts[number] = self._new_key(number, content, fields)
            multipart.parts[number].last_modified = dt.datetime.fromisoformat(fields["last_modified"])
            multipart.partlist.append(number)
            self._parts.setdefault(upload, {})[number] = content

    def _new_key(self, name: Any, content: StoredContent, fields: Mapping[str, Any], **named: Any) -> FakeKey:  # noqa: ANN401  (a key or a part number)
        """Return a copy of the template with these fields, because ``FakeKey.__init__`` takes much longer."""
        key = object.__new__(FakeKey)
        algorithm, kind, value = fields["checksum"]
        vars(key).update(vars(self._template), name=name, lock=threading.Lock(), _value_buffer=content)
        vars(key).update(_storage_class=fields["storage_class"], _etag=fields["etag"], contentsize=fields["size"])
        vars(key).update(checksum_algorithm=algorithm, checksum_type=kind, checksum_value=value, **named)
        return key

    def _new_upload(self, upload: str, fields: Mapping[str, Any]) -> FakeMultipart:
        multipart = FakeMultipart(
            fields["key"],
            LowercaseDict(fields["metadata"]),  # type: ignore[arg-type]  # it has the same methods
            self._backend.account_id,
            self._backend.region_name,
            storage=fields["storage_class"],
            tags=fields["tags"],
            acl=get_canned_acl("private"),
        )
        multipart.id = upload
        return multipart


def _refusal(error: OSError | sqlite3.Error) -> S3ClientError:
    return S3ClientError("ServiceUnavailable", refusal(error))


def _upload_state(upload: FakeMultipart) -> str:
    return json.dumps(
        {
            "key": upload.key_name,
            "metadata": dict(upload.metadata),
            "storage_class": upload.storage,
            "tags": upload.tags,
        }
    )

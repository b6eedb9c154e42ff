"""Files of a person (as what: ``file_items``; in which pages: ``file_pages``).

A file is written and removed with its name in one transaction, so that no two files ever hold one name; and counted in
it, so that nothing that a person keeps is counted twice.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, pause
from satchel.adapters.dynamodb.file_items import (
    USAGE,
    claim_item,
    object_item,
    page_of_files,
    pointer_items,
    pointer_key,
    record_item,
    record_of,
    space,
    usage_key,
    version_item,
    version_key,
    versions_of,
)
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.uploads import upload_key
from satchel.contract import numbered_name
from satchel.domain.errors import Unavailable, UploadNotFound
from satchel.domain.files import FileFilter, FileRecord, NameClaim, NameDecision, NewFile, Usage, decide_name
from satchel.domain.ids import FileKey, SessionId, UploadId, UserName
from satchel.ports import Page
from satchel.ports.files import ALL_FILES

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_TRIES = 50
_MAX_NAMES = 10_000
_POINTERS_AT_ONCE = 5  # nearly always the first is meant
_VERSIONS_AT_ONCE = 45  # each is two items, and a transaction takes 100 writes


def _names(name: str) -> Iterator[str]:
    yield name
    for count in range(2, _MAX_NAMES):
        yield numbered_name(name, count)


@dataclass(frozen=True)
class DynamoFiles:
    """Implements ``ports.files.Files``."""

    table: Table

    def keep(self, new: NewFile) -> FileRecord:
        """Make stored bytes a file under the first name that it may have."""
        for _ in range(_TRIES):
            try:
                return self.kept(new.user, new.object_id) or self._keep(new)
            except (ConditionFailed, WriteConflict):
                pause()  # somebody took or changed the name in between: look again
        raise Unavailable(f"Too many writers at one name: {new.name}")

    def keep_upload(self, new: NewFile) -> FileRecord:
        """Make the bytes of an upload a file, and end the upload, in one transaction. Raises UploadNotFound."""
        upload_id = UploadId(new.object_id)
        place = upload_key(new.user, upload_id)
        ending = self.table.writes_delete_of(*place, "upload_id", new.object_id)
        for _ in range(_TRIES):
            there = self.table.get(*place)  # looked at first: what ends it in between has kept the file
            if kept := self.kept(new.user, new.object_id):
                return kept
            if there is None:
                raise UploadNotFound(upload_id)
            try:
                return self._keep(new, ending)
            except (ConditionFailed, WriteConflict):
                pause()
        raise Unavailable(f"Too many writers at one name: {new.name}")

    def kept(self, user: UserName, object_id: FileKey) -> FileRecord | None:
        """Return the version that an object was made."""
        item = self.table.get(f"USER#{user}", f"OBJECT#{object_id}")
        return self.version(user, FileKey(str(item["file_key"])), int(item["version"])) if item else None

    def _keep(self, new: NewFile, *more: "TransactWriteItemTypeDef") -> FileRecord:
        for name in _names(new.name):
            claim = self._claim(new, name)
            if claim is None:
                first = {"name": name, "file_key": new.object_id}
                return self._write(FileRecord(**new.model_dump() | first), None, *more)
            verdict = decide_name(claim, new)
            if verdict is NameDecision.NEXT_NAME:
                continue
            if verdict is NameDecision.SAME:
                kept = self.version(new.user, claim.file_key, claim.version)
                if kept is not None:
                    return kept
            newer = {"name": name, "file_key": claim.file_key, "version": claim.version + 1}
            return self._write(FileRecord(**new.model_dump() | newer), claim, *more)
        raise Unavailable(f"Too many files of one name: {new.name}")

    def _claim(self, new: NewFile, name: str) -> NameClaim | None:
        item = self.table.get(space(new.user, new.session_id), f"NAME#{name}")
        return NameClaim.model_validate_json(str(item["doc"])) if item else None

    def _write(self, record: FileRecord, over: NameClaim | None, *more: "TransactWriteItemTypeDef") -> FileRecord:
        claim = self.table.writes_put(claim_item(record), absent=True)
        if over is not None:
            claim = self.table.writes_put_over(claim_item(record), "held_by", over.object_id)
        self.table.transact(
            [
                claim,
                self.table.writes_put(record_item(record)),
                self.table.writes_put(version_item(record)),
                self.table.writes_put(object_item(record), absent=True),
                *(self.table.writes_put(pointer) for pointer in pointer_items(record)),
                self.counts(record, 0 if over else 1, record.size),
                *more,
            ],
        )
        return record

    def get(self, user: UserName, file_key: FileKey) -> FileRecord | None:
        """Return the newest version of a file of this person."""
        item = self.table.get(f"USER#{user}", f"FILE#{file_key}")
        return record_of(item) if item else None

    def version(self, user: UserName, file_key: FileKey, version: int) -> FileRecord | None:
        """Return one version of a file."""
        item = self.table.get(f"USER#{user}", version_key(file_key, version))
        return record_of(item) if item else None

    def list(self, user: UserName, limit: int, cursor: str | None, wanted: FileFilter = ALL_FILES) -> Page[FileRecord]:
        """Return those files of a person that are meant, newest first; by name where a beginning of names is given."""
        return page_of_files(self.table, user, wanted, limit, cursor)

    def usage(self, user: UserName) -> Usage:
        """Return how much a person keeps."""
        counters = self.table.query_all(f"USER#{user}", USAGE)
        return Usage(bytes=sum(int(c["bytes"]) for c in counters), count=sum(int(c["files"]) for c in counters))

    def of_session(self, user: UserName, session_id: SessionId) -> Sequence[FileRecord]:
        """Return the files of a session, newest first."""
        claims = self.table.query_all(space(user, session_id), "NAME#")
        keys = [NameClaim.model_validate_json(str(item["doc"])).file_key for item in claims]
        items = self.table.get_many([(f"USER#{user}", f"FILE#{key}") for key in keys])
        return sorted((record_of(item) for item in items), key=lambda record: record.created_at, reverse=True)

    def named(self, user: UserName, session_id: SessionId | None, name: str) -> Iterator[FileRecord]:
        """Give the files of this name: the session's, then the person's other ones, newest first."""
        seen: set[str] = set()
        for key in self._keys(user, session_id, name):
            if key not in seen and (record := self.get(user, key)):
                yield record
            seen.add(key)

    def _keys(self, user: UserName, session_id: SessionId | None, name: str) -> Iterator[FileKey]:
        item = self.table.get(space(user, session_id), f"NAME#{name}") if session_id else None
        if item is not None:
            yield NameClaim.model_validate_json(str(item["doc"])).file_key
        wanted = Query(f"USER#{user}", pointer_key(name), _POINTERS_AT_ONCE, newest_first=True)
        while True:
            pointers, after = self.table.query(wanted)
            yield from (FileKey(str(pointer["file_key"])) for pointer in pointers)
            if after is None:
                return
            wanted = replace(wanted, after=after)

    def remove(self, record: FileRecord) -> Sequence[str]:
        """Remove a file with all versions and free its name; return the S3 keys that must go."""
        keys: dict[str, None] = {}
        for _ in range(_TRIES):
            newest = self.get(record.user, record.file_key)
            if newest is None:
                return list(keys)
            versions = [
                record_of(item) for item in self.table.query_all(f"USER#{record.user}", versions_of(record.file_key))
            ]
            keys |= dict.fromkeys(version.key for version in versions)
            try:
                self._remove(newest, versions)
            except (ConditionFailed, WriteConflict):
                continue  # a newer version came in between: it goes as well
            return list(keys)
        raise Unavailable(f"Too many writers at one file: {record.name}")

    def _remove(self, newest: FileRecord, versions: Sequence[FileRecord]) -> None:
        """Remove old versions of a file that has very many first: each lot is counted back as it goes."""
        old, rest = versions[:-_VERSIONS_AT_ONCE], versions[-_VERSIONS_AT_ONCE:]
        for start in range(0, len(old), _VERSIONS_AT_ONCE):
            lot = old[start : start + _VERSIONS_AT_ONCE]
            self.table.transact([*self._removes_versions(newest, lot), self.counts(newest, 0, -_bytes_of(lot))])
        self.table.transact([*self.removes(newest, rest), self.counts(newest, -1, -_bytes_of(rest))])

    def removes(self, newest: FileRecord, versions: Sequence[FileRecord]) -> Sequence["TransactWriteItemTypeDef"]:
        """Return what removes a file of these versions, if they are there and its newest is that; to be counted."""
        found_by = [record_item(newest), *pointer_items(newest)]
        return [
            self.table.writes_delete_of(
                space(newest.user, newest.session_id), f"NAME#{newest.name}", "held_by", newest.object_id
            ),
            *(self.table.writes_delete(str(item["pk"]), str(item["sk"])) for item in found_by),
            *self._removes_versions(newest, versions),
        ]

    def _removes_versions(
        self, newest: FileRecord, versions: Sequence[FileRecord]
    ) -> Sequence["TransactWriteItemTypeDef"]:
        pk = f"USER#{newest.user}"
        return [
            *(self.table.writes_delete(pk, str(version_item(version)["sk"]), present=True) for version in versions),
            *(self.table.writes_delete(pk, str(object_item(version)["sk"])) for version in versions),
        ]

    def counts(self, record: FileRecord, files: int, size: int) -> "TransactWriteItemTypeDef":
        """Return what counts files and bytes where those of this one are counted."""
        return self.table.writes_add(*usage_key(record.user, record.file_key), {"files": files, "bytes": size})


def _bytes_of(versions: Sequence[FileRecord]) -> int:
    return sum(version.size for version in versions)

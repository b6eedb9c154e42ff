"""Stores the records of users' files. The module ``file_items`` defines the items, their keys and the list query.

One transaction writes or deletes a file's record, reserves or frees its name, and updates the user's usage counters. So
two files of a session never have the same name, and no file is counted twice.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict, tries
from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.file_items import (
    USAGE_PREFIX,
    claim_item,
    name_partition,
    object_item,
    parse_record,
    pointer_items,
    pointer_key,
    query_files,
    record_item,
    usage_key,
    version_item,
    version_key,
    version_prefix,
    view_prefix,
)
from satchel.adapters.dynamodb.quotas import build_upload_end
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.uploads import upload_key
from satchel.contract import numbered_name
from satchel.domain.errors import Unavailable, UploadNotFound
from satchel.domain.files import (
    FileFilter,
    FileRecord,
    NameClaim,
    NameResolution,
    NewFile,
    Source,
    Usage,
    resolve_name_conflict,
)
from satchel.domain.ids import FileKey, SessionId, UploadId, UserName
from satchel.ports import Page
from satchel.ports.files import ALL_FILES, FileCheck, accept_any

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

_MAX_TRIES = 50
_MAX_NAMES = 10_000
_POINTER_PAGE_SIZE = 5  # small pages, because callers nearly always use only the first file
_VERSIONS_PER_TRANSACTION = 45  # a transaction is limited to 100 writes, and each version needs two


def _candidate_names(name: str) -> Iterator[str]:
    """Yield the names to try for a new file: ``name``, then ``name`` with the numbers 2, 3, …."""
    yield name
    for count in range(2, _MAX_NAMES):
        yield numbered_name(name, count)


@dataclass(frozen=True)
class DynamoFiles:
    """Store file records in the table. Implements ``ports.files.Files``."""

    table: Table

    def save(self, new: NewFile) -> FileRecord:
        for _ in tries(_MAX_TRIES):
            try:
                return self.get_by_object(new.user, new.object_id) or self._save(new)
            except (ConditionFailed, WriteConflict):
                continue  # another writer took the name or changed the file: try again
        raise Unavailable(f"Too many concurrent writers of one file name: {new.name}")

    def save_upload(self, new: NewFile) -> FileRecord:
        """Save the file of a completed upload and delete the upload's record, in one transaction.

        Raise UploadNotFound if the upload was aborted.
        """
        upload_id = UploadId(new.object_id)
        key = upload_key(new.user, upload_id)
        end_upload = [
            self.table.build_delete_if(*key, "upload_id", new.object_id),
            build_upload_end(self.table, new.user, new.size),
        ]
        for _ in tries(_MAX_TRIES):
            # Read the upload before the file. In the reverse order, if another request completed the upload between
            # the two reads, neither the file nor the upload would be found.
            upload = self.table.get(*key)
            if record := self.get_by_object(new.user, new.object_id):
                return record
            if upload is None:
                raise UploadNotFound(upload_id)
            try:
                return self._save(new, *end_upload)
            except (ConditionFailed, WriteConflict):
                continue
        raise Unavailable(f"Too many concurrent writers of one file name: {new.name}")

    def get_by_object(self, user: UserName, object_id: FileKey) -> FileRecord | None:
        item = self.table.get(f"USER#{user}", f"OBJECT#{object_id}")
        return self.get_version(user, FileKey(str(item["file_key"])), int(item["version"])) if item else None

    def _save(self, new: NewFile, *extra_writes: "TransactWriteItemTypeDef") -> FileRecord:
        for name in _candidate_names(new.name):
            claim = self.table.get_doc(name_partition(new.user, new.session_id), f"NAME#{name}", NameClaim)
            if claim is None:
                first = {"name": name, "file_key": new.object_id}
                return self._write(FileRecord(**new.model_dump() | first), None, *extra_writes)
            decision = resolve_name_conflict(claim, new)
            if decision is NameResolution.NUMBERED_NAME:
                continue
            if decision is NameResolution.SAME_FILE:
                record = self.get_version(new.user, claim.file_key, claim.version)
                if record is not None:
                    return record
            newer = {"name": name, "file_key": claim.file_key, "version": claim.version + 1}
            return self._write(FileRecord(**new.model_dump() | newer), claim, *extra_writes)
        raise Unavailable(f"Too many files have this name: {new.name}")

    def _write(
        self, record: FileRecord, previous: NameClaim | None, *extra_writes: "TransactWriteItemTypeDef"
    ) -> FileRecord:
        claim = self.table.build_put(claim_item(record), if_absent=True)
        if previous is not None:
            claim = self.table.build_put_if(claim_item(record), "held_by", previous.object_id)
        writes = [
            claim,
            self.table.build_put(record_item(record)),
            self.table.build_put(version_item(record)),
            self.table.build_put(object_item(record), if_absent=True),
            *(self.table.build_put(pointer) for pointer in pointer_items(record)),
            self.build_count(record, 0 if previous else 1, record.size),
            *extra_writes,
        ]
        if record.source is Source.UPLOADED:
            transact_unless_erasing(self.table, record.user, record.created_at, writes)
        else:  # calls store files in parallel: an item that all of them check would make their transactions conflict
            self.table.transact(writes)
        return record

    def get(self, user: UserName, file_key: FileKey) -> FileRecord | None:
        return self.table.get_doc(f"USER#{user}", f"FILE#{file_key}", FileRecord)

    def get_version(self, user: UserName, file_key: FileKey, version: int) -> FileRecord | None:
        return self.table.get_doc(f"USER#{user}", version_key(file_key, version), FileRecord)

    def list_versions(self, user: UserName, file_key: FileKey, limit: int, cursor: str | None) -> Page[FileRecord]:
        query = Query(f"USER#{user}", version_prefix(file_key), limit, newest_first=True)
        return self.table.list_page(query, cursor, parse_record)

    def list(
        self, user: UserName, limit: int, cursor: str | None, file_filter: FileFilter = ALL_FILES
    ) -> Page[FileRecord]:
        return query_files(self.table, user, file_filter, limit, cursor)

    def usage(self, user: UserName) -> Usage:
        counters = self.table.query_all(f"USER#{user}", USAGE_PREFIX)
        return Usage(bytes=sum(int(c["bytes"]) for c in counters), count=sum(int(c["files"]) for c in counters))

    def list_for_session(self, user: UserName, session_id: SessionId) -> Sequence[FileRecord]:
        claims = self.table.query_all(name_partition(user, session_id), "NAME#")
        keys = [NameClaim.model_validate_json(str(item["doc"])).file_key for item in claims]
        items = self.table.get_many([(f"USER#{user}", f"FILE#{key}") for key in keys])
        return sorted((parse_record(item) for item in items), key=lambda record: record.created_at, reverse=True)

    def list_by_name(self, user: UserName, session_id: SessionId | None, name: str) -> Iterator[FileRecord]:
        """Yield the user's files with this name: first the file of the session, then all other files, newest first."""
        seen: set[str] = set()
        for key in self._keys(user, session_id, name):
            if key not in seen and (record := self.get(user, key)):
                yield record
            seen.add(key)

    def _keys(self, user: UserName, session_id: SessionId | None, name: str) -> Iterator[FileKey]:
        if session_id and (claim := self.table.get_doc(name_partition(user, session_id), f"NAME#{name}", NameClaim)):
            yield claim.file_key
        pointers = self.table.iterate(Query(f"USER#{user}", pointer_key(name), _POINTER_PAGE_SIZE, newest_first=True))
        yield from (FileKey(str(pointer["file_key"])) for pointer in pointers)

    def add_view(self, record: FileRecord, key: str, size: int) -> None:
        item: dict[str, str | int | bool] = {
            "pk": f"USER#{record.user}",
            "sk": f"{view_prefix(record.file_key)}{key}",
            "size": size,
        }
        writes = [self.table.build_put(item, if_absent=True), self.build_count(record, 0, size)]
        with suppress(ConditionFailed):  # the view is already known
            self.table.transact_until_done(writes)

    def take_views(self, record: FileRecord) -> Sequence[str]:
        pk, prefix = f"USER#{record.user}", view_prefix(record.file_key)
        items = self.table.query_all(pk, prefix)
        for item in items:
            deletion = self.table.build_delete(pk, str(item["sk"]), if_present=True)
            with suppress(ConditionFailed):  # another process has just deleted it
                self.table.transact_until_done([deletion, self.build_count(record, 0, -int(str(item["size"])))])
        return [str(item["sk"]).removeprefix(prefix) for item in items]

    def remove(self, record: FileRecord, check: FileCheck = accept_any) -> Sequence[str]:
        """Delete a file's records and free its name. Return the keys of the S3 objects that the caller must delete.

        Delete nothing if ``check`` raises an error for the newest version.
        """
        keys: dict[str, None] = {}
        for _ in tries(_MAX_TRIES):
            item = self.table.get(f"USER#{record.user}", f"FILE#{record.file_key}")
            if item is None:
                return list(keys)
            newest = parse_record(item)
            check(newest)
            items = self.table.query_all(f"USER#{record.user}", version_prefix(record.file_key))
            versions = [parse_record(item) for item in items]
            keys |= dict.fromkeys(version.key for version in versions)
            try:
                self._remove(newest, versions, str(item["doc"]))
            except (ConditionFailed, WriteConflict):
                continue  # another writer added a version: try again and delete that version too
            return list(keys)
        raise Unavailable(f"Too many concurrent writers of one file: {record.name}")

    def _remove(self, newest: FileRecord, versions: Sequence[FileRecord], doc: str) -> None:
        """Delete a file. If one transaction cannot hold all versions, delete the oldest in earlier transactions."""
        old, rest = versions[:-_VERSIONS_PER_TRANSACTION], versions[-_VERSIONS_PER_TRANSACTION:]
        for start in range(0, len(old), _VERSIONS_PER_TRANSACTION):
            batch = old[start : start + _VERSIONS_PER_TRANSACTION]
            count = self.build_count(newest, 0, -_total_size(batch))
            self.table.transact([*self._build_version_deletes(newest, batch), count])
        count = self.build_count(newest, -1, -_total_size(rest))
        self.table.transact([*self.build_deletes(newest, rest, doc), count])

    def build_deletes(
        self, newest: FileRecord, versions: Sequence[FileRecord], doc: str | None = None
    ) -> Sequence["TransactWriteItemTypeDef"]:
        """Build the writes that delete a file. They fail if ``newest`` is not the newest or a version is missing.

        With ``doc``, they also fail if the record is not stored in these words. The caller must add the write from
        ``build_count``, which updates the user's usage counters.
        """
        pk, sk = f"USER#{newest.user}", f"FILE#{newest.file_key}"
        return [
            self.table.build_delete_if(
                name_partition(newest.user, newest.session_id), f"NAME#{newest.name}", "held_by", newest.object_id
            ),
            self.table.build_delete_if(pk, sk, "doc", doc) if doc else self.table.build_delete(pk, sk),
            *(self.table.build_delete(str(item["pk"]), str(item["sk"])) for item in pointer_items(newest)),
            *self._build_version_deletes(newest, versions),
        ]

    def build_count(self, record: FileRecord, files: int, size: int) -> "TransactWriteItemTypeDef":
        """Build the write that adds a number of files and their size in bytes to the user's usage counters."""
        return self.table.build_add(*usage_key(record.user, record.file_key), {"files": files, "bytes": size})

    def _build_version_deletes(
        self, newest: FileRecord, versions: Sequence[FileRecord]
    ) -> Sequence["TransactWriteItemTypeDef"]:
        pk = f"USER#{newest.user}"
        return [
            *(self.table.build_delete(pk, str(version_item(version)["sk"]), if_present=True) for version in versions),
            *(self.table.build_delete(pk, str(object_item(version)["sk"])) for version in versions),
        ]


def _total_size(versions: Sequence[FileRecord]) -> int:
    return sum(version.size for version in versions)

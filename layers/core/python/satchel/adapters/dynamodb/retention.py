"""Deletes many expired files with few requests, and deletes the events and subscriptions of ended sessions.

The modules ``file_items``, ``events`` and ``connections`` (subscriptions) document the keys of these items.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from satchel.adapters.dynamodb.audit import PREFIX as AUDIT_PREFIX
from satchel.adapters.dynamodb.calls import PREFIX as CALL_PREFIX
from satchel.adapters.dynamodb.chat_links import PREFIX as CHAT_LINK_PREFIX
from satchel.adapters.dynamodb.chat_links import DynamoChatLinks, parse_chat_link
from satchel.adapters.dynamodb.chat_words import session_prefix
from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.connections import PREFIX as SUBSCRIPTION_PREFIX
from satchel.adapters.dynamodb.dashboards import PREFIX as CANVAS_PREFIX
from satchel.adapters.dynamodb.events import PREFIX as EVENT_PREFIX
from satchel.adapters.dynamodb.file_items import (
    EXPIRY_BUCKET,
    claim_item,
    parse_record,
    record_item,
    usage_key,
    version_item,
    version_key,
)
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.items import runner_partition
from satchel.adapters.dynamodb.runner_events import RELAY_PREFIX
from satchel.adapters.dynamodb.sessions import session_key, session_partition
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.turns import PREFIX as TURN_PREFIX
from satchel.domain.errors import FileNotFound, SessionEnded
from satchel.domain.files import FileRecord, as_permanent, is_expired
from satchel.domain.ids import CallId, SessionId, TurnId
from satchel.domain.sessions import Session, SessionStatus

_MAX_DELETES = 99  # a transaction is limited to 100 writes, and one of them updates the usage counters
_PAGE_SIZE = 200
# The deduplication keys (``ONCE#``) are not deleted, because they prevent a late writer from repeating an event.
_PURGED_PREFIXES = (EVENT_PREFIX, SUBSCRIPTION_PREFIX)
# What a deleted session has besides its turns. The names of its files stay with the files.
_REST_PREFIXES = ("MSG#", "ONCE#", "ACTION#", AUDIT_PREFIX)


@dataclass(frozen=True)
class DynamoFileReaper:
    """Find and delete expired files. Implements ``ports.files.FileReaper``."""

    table: Table

    def list_expired(self, until: datetime, limit: int) -> Sequence[FileRecord]:
        """Return expired files of all users. Re-reads each item, because the expiry index may be outdated."""
        entries = self.table.query_expired(EXPIRY_BUCKET, int(until.timestamp()), limit)
        items = self.table.get_many([(str(entry["pk"]), str(entry["sk"])) for entry in entries])
        return [record for record in map(parse_record, items) if is_expired(record, until)]

    def list_versions(self, records: Sequence[FileRecord]) -> Sequence[FileRecord]:
        """Return all versions of files. ``records``: their newest versions. Older versions are read from the table."""
        older = [
            (f"USER#{record.user}", version_key(record.file_key, version))
            for record in records
            for version in range(1, record.version)
        ]
        return [*map(parse_record, self.table.get_many(older)), *records]

    def remove(self, records: Sequence[FileRecord]) -> int:
        """Delete files and return how many were deleted. Each transaction deletes as many files as fit."""
        files = {record.file_key: _File(record) for record in records}
        for version in self.list_versions(records):
            files[version.file_key].versions.append(version)
        removed = 0
        for _, files_of_shard in groupby(sorted(files.values(), key=_usage_key), key=_usage_key):
            batch: list[_File] = []
            for file in files_of_shard:
                if batch and sum(each.max_deletes for each in batch) + file.max_deletes > _MAX_DELETES:
                    removed += self._remove(batch)
                    batch = []
                batch.append(file)
            removed += self._remove(batch)
        return removed

    def _remove(self, batch: Sequence["_File"]) -> int:
        """Delete files in one transaction. If that fails, delete them one by one. Return how many were deleted."""
        files = DynamoFiles(self.table)
        writes = [write for file in batch for write in files.build_deletes(file.newest, file.versions)]
        size = sum(version.size for file in batch for version in file.versions)
        try:
            self.table.transact([*writes, files.build_count(batch[0].newest, -len(batch), -size)])
        except (ConditionFailed, WriteConflict):
            return 0 if len(batch) == 1 else sum(self._remove([file]) for file in batch)
        return len(batch)

    def promote(self, record: FileRecord, *, while_open: bool) -> FileRecord:
        """Make an expiring file permanent and return its record. Raise FileNotFound if the stored record has changed.

        With ``while_open``, raise SessionEnded if the file's session is not open.
        """
        permanent = as_permanent(record)
        writes = [
            self.table.build_put_if(record_item(permanent), "doc", str(record_item(record)["doc"])),
            self.table.build_put_if(version_item(permanent), "doc", str(version_item(record)["doc"])),
            self.table.build_put_if(claim_item(permanent), "held_by", record.object_id),
        ]
        if while_open and record.session_id:
            key = session_key(record.user, record.session_id)
            writes.append(self.table.build_check(*key, "status", SessionStatus.ACTIVE.value))
        try:
            self.table.transact(writes)
        except WriteConflict as error:
            raise FileNotFound(record.file_key) from error
        except ConditionFailed as error:
            if record.session_id and while_open and error.positions == [len(writes) - 1]:
                raise SessionEnded(record.session_id) from error
            raise FileNotFound(record.file_key) from error
        return permanent


@dataclass
class _File:
    """A file to delete, with all its versions."""

    newest: FileRecord
    versions: list[FileRecord] = field(default_factory=list)

    @property
    def max_deletes(self) -> int:
        """Return how many items the file has at most: record, name claim, two pointers, and two for each version."""
        return 4 + 2 * len(self.versions)


def _usage_key(file: _File) -> tuple[str, str]:
    return usage_key(file.newest.user, file.newest.file_key)


@dataclass(frozen=True)
class DynamoSessionPurger:
    """Delete what ended sessions no longer need. Implements ``ports.sessions.SessionPurger``.

    That is the events of their turns, the events that runners reported, and the subscriptions. Of a session that the
    user has deleted, it is everything but the files that outlive the session.
    """

    table: Table

    def delete_events(self, session_id: SessionId) -> int:
        """Delete a session's events, reports and subscriptions, but keep each turn's last event.

        Return the number of deleted events and subscriptions. If the deletion is interrupted, the caller can repeat it.
        """
        deleted = 0
        for turn in self.table.iterate(Query(f"SESSION#{session_id}", TURN_PREFIX, _PAGE_SIZE)):
            pk = f"TURN#{str(turn['sk']).removeprefix(TURN_PREFIX)}"
            for relay in self.table.iterate(Query(pk, RELAY_PREFIX, _PAGE_SIZE)):
                self._delete(runner_partition(CallId(str(relay["sk"]).removeprefix(RELAY_PREFIX))), "", keep=set())
            newest, _ = self.table.query(Query(pk, EVENT_PREFIX, 1, newest_first=True))
            last_event = {str(item["sk"]) for item in newest}
            deleted += sum(self._delete(pk, prefix, keep=last_event) for prefix in _PURGED_PREFIXES)
        return deleted

    def delete_turns(self, session: Session) -> Iterator[TurnId]:
        pk = session_partition(session.session_id)
        for item in self.table.iterate(Query(pk, TURN_PREFIX, _PAGE_SIZE)):
            turn_id = TurnId(str(item["sk"]).removeprefix(TURN_PREFIX))
            for call in self.table.iterate(Query(f"CALLS#{turn_id}", CALL_PREFIX, _PAGE_SIZE)):
                self._delete(runner_partition(CallId(str(call["sk"]).removeprefix(CALL_PREFIX))), "", keep=set())
            for partition in (f"CALLS#{turn_id}", f"TURN#{turn_id}"):
                self._delete(partition, "", keep=set())
            yield turn_id
            self.table.delete(pk, str(item["sk"]))

    def delete_rest(self, session: Session) -> None:
        for prefix in _REST_PREFIXES:
            self._delete(session_partition(session.session_id), prefix, keep=set())
        pk = f"USER#{session.user}"
        canvases = [str(item["sk"]) for item in self.table.iterate(Query(pk, CANVAS_PREFIX, _PAGE_SIZE))]
        self.table.delete_many([(pk, sk) for sk in canvases if sk.endswith(f"/{session.session_id}")])
        self._delete(pk, session_prefix(session.session_id), keep=set())
        for link in map(parse_chat_link, list(self.table.iterate(Query(pk, CHAT_LINK_PREFIX, _PAGE_SIZE)))):
            if link.session_id == session.session_id:
                DynamoChatLinks(self.table).remove(link.owner, link.link_id)

    def _delete(self, pk: str, prefix: str, keep: Collection[str]) -> int:
        deleted = 0
        while True:
            items, after = self.table.query(Query(pk, prefix, _PAGE_SIZE))
            keys = [(pk, str(item["sk"])) for item in items if item["sk"] not in keep]
            self.table.delete_many(keys)
            deleted += len(keys)
            if after is None:
                return deleted

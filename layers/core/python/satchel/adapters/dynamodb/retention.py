"""Ending many files with few requests, and what is left of a session's turns."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.events import PREFIX as EVENT
from satchel.adapters.dynamodb.file_items import (
    EXPIRING,
    claim_item,
    record_item,
    record_of,
    usage_key,
    version_item,
    version_key,
)
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.sessions import session_key
from satchel.adapters.dynamodb.table import Query, Table
from satchel.adapters.dynamodb.turns import PREFIX as TURN
from satchel.domain.errors import FileNotFound, SessionEnded
from satchel.domain.files import FileRecord, expired, promoted
from satchel.domain.ids import SessionId
from satchel.domain.sessions import SessionStatus

_MAX_WRITES = 99  # and one that counts them
_PAGE = 200
_OF_TURNS = (EVENT, "SUB#")  # not the marks of what was told once: nothing may be told again


@dataclass(frozen=True)
class DynamoFileReaper:
    """Implements ``ports.files.FileReaper``."""

    table: Table

    def due(self, until: datetime, limit: int) -> Sequence[FileRecord]:
        """Return files that had expired by then. The index may be behind: what a file is, its item says."""
        found = self.table.due(EXPIRING, int(until.timestamp()), limit)
        items = self.table.get_many([(str(item["pk"]), str(item["sk"])) for item in found])
        return [record for record in map(record_of, items) if expired(record, until)]

    def versions(self, records: Sequence[FileRecord]) -> Sequence[FileRecord]:
        """Return all versions: the newest are at hand, older ones are fetched by their keys."""
        older = [
            (f"USER#{record.user}", version_key(record.file_key, version))
            for record in records
            for version in range(1, record.version)
        ]
        return [*map(record_of, self.table.get_many(older)), *records]

    def remove(self, records: Sequence[FileRecord]) -> int:
        """Remove files, as many in a transaction as it holds; those of one are counted in the same place."""
        files = {record.file_key: _File(record) for record in records}
        for version in self.versions(records):
            files[version.file_key].versions.append(version)
        gone = 0
        for _, together in groupby(sorted(files.values(), key=_counted_at), key=_counted_at):
            batch: list[_File] = []
            for file in together:
                if batch and sum(each.writes for each in batch) + file.writes > _MAX_WRITES:
                    gone += self._remove(batch)
                    batch = []
                batch.append(file)
            gone += self._remove(batch)
        return gone

    def _remove(self, batch: Sequence["_File"]) -> int:
        """Of a batch in which one was changed in between, the others go one by one."""
        files = DynamoFiles(self.table)
        writes = [write for file in batch for write in files.removes(file.newest, file.versions)]
        size = sum(version.size for file in batch for version in file.versions)
        try:
            self.table.transact([*writes, files.counts(batch[0].newest, -len(batch), -size)])
        except (ConditionFailed, WriteConflict):
            return 0 if len(batch) == 1 else sum(self._remove([file]) for file in batch)
        return len(batch)

    def promote(self, record: FileRecord, *, while_open: bool) -> FileRecord:
        """Write the file, its version and its name as of one that stays, if they are as they were read."""
        kept = promoted(record)
        writes = [
            self.table.writes_put_over(record_item(kept), "doc", str(record_item(record)["doc"])),
            self.table.writes_put_over(version_item(kept), "doc", str(version_item(record)["doc"])),
            self.table.writes_put_over(claim_item(kept), "held_by", record.object_id),
        ]
        if while_open and record.session_id:
            place = session_key(record.user, record.session_id)
            writes.append(self.table.writes_check(*place, "status", SessionStatus.ACTIVE.value))
        try:
            self.table.transact(writes)
        except WriteConflict as error:
            raise FileNotFound(record.file_key) from error
        except ConditionFailed as refused:
            if record.session_id and while_open and refused.at == [len(writes) - 1]:
                raise SessionEnded(record.session_id) from refused
            raise FileNotFound(record.file_key) from refused
        return kept


@dataclass
class _File:
    """A file that goes, with all its versions."""

    newest: FileRecord
    versions: list[FileRecord] = field(default_factory=list)

    @property
    def writes(self) -> int:
        """Return how many items it has, at most."""
        return 4 + 2 * len(self.versions)


def _counted_at(file: _File) -> tuple[str, str]:
    return usage_key(file.newest.user, file.newest.file_key)


@dataclass(frozen=True)
class DynamoSessionPurger:
    """Implements ``ports.sessions.SessionPurger``."""

    table: Table

    def forget_events(self, session_id: SessionId) -> int:
        """Go from turn to turn, a page of each at a time; broken off, it begins again with what is left."""
        forgotten, after = 0, None
        while True:
            turns, after = self.table.query(Query(f"SESSION#{session_id}", TURN, _PAGE, after))
            for turn in turns:
                pk = f"TURN#{str(turn['sk']).removeprefix(TURN)}"
                forgotten += sum(self._delete(pk, prefix) for prefix in _OF_TURNS)
            if after is None:
                return forgotten

    def _delete(self, pk: str, prefix: str) -> int:
        """Page by page; of the events the last one stays."""
        deleted = 0
        newest, _ = self.table.query(Query(pk, EVENT, 1, newest_first=True))
        stays = {item["sk"] for item in newest}
        while True:
            items, after = self.table.query(Query(pk, prefix, _PAGE))
            going = [(pk, str(item["sk"])) for item in items if item["sk"] not in stays]
            self.table.delete_many(going)
            deleted += len(going)
            if after is None:
                return deleted

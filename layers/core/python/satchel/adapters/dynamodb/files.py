"""Files of a person.

| item | key |
|---|---|
| newest version | ``USER#{user} / FILE#{file_key}`` (with ``expiry_bucket`` and ``expires_at`` where it expires) |
| every version | ``USER#{user} / VERSION#{file_key}#{n}`` |
| name in a session | ``SESSION#{sid} / NAME#{name}``; without a session ``LIBRARY#{user} / NAME#{name}`` |
| name among all files | ``USER#{user} / NAME#{name}/{file_key}`` (no name has a slash in it) |
| version of an object | ``USER#{user} / OBJECT#{object_id}``, so that keeping it again finds it whatever came after |

A file is written and removed with its name in one transaction, so that no two files ever hold one name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from satchel.adapters.dynamodb.table import (
    ConditionFailed,
    Item,
    Query,
    Table,
    WriteConflict,
    from_cursor,
    pause,
    to_cursor,
)
from satchel.contract import numbered
from satchel.domain.errors import Unavailable
from satchel.domain.files import FileRecord, NameClaim, NewFile, Verdict, judge
from satchel.ports.catalog import Page

_TRIES = 50
_MOST_NAMES = 10_000
_POINTERS_AT_ONCE = 5  # nearly always the first is meant
_MOST_AT_ONCE = 90  # a transaction takes 100 writes


def _space(user: str, session_id: str | None) -> str:
    """A name is unique within its session; files without one share the person's library."""
    return f"SESSION#{session_id}" if session_id else f"LIBRARY#{user}"


def _record_item(record: FileRecord) -> Item:
    item: Item = {"pk": f"USER#{record.user}", "sk": f"FILE#{record.file_key}", "doc": record.model_dump_json()}
    if record.expires_at is not None:
        item |= {"expiry_bucket": "files", "expires_at": record.expires_at}
    return item


def _versions(file_key: str) -> str:
    return f"VERSION#{file_key}#"


def _version_key(file_key: str, version: int) -> str:
    return f"{_versions(file_key)}{version:06d}"


def _version_item(record: FileRecord) -> Item:
    sk = _version_key(record.file_key, record.version)
    return {"pk": f"USER#{record.user}", "sk": sk, "doc": record.model_dump_json()}


def _object_item(record: FileRecord) -> Item:
    sk = f"OBJECT#{record.object_id}"
    return {"pk": f"USER#{record.user}", "sk": sk, "file_key": record.file_key, "version": record.version}


def _pointer_key(name: str, file_key: str = "") -> str:
    return f"NAME#{name}/{file_key}"


def _claim_item(record: FileRecord) -> Item:
    claim = NameClaim(
        name=record.name,
        raw_name=record.raw_name,
        file_key=record.file_key,
        object_id=record.object_id,
        source=record.source,
        origin=record.origin,
        version=record.version,
    )
    return {
        "pk": _space(record.user, record.session_id),
        "sk": f"NAME#{record.name}",
        "doc": claim.model_dump_json(),
        "held_by": record.object_id,
    }


def _record(item: Item) -> FileRecord:
    return FileRecord.model_validate_json(str(item["doc"]))


def _names(name: str) -> Iterator[str]:
    yield name
    for count in range(2, _MOST_NAMES):
        yield numbered(name, count)


@dataclass(frozen=True)
class DynamoFiles:
    """Implements ``ports.catalog.Files``."""

    table: Table

    def keep(self, new: NewFile) -> FileRecord:
        """Make stored bytes a file under the first name that it may have."""
        for _ in range(_TRIES):
            try:
                return self._kept(new) or self._keep(new)
            except (ConditionFailed, WriteConflict):
                pause()  # somebody took or changed the name in between: look again
        raise Unavailable(f"Too many writers at one name: {new.name}")

    def _kept(self, new: NewFile) -> FileRecord | None:
        item = self.table.get(f"USER#{new.user}", f"OBJECT#{new.object_id}")
        return self.version(new.user, str(item["file_key"]), int(item["version"])) if item else None

    def _keep(self, new: NewFile) -> FileRecord:
        for name in _names(new.name):
            claim = self._claim(new, name)
            if claim is None:
                return self._write(FileRecord(**new.model_dump() | {"name": name}, file_key=new.object_id), None)
            verdict = judge(claim, new)
            if verdict is Verdict.NEXT_NAME:
                continue
            if verdict is Verdict.SAME:
                kept = self.version(new.user, claim.file_key, claim.version)
                if kept is not None:
                    return kept
            newer = {"name": name, "file_key": claim.file_key, "version": claim.version + 1}
            return self._write(FileRecord(**new.model_dump() | newer), claim)
        raise Unavailable(f"Too many files of one name: {new.name}")

    def _claim(self, new: NewFile, name: str) -> NameClaim | None:
        item = self.table.get(_space(new.user, new.session_id), f"NAME#{name}")
        return NameClaim.model_validate_json(str(item["doc"])) if item else None

    def _write(self, record: FileRecord, over: NameClaim | None) -> FileRecord:
        claim = self.table.writes_put(_claim_item(record), absent=True)
        if over is not None:
            claim = self.table.writes_put_over(_claim_item(record), "held_by", over.object_id)
        pointer: Item = {"pk": f"USER#{record.user}", "sk": _pointer_key(record.name, record.file_key)}
        self.table.transact(
            [
                claim,
                self.table.writes_put(_record_item(record)),
                self.table.writes_put(_version_item(record)),
                self.table.writes_put(_object_item(record), absent=True),
                self.table.writes_put(pointer | {"file_key": record.file_key}),
            ],
        )
        return record

    def get(self, user: str, file_key: str) -> FileRecord | None:
        """Return the newest version of a file of this person."""
        item = self.table.get(f"USER#{user}", f"FILE#{file_key}")
        return _record(item) if item else None

    def version(self, user: str, file_key: str, version: int) -> FileRecord | None:
        """Return one version of a file."""
        item = self.table.get(f"USER#{user}", _version_key(file_key, version))
        return _record(item) if item else None

    def list(self, user: str, limit: int, cursor: str | None) -> Page[FileRecord]:
        """Return files of a person, newest first."""
        query = Query(f"USER#{user}", "FILE#", limit, from_cursor(cursor, "FILE#"), newest_first=True)
        items, last = self.table.query(query)
        return Page(items=[_record(item) for item in items], cursor=to_cursor(last))

    def of_session(self, user: str, session_id: str) -> Sequence[FileRecord]:
        """Return the files of a session, newest first."""
        claims = self.table.query_all(_space(user, session_id), "NAME#")
        keys = [NameClaim.model_validate_json(str(item["doc"])).file_key for item in claims]
        items = self.table.get_many([(f"USER#{user}", f"FILE#{key}") for key in keys])
        return sorted((_record(item) for item in items), key=lambda record: record.created_at, reverse=True)

    def named(self, user: str, session_id: str | None, name: str) -> Iterator[FileRecord]:
        """Give the files of this name: the session's, then the person's other ones, newest first."""
        seen: set[str] = set()
        for key in self._keys(user, session_id, name):
            if key not in seen and (record := self.get(user, key)):
                yield record
            seen.add(key)

    def _keys(self, user: str, session_id: str | None, name: str) -> Iterator[str]:
        item = self.table.get(_space(user, session_id), f"NAME#{name}") if session_id else None
        if item is not None:
            yield NameClaim.model_validate_json(str(item["doc"])).file_key
        wanted = Query(f"USER#{user}", _pointer_key(name), _POINTERS_AT_ONCE, newest_first=True)
        while True:
            pointers, after = self.table.query(wanted)
            yield from (str(pointer["file_key"]) for pointer in pointers)
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
                _record(item) for item in self.table.query_all(f"USER#{record.user}", _versions(record.file_key))
            ]
            keys |= dict.fromkeys(version.key for version in versions)
            try:
                self._remove(newest, versions)
            except (ConditionFailed, WriteConflict):
                continue  # a newer version came in between: it goes as well
            return list(keys)
        raise Unavailable(f"Too many writers at one file: {record.name}")

    def _remove(self, newest: FileRecord, versions: Sequence[FileRecord]) -> None:
        pk, space = f"USER#{newest.user}", _space(newest.user, newest.session_id)
        parts = [str(make(version)["sk"]) for version in versions for make in (_object_item, _version_item)]
        for part in parts[:-_MOST_AT_ONCE]:
            self.table.delete(pk, part)
        rest = [f"FILE#{newest.file_key}", _pointer_key(newest.name, newest.file_key), *parts[-_MOST_AT_ONCE:]]
        self.table.transact(
            [
                self.table.writes_delete_of(space, f"NAME#{newest.name}", "held_by", newest.object_id),
                *(self.table.writes_delete(pk, part) for part in rest),
            ],
        )

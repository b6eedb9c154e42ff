"""Defines the items that store files, and the query that lists files.

| item | key |
|---|---|
| newest version | ``USER#{user} / FILE#{file_key}``, in the bucket ``files`` of the expiry index if the file expires |
| each version | ``USER#{user} / VERSION#{file_key}#{n}`` |
| name claim (reserves a name) | ``SESSION#{session_id} / NAME#{name}``; without a session ``LIBRARY#{user} / …`` |
| pointer by name | ``USER#{user} / NAME#{name}/{file_key}`` (a name contains no slash) |
| pointer by session | ``SESSION#{session_id} / FILE#{file_key}`` |
| version by S3 object | ``USER#{user} / OBJECT#{object_id}``, so saving the same object again finds its version |
| view (a picture of the file that only models see) | ``USER#{user} / VIEW#{file_key}#{S3 key}``, with its ``size`` |
| usage | ``USER#{user} / USAGE#{shard}``: counters ``bytes`` (of all versions) and ``files`` |

A pointer contains only the file key, with which the file's record can be read.

Listing a page takes one bounded query, plus a batch read of the file records if the query returns pointers:

| filter | query | order |
|---|---|---|
| none | ``USER#{user} / FILE#`` | newest first |
| session | ``SESSION#{session_id} / FILE#``, then the records | newest first |
| name prefix | ``NAME#{prefix}`` in the user's or session's partition, then the records | by name |

The source and the category of a file have no index. A query that filters by them examines up to ``_MAX_EXAMINED`` files
(or ``limit``, if that is more). So a page may have fewer files than ``limit``, or none, even if more pages follow.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from satchel.adapters.dynamodb.items import Item, from_cursor, to_cursor
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.files import FileFilter, FileRecord, NameClaim
from satchel.domain.ids import FileKey, SessionId, UserName
from satchel.ports import Page

USAGE_PREFIX = "USAGE#"
EXPIRY_BUCKET = "files"
_USAGE_SHARDS = 8
_MAX_EXAMINED = 500


def name_partition(user: UserName, session_id: SessionId | None) -> str:
    """Return the partition key of the items that reserve file names.

    File names are unique within a session, and among the user's files without a session.
    """
    return f"SESSION#{session_id}" if session_id else f"LIBRARY#{user}"


def view_prefix(file_key: FileKey) -> str:
    """Return the prefix of the sort keys of a file's views."""
    return f"VIEW#{file_key}#"


def record_item(record: FileRecord) -> Item:
    """Return the item that stores a file's newest version."""
    item: Item = {"pk": f"USER#{record.user}", "sk": f"FILE#{record.file_key}", "doc": record.model_dump_json()}
    if record.expires_at is not None:
        item |= {"expiry_bucket": EXPIRY_BUCKET, "expires_at": record.expires_at}
    return item


def parse_record(item: Item) -> FileRecord:
    """Return the file record that an item stores."""
    return FileRecord.model_validate_json(str(item["doc"]))


def version_prefix(file_key: FileKey) -> str:
    """Return the sort key prefix that all versions of a file share."""
    return f"VERSION#{file_key}#"


def version_key(file_key: FileKey, version: int) -> str:
    """Return the sort key of one version of a file."""
    return f"{version_prefix(file_key)}{version:06d}"


def version_item(record: FileRecord) -> Item:
    """Return the item that stores one version of a file."""
    sk = version_key(record.file_key, record.version)
    return {"pk": f"USER#{record.user}", "sk": sk, "doc": record.model_dump_json()}


def object_item(record: FileRecord) -> Item:
    """Return the item that maps the id of an S3 object to its file version."""
    sk = f"OBJECT#{record.object_id}"
    return {"pk": f"USER#{record.user}", "sk": sk, "file_key": record.file_key, "version": record.version}


def pointer_key(name: str, file_key: FileKey | Literal[""] = "") -> str:
    """Return the sort key of the item that finds a file by name. Without ``file_key``, return the keys' prefix."""
    return f"NAME#{name}/{file_key}"


def pointer_items(record: FileRecord) -> Iterator[Item]:
    """Yield the items that point to a file: one by its name, and one by its session if it has a session."""
    yield {"pk": f"USER#{record.user}", "sk": pointer_key(record.name, record.file_key), "file_key": record.file_key}
    if record.session_id:
        yield {"pk": f"SESSION#{record.session_id}", "sk": f"FILE#{record.file_key}", "file_key": record.file_key}


def claim_item(record: FileRecord) -> Item:
    """Return the item that reserves a file's name. Writers replace the item only if its ``held_by`` has not changed."""
    claim = NameClaim(
        name=record.name,
        raw_name=record.raw_name,
        file_key=record.file_key,
        object_id=record.object_id,
        source=record.source,
        origin=record.origin,
        version=record.version,
        artifact_id=record.artifact_id,
        app=record.app,
        temporary=record.temporary,
        expires_at=record.expires_at,
    )
    return {
        "pk": name_partition(record.user, record.session_id),
        "sk": f"NAME#{record.name}",
        "doc": claim.model_dump_json(),
        "held_by": record.object_id,
        "file_key": record.file_key,
    }


def usage_key(user: UserName, file_key: FileKey) -> tuple[str, str]:
    """Return the key of the item whose usage counters include this file. Each user has eight such items.

    The last (random) character of the file key selects the item, so concurrent writers rarely conflict.
    """
    return f"USER#{user}", f"{USAGE_PREFIX}{ord(file_key[-1]) % _USAGE_SHARDS}"


def query_files(
    table: Table, user: UserName, file_filter: FileFilter, limit: int, cursor: str | None
) -> Page[FileRecord]:
    """Return a page of files that match the filter. Raise InvalidRequest if the cursor belongs to a different list."""
    pk = f"SESSION#{file_filter.session_id}" if file_filter.session_id else f"USER#{user}"
    prefix = f"NAME#{file_filter.name_prefix}" if file_filter.name_prefix else "FILE#"
    examined = max(limit, _MAX_EXAMINED) if file_filter.needs_records else limit
    query = Query(pk, prefix, examined, from_cursor(cursor, prefix), newest_first=not file_filter.name_prefix)
    items, after = table.query(query)
    are_pointers = file_filter.session_id is not None or file_filter.name_prefix != ""
    records = _resolve_pointers(table, user, items) if are_pointers else map(parse_record, items)
    pairs = [(str(item["sk"]), record) for item, record in zip(items, records, strict=True) if record]
    matches = [(sk, record) for sk, record in pairs if file_filter.matches(record)]
    last = matches[limit - 1][0] if len(matches) > limit else after
    return Page(items=[record for _, record in matches[:limit]], cursor=to_cursor(last))


def _resolve_pointers(table: Table, user: UserName, pointers: Sequence[Item]) -> list[FileRecord | None]:
    """Read the file record for each pointer item. The record is None if the file has been deleted."""
    keys = [FileKey(str(pointer["file_key"])) for pointer in pointers]
    items = table.get_many([(f"USER#{user}", f"FILE#{key}") for key in keys])
    records = {record.file_key: record for record in map(parse_record, items)}
    return [records.get(key) for key in keys]

"""What files are kept as.

| item | key |
|---|---|
| newest version | ``USER#{user} / FILE#{file_key}`` (with ``expiry_bucket`` and ``expires_at`` where it expires) |
| every version | ``USER#{user} / VERSION#{file_key}#{n}`` |
| name in a session | ``SESSION#{sid} / NAME#{name}``; without a session ``LIBRARY#{user} / NAME#{name}`` |
| name among all files | ``USER#{user} / NAME#{name}/{file_key}`` (no name has a slash in it) |
| place in a session | ``SESSION#{sid} / FILE#{file_key}`` |
| version of an object | ``USER#{user} / OBJECT#{object_id}``, so that keeping it again finds it whatever came after |
| usage | ``USER#{user} / USAGE#{shard}``: ``bytes`` of all versions and ``files`` |

Pages of files: one bounded Query, and the records that it points to, whatever the number of files.

| asked | Query | order |
|---|---|---|
| nothing more | ``USER#{user} / FILE#`` | newest first |
| a session | ``SESSION#{sid} / FILE#``, then their records | newest first |
| a beginning of names | ``NAME#{prefix}`` of either partition, then their records | by name |

Source and category are looked for in the records: a page looks at ``_LOOKED_AT`` of them at most, so it may hold fewer
files than were asked for, or none, while more pages follow.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from satchel.adapters.dynamodb.items import Item, from_cursor, to_cursor
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.files import FileFilter, FileRecord, NameClaim
from satchel.domain.ids import FileKey, SessionId, UserName
from satchel.ports import Page

USAGE = "USAGE#"
EXPIRING = "files"
# Writers at one counter get into each other's way; the last character of a key is as good as random.
_SHARDS = 8


def space(user: UserName, session_id: SessionId | None) -> str:
    """Return where a name is unique: within its session; files without one share the person's library."""
    return f"SESSION#{session_id}" if session_id else f"LIBRARY#{user}"


def record_item(record: FileRecord) -> Item:
    """Return the newest version."""
    item: Item = {"pk": f"USER#{record.user}", "sk": f"FILE#{record.file_key}", "doc": record.model_dump_json()}
    if record.expires_at is not None:
        item |= {"expiry_bucket": EXPIRING, "expires_at": record.expires_at}
    return item


def record_of(item: Item) -> FileRecord:
    """Return what an item of a version says."""
    return FileRecord.model_validate_json(str(item["doc"]))


def versions_of(file_key: FileKey) -> str:
    """Return what the keys of all versions begin with."""
    return f"VERSION#{file_key}#"


def version_key(file_key: FileKey, version: int) -> str:
    """Return where a version is."""
    return f"{versions_of(file_key)}{version:06d}"


def version_item(record: FileRecord) -> Item:
    """Return a version."""
    sk = version_key(record.file_key, record.version)
    return {"pk": f"USER#{record.user}", "sk": sk, "doc": record.model_dump_json()}


def object_item(record: FileRecord) -> Item:
    """Return which version an object is."""
    sk = f"OBJECT#{record.object_id}"
    return {"pk": f"USER#{record.user}", "sk": sk, "file_key": record.file_key, "version": record.version}


def pointer_key(name: str, file_key: FileKey | Literal[""] = "") -> str:
    """Return where the files of a name are found."""
    return f"NAME#{name}/{file_key}"


def pointer_items(record: FileRecord) -> Iterator[Item]:
    """Give the ways by which a file is found among all of its owner's and among its session's."""
    yield {
        "pk": f"USER#{record.user}",
        "sk": pointer_key(record.name, record.file_key),
        "file_key": record.file_key,
    }
    if record.session_id:
        yield {"pk": f"SESSION#{record.session_id}", "sk": f"FILE#{record.file_key}", "file_key": record.file_key}


def claim_item(record: FileRecord) -> Item:
    """Return who holds a name."""
    claim = NameClaim(
        name=record.name,
        raw_name=record.raw_name,
        file_key=record.file_key,
        object_id=record.object_id,
        source=record.source,
        origin=record.origin,
        version=record.version,
        is_transient=record.is_transient,
    )
    return {
        "pk": space(record.user, record.session_id),
        "sk": f"NAME#{record.name}",
        "doc": claim.model_dump_json(),
        "held_by": record.object_id,
        "file_key": record.file_key,
    }


def usage_key(user: UserName, file_key: FileKey) -> tuple[str, str]:
    """Return the counter that a file is counted on; what a person uses is the sum of all of them."""
    return f"USER#{user}", f"{USAGE}{ord(file_key[-1]) % _SHARDS}"


_LOOKED_AT = 500


def page_of_files(table: Table, user: UserName, wanted: FileFilter, limit: int, cursor: str | None) -> Page[FileRecord]:
    """Return a page of the files that are meant. Raises InvalidRequest for a cursor that this list did not give."""
    pk = f"SESSION#{wanted.session_id}" if wanted.session_id else f"USER#{user}"
    prefix = f"NAME#{wanted.name_prefix}" if wanted.name_prefix else "FILE#"
    many = max(limit, _LOOKED_AT) if wanted.narrows else limit
    query = Query(pk, prefix, many, from_cursor(cursor, prefix), newest_first=not wanted.name_prefix)
    items, after = table.query(query)
    pointing = wanted.session_id is not None or wanted.name_prefix != ""
    records = _pointed_to(table, user, items) if pointing else map(record_of, items)
    found = [(str(item["sk"]), each) for item, each in zip(items, records, strict=True) if each and wanted.fits(each)]
    last = found[limit - 1][0] if len(found) > limit else after
    return Page(items=[record for _, record in found[:limit]], cursor=to_cursor(last))


def _pointed_to(table: Table, user: UserName, items: Sequence[Item]) -> list[FileRecord | None]:
    """Return the records of these pointers; None where one went in between."""
    keys = [FileKey(str(item["file_key"])) for item in items]
    records = map(record_of, table.get_many([(f"USER#{user}", f"FILE#{key}") for key in keys]))
    found = {record.file_key: record for record in records}
    return [found.get(key) for key in keys]

"""Pages of files: one bounded Query, and the records that it points to, whatever the number of files.

| asked | Query | order |
|---|---|---|
| nothing more | ``USER#{user} / FILE#`` | newest first |
| a session | ``SESSION#{sid} / FILE#``, then their records | newest first |
| a beginning of names | ``NAME#{prefix}`` of either partition, then their records | by name |

Source and category are looked for in the records: a page looks at ``_LOOKED_AT`` of them at most, so it may hold fewer
files than were asked for, or none, while more pages follow.
"""

from collections.abc import Sequence

from satchel.adapters.dynamodb.cursors import from_cursor, to_cursor
from satchel.adapters.dynamodb.file_items import record_of
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.files import FileRecord
from satchel.domain.my_files import FileFilter
from satchel.ports.catalog import Page

_LOOKED_AT = 500


def page_of_files(table: Table, user: str, wanted: FileFilter, limit: int, cursor: str | None) -> Page[FileRecord]:
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


def _pointed_to(table: Table, user: str, items: Sequence[Item]) -> list[FileRecord | None]:
    """Return the records of these pointers; None where one went in between."""
    keys = [str(item["file_key"]) for item in items]
    records = map(record_of, table.get_many([(f"USER#{user}", f"FILE#{key}") for key in keys]))
    found = {record.file_key: record for record in records}
    return [found.get(key) for key in keys]

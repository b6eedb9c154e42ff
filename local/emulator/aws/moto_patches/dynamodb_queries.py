"""Make a query of a moto DynamoDB table read one partition instead of the whole table.

Patches ``Table.query`` and ``Table.all_items``. Unpatched moto sorts all items of a table and compares each item with
the requested partition key, so every query slows down as the table grows. Without the patch, the integration tests of
chat turns take twice the CPU time. moto does not store indexes, so a query of a secondary index still reads all items.
For such a query, the patch drops the items with other index keys before moto sorts and compares the items.
"""

import threading
from functools import cache
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from local.emulator.aws.moto_patches.patching import original, replace

_query = original(Table, "query")
_all_items = original(Table, "all_items")
_current_query = threading.local()


@cache
def install() -> None:
    """Patch moto so that a DynamoDB query reads one partition instead of the whole table."""
    replace(Table, "query", _query_partition)
    replace(Table, "all_items", _items)


def _query_partition(
    self: Table,
    hash_key: DynamoType | None,
    range_comparison: str | None,
    range_objs: list[DynamoType],
    limit: int,
    exclusive_start_key: dict[str, Any],
    scan_index_forward: bool,  # noqa: FBT001  (moto's signature)
    projection_expressions: list[list[str]] | None,
    index_name: str | None = None,
    *more: object,
    **named: object,
) -> tuple[list[Item], int, dict[str, Any] | None]:
    _current_query.partition = hash_key if index_name is None else None
    _current_query.index_keys = named.get("hash_key_conditions") if index_name else None
    arguments = (hash_key, range_comparison, range_objs, limit, exclusive_start_key, scan_index_forward)
    try:
        result: tuple[list[Item], int, dict[str, Any] | None]
        result = _query(self, *arguments, projection_expressions, index_name, *more, **named)
        return result
    finally:
        _current_query.partition = _current_query.index_keys = None


def _items(self: Table) -> list[Item]:
    """Return the items that can match this thread's current query. Return all items if no query is running."""
    partition_key: DynamoType | None = getattr(_current_query, "partition", None)
    index_keys: list[tuple[str, DynamoType]] | None = getattr(_current_query, "index_keys", None)
    if index_keys and self.range_key_attr:
        return [item for items in self.items.values() for item in items.values() if _has_keys(item, index_keys)]
    if partition_key is None or not self.range_key_attr:
        all_items: list[Item] = _all_items(self)
        return all_items
    partition: dict[DynamoType, Item] = self.items.get(partition_key, {})
    return list(partition.values())


def _has_keys(item: Item, keys: list[tuple[str, DynamoType]]) -> bool:
    may_have = getattr(item, "may_have", None)  # of an item whose attributes are in the data folder
    if may_have and not all(may_have(value.value) for _, value in keys):
        return False
    return all(name in item.attrs and item.attrs[name].value == value.value for name, value in keys)

"""A query looks at its own partition, not at the whole table.

Patches ``Table.query`` and ``Table.all_items``. moto sorts all items of a table and compares each with the partition
that was asked for, so that every query takes longer with all that anybody has written. For one of an index, which moto
does not keep, each item is still passed by, but neither sorted nor compared.
"""

import threading
from functools import cache
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from local.emulator.aws.moto_patches.patching import original, replace

_query = original(Table, "query")
_all_items = original(Table, "all_items")
_asked = threading.local()


@cache
def install() -> None:
    """Patch moto."""
    replace(Table, "query", _query_partition)
    replace(Table, "all_items", _items)


def _query_partition(
    self: Table,
    hash_key: DynamoType | None,
    range_comparison: str | None,
    range_objs: list[DynamoType],
    limit: int,
    exclusive_start_key: dict[str, Any],
    scan_index_forward: bool,  # noqa: FBT001  (moto's order of arguments)
    projection_expressions: list[list[str]] | None,
    index_name: str | None = None,
    *more: object,
    **named: object,
) -> tuple[list[Item], int, dict[str, Any] | None]:
    _asked.partition = hash_key if index_name is None else None
    _asked.index_keys = named.get("hash_key_conditions") if index_name else None
    given = (hash_key, range_comparison, range_objs, limit, exclusive_start_key, scan_index_forward)
    try:
        found: tuple[list[Item], int, dict[str, Any] | None]
        found = _query(self, *given, projection_expressions, index_name, *more, **named)
        return found
    finally:
        _asked.partition = _asked.index_keys = None


def _items(self: Table) -> list[Item]:
    partition: DynamoType | None = getattr(_asked, "partition", None)
    index_keys: list[tuple[str, DynamoType]] | None = getattr(_asked, "index_keys", None)
    if index_keys and self.range_key_attr:
        return [item for partition in self.items.values() for item in partition.values() if _has(item, index_keys)]
    if partition is None or not self.range_key_attr:
        every: list[Item] = _all_items(self)
        return every
    items: dict[DynamoType, Item] = self.items.get(partition, {})
    return list(items.values())


def _has(item: Item, keys: list[tuple[str, DynamoType]]) -> bool:
    return all(name in item.attrs and item.attrs[name].value == wanted.value for name, wanted in keys)

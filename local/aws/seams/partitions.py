"""A query looks at its own partition, not at the whole table.

Patches ``Table.query`` and ``Table.all_items``. moto sorts all items of a table and compares each with the partition
that was asked for, so that every query takes longer with all that anybody has written. Queries of an index still do.
"""

import threading
from functools import cache
from typing import Any

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from local.aws.seams.patching import original, replace

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
    given = (hash_key, range_comparison, range_objs, limit, exclusive_start_key, scan_index_forward)
    try:
        found: tuple[list[Item], int, dict[str, Any] | None]
        found = _query(self, *given, projection_expressions, index_name, *more, **named)
        return found
    finally:
        _asked.partition = None


def _items(self: Table) -> list[Item]:
    partition: DynamoType | None = getattr(_asked, "partition", None)
    if partition is None or not self.range_key_attr:
        every: list[Item] = _all_items(self)
        return every
    items: dict[DynamoType, Item] = self.items.get(partition, {})
    return list(items.values())

"""Make a query of a moto DynamoDB table read one partition instead of the whole table, and copy no items.

Patches ``Table.query`` and ``Table.all_items``. Unpatched moto sorts all items of a table and compares each item with
the requested partition key, so every query slows down as the table grows. moto also computes the size of each item of
the partition, and copies the found items. Without the patch, the integration tests of chat turns take twice the CPU
time. ``dynamodb_transactions`` ensures that a write replaces an item instead of changing it, so no copies are needed.

moto compares each value of a response with many types. The patched ``dynamo_to_dict`` begins with the most frequent
ones, so a response takes half the time.

moto does not store indexes, so a query of a secondary index still reads all items. For such a query, the patch drops
the items with other index keys before moto sorts and compares the items.
"""

import threading
from collections.abc import Sequence
from functools import cache
from operator import attrgetter, gt, lt
from typing import Any

from moto.dynamodb.comparisons import get_comparison_func
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import RESULT_SIZE_LIMIT, Table
from moto.dynamodb.models.utilities import dynamo_to_dict

from local.emulator.aws.moto_patches.patching import original, replace, replace_everywhere

_query = original(Table, "query")
_all_items = original(Table, "all_items")
_current_query = threading.local()
_SCALARS = {"S", "N", "BOOL"}
_KEY_CONDITIONS = {"hash_key_conditions", "range_key_conditions"}
_Result = tuple[list[Item], int, dict[str, Any] | None]


@cache
def install() -> None:
    """Patch moto so that a DynamoDB query reads one partition instead of the whole table."""
    replace(Table, "query", _query_partition)
    replace(Table, "all_items", _items)
    replace_everywhere("moto.dynamodb", "dynamo_to_dict", dynamo_to_dict, _to_plain)


def _query_partition(
    self: Table,
    hash_key: DynamoType | None,
    range_comparison: str | None,
    range_objs: list[DynamoType],
    limit: int | None,
    exclusive_start_key: dict[str, Any] | None,
    scan_index_forward: bool,  # noqa: FBT001  (moto's signature)
    projection_expressions: list[list[str]] | None,
    index_name: str | None = None,
    consistent_read: bool = False,  # noqa: FBT001, FBT002  (moto's signature)
    filter_expression: Any = None,  # noqa: ANN401  (moto's operation)
    **named: Any,  # noqa: ANN401  (more conditions)
) -> _Result:
    sort_key = self.range_key_attr
    if index_name is None and sort_key and self.range_key_type == "S" and named.keys() <= _KEY_CONDITIONS:
        items = _select(self.items.get(hash_key, {}), range_comparison, range_objs)
        items.sort(key=attrgetter("range_key.value"), reverse=not scan_index_forward)
        if exclusive_start_key is not None:
            items = _after(items, exclusive_start_key[sort_key]["S"], forward=scan_index_forward)
        page = items[: _page_length(items, limit)]
        last = self._get_last_evaluated_key(page[-1], None) if len(page) < len(items) else None
        found = page if filter_expression is None else [item for item in page if filter_expression.expr(item)]
        if projection_expressions:
            found = [item.project(projection_expressions) for item in found]
        return found, len(page), last
    arguments = (hash_key, range_comparison, range_objs, limit, exclusive_start_key, scan_index_forward)
    options = (projection_expressions, index_name, consistent_read, filter_expression)
    _current_query.index_keys = named.get("hash_key_conditions") if index_name else None
    try:
        result: _Result = _query(self, *arguments, *options, **named)
        return result
    finally:
        _current_query.index_keys = None


def _select(partition: dict[DynamoType, Item], comparison: str | None, operands: Sequence[DynamoType]) -> list[Item]:
    """Return the items of a partition whose sort keys, which are texts, fulfill the condition."""
    if comparison is None:
        return list(partition.values())
    fulfills, values = get_comparison_func(comparison), [operand.value for operand in operands]
    return [item for key, item in partition.items() if fulfills(key.value, *values)]


def _after(items: list[Item], start: str, *, forward: bool) -> list[Item]:
    """Return the sorted items that follow the sort key of the previous page's last item."""
    is_later = gt if forward else lt
    return [item for item in items if item.range_key and is_later(item.range_key.value, start)]


def _page_length(items: Sequence[Item], limit: int | None) -> int:
    """Return how many items the response has: at most ``limit``, and at most 1 MB."""
    size = 0
    for position, item in enumerate(items):
        size += _size(item)
        if position == limit or size > RESULT_SIZE_LIMIT:
            return position
    return len(items)


def _size(item: Item) -> int:
    """Return the size of an item, which is computed once, because a stored item never changes."""
    variables = vars(item)
    if "known_size" not in variables:
        variables["known_size"] = item.size()
    size: int = variables["known_size"]
    return size


def _items(self: Table) -> list[Item]:
    """Return the items that can match this thread's current query. Return all items if no query is running."""
    index_keys: list[tuple[str, DynamoType]] | None = getattr(_current_query, "index_keys", None)
    if index_keys and self.range_key_attr:
        return [item for items in self.items.values() for item in items.values() if _has_keys(item, index_keys)]
    all_items: list[Item] = _all_items(self)
    return all_items


def _has_keys(item: Item, keys: list[tuple[str, DynamoType]]) -> bool:
    may_have = getattr(item, "may_have", None)  # of an item whose attributes are in the data folder
    if may_have and not all(may_have(value.value) for _, value in keys):
        return False
    return all(name in item.attrs and item.attrs[name].value == value.value for name, value in keys)


def _to_plain(value: Any) -> Any:  # noqa: ANN401  (any part of a response)
    """Replace ``dynamo_to_dict``, which calls this function for the parts of a value."""
    if not isinstance(value, dict):
        return dynamo_to_dict(value)
    return {
        name: {part.type: part.value} if isinstance(part, DynamoType) and part.type in _SCALARS else _to_plain(part)
        for name, part in value.items()
    }

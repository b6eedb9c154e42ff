"""Make a query of a moto DynamoDB table read one partition instead of the whole table, and copy no items.

Patches ``Table.query`` and ``Table.all_items``. Unpatched moto sorts all items of a table and compares each item with
the requested partition key, so every query slows down as the table grows. A patched table keeps the sort keys of each
partition in order, so a query reads only what it returns, however long a session is. moto also computes the size of
each item of the partition, and copies the found items. Without the patch, the integration tests of chat turns take
twice the CPU time. ``dynamodb_transactions`` ensures that a write replaces an item instead of changing it, so no copies
are needed.

moto compares each value of a response with many types. The patched ``dynamo_to_dict`` begins with the most frequent
ones, so a response takes half the time.

moto does not store indexes, so a query of a secondary index still reads all items. For such a query, the patch drops
the items with other index keys before moto sorts and compares the items.
"""

import sys
import threading
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any, cast

from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import RESULT_SIZE_LIMIT, Table
from moto.dynamodb.models.utilities import dynamo_to_dict

from local.emulator.aws.moto_patches.patching import original, replace_everywhere
from local.emulator.aws.moto_patches.patching import replace as patch

_create = original(Table, "__init__")
_query = original(Table, "query")
_all_items = original(Table, "all_items")
_current_query = threading.local()
_TEXT = attrgetter("value")
_SCALARS = {"S", "N", "BOOL"}
_KEY_CONDITIONS = {"hash_key_conditions", "range_key_conditions"}
_Result = tuple[list[Item], int, dict[str, Any] | None]


@cache
def install() -> None:
    """Patch moto so that a DynamoDB query reads one partition instead of the whole table."""
    patch(Table, "__init__", _create_table)
    patch(Table, "query", _query_partition)
    patch(Table, "all_items", _items)
    replace_everywhere("moto.dynamodb", "dynamo_to_dict", dynamo_to_dict, _to_plain)


class Partition(dict[DynamoType, Item]):
    """The items of a partition by sort key, with the sort keys in order from the first query on.

    The sort keys must be texts.
    """

    _sorted: list[DynamoType] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (), None, None, iter(self.items())  # a copy has an order of its own

    def __setitem__(self, key: DynamoType, item: Item) -> None:
        if self._sorted is not None and key not in self:
            insort(self._sorted, key, key=_TEXT)
        super().__setitem__(key, item)

    def pop(self, key: DynamoType, *default: Any) -> Any:  # noqa: ANN401  (the signature of ``dict``)
        """Remove an item and return it."""
        if self._sorted is not None and key in self:
            del self._sorted[bisect_left(self._sorted, key.value, key=_TEXT)]
        return super().pop(key, *default)

    def between(self, bounds: "Bounds", *, forward: bool) -> Iterator[Item]:
        """Yield the items whose sort keys are within the bounds, in order or in reverse."""
        if self._sorted is None:
            self._sorted = sorted(self, key=_TEXT)
        keys = self._sorted
        first = 0 if bounds.first is None else bisect_left(keys, bounds.first, key=_TEXT)
        end = len(keys) if bounds.end is None else bisect_left(keys, bounds.end, key=_TEXT)
        positions = range(first, end)
        return (self[keys[position]] for position in (positions if forward else reversed(positions)))


@dataclass(frozen=True)
class Bounds:
    """Sort keys from ``first`` to those before ``end``. None: no bound."""

    first: str | None = None
    end: str | None = None

    @classmethod
    def of(cls, comparison: str | None, operands: Sequence[DynamoType]) -> "Bounds":
        """Return the bounds of a key condition."""
        if comparison is None:
            return cls()
        low, high = operands[0].value, operands[-1].value
        firsts = {"<": None, "<=": None, ">": _next(low)}
        prefix_end = _end_of_prefix(low)
        ends = {"=": _next(low), "BEGINS_WITH": prefix_end, "BETWEEN": _next(high), "<": low, "<=": _next(low)}
        return cls(firsts.get(comparison, low), ends.get(comparison))

    def after(self, start: str, *, forward: bool) -> "Bounds":
        """Return the bounds of what follows the last key of the previous page."""
        if forward:
            return replace(self, first=max(self.first or "", _next(start)))
        return replace(self, end=start if self.end is None else min(self.end, start))


def _next(text: str) -> str:
    """Return the smallest text that is greater. DynamoDB sorts by UTF-8 bytes, which is Python's order of texts."""
    return text + "\0"


def _end_of_prefix(prefix: str) -> str | None:
    """Return the smallest text that is greater than all that begin with the prefix, or None if there is none."""
    stripped = prefix.rstrip(chr(sys.maxunicode))
    return stripped[:-1] + chr(ord(stripped[-1]) + 1) if stripped else None


def _create_table(self: Table, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (moto's arguments)
    _create(self, *args, **kwargs)
    if self.range_key_attr and self.range_key_type == "S":
        self.items = defaultdict(Partition)


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
        bounds = Bounds.of(range_comparison, range_objs)
        if exclusive_start_key is not None:
            bounds = bounds.after(exclusive_start_key[sort_key]["S"], forward=scan_index_forward)
        partition = cast("Partition", self.items.get(hash_key, Partition()))
        page, is_last = _page(partition.between(bounds, forward=scan_index_forward), limit)
        last = None if is_last else self._get_last_evaluated_key(page[-1], None)
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


def _page(items: Iterator[Item], limit: int | None) -> tuple[list[Item], bool]:
    """Return the items of a response: at most ``limit``, and at most 1 MB. Also return True if no others follow."""
    page: list[Item] = []
    size = 0
    for item in items:
        size += _size(item)
        if len(page) == limit or size > RESULT_SIZE_LIMIT:
            return page, False
        page.append(item)
    return page, True


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

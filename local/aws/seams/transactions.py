"""Writes to a table exclude one another, and a transaction that fails takes back what it wrote, and nothing else.

Patches the writing methods of ``DynamoDBBackend`` and what its module knows as ``copy``. moto copies whole tables
before each transaction and puts the copies back when it fails: the time grows with the table, and what other threads
wrote meanwhile is lost.
"""

import copy
import threading
from collections.abc import Callable, Mapping
from functools import cache, wraps
from types import ModuleType, SimpleNamespace
from typing import Any

import moto.dynamodb.models as dynamodb
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table

from local.aws.seams.patching import original, replace

_ALONE = ("put_item", "update_item", "delete_item", "get_item", "query", "scan")
_writing = threading.RLock()
_transact = original(DynamoDBBackend, "transact_write_items")


@cache
def install() -> None:
    """Patch moto."""
    for name in _ALONE:
        replace(DynamoDBBackend, name, _one_at_a_time(original(DynamoDBBackend, name)))
    replace(DynamoDBBackend, "transact_write_items", _transact_in_place)
    _spare_tables(dynamodb)


def _spare_tables(module: ModuleType) -> None:
    def deepcopy(value: object) -> object:
        return value if isinstance(value, Table) else copy.deepcopy(value)

    replace(module, "copy", SimpleNamespace(copy=copy.copy, deepcopy=deepcopy))


def _one_at_a_time(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def write(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (whatever moto's method takes)
        with _writing:
            return method(*args, **kwargs)

    return write


def _transact_in_place(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    with _writing:
        places = [_Place(self, operation) for item in transact_items for operation in item.values()]
        try:
            _transact(self, transact_items)
        except Exception:
            for place in places:
                place.restore()
            raise


class _Place:
    """Where one operation writes, and what was there before."""

    def __init__(self, backend: DynamoDBBackend, operation: Mapping[str, Any]) -> None:
        table = backend.tables.get(operation["TableName"])
        named = operation.get("Key") or operation.get("Item") or {}
        self._items = table.items if table else {}
        self._hash = DynamoType(named[table.hash_key_attr]) if table else None
        self._range = DynamoType(named[table.range_key_attr]) if table and table.range_key_attr else None
        self._before = copy.deepcopy(self._found().get(self._range))

    def _found(self) -> Any:  # noqa: ANN401  (moto's items by range key)
        return self._items.get(self._hash, {})

    def restore(self) -> None:
        """Put back what was there."""
        if self._before is not None:
            self._items[self._hash][self._range] = self._before
        elif self._hash in self._items:
            self._items[self._hash].pop(self._range, None)

"""Isolate concurrent writes to moto's DynamoDB tables, and make a failed transaction undo only its own writes.

Patches the read and write methods of ``DynamoDBBackend``, and the name ``copy`` in ``moto.dynamodb.models``. Unpatched
moto copies whole tables before each transaction, and restores the copies if the transaction fails. The copying takes
longer as a table grows. The restoring loses the writes that other threads made during the transaction.

An update replaces the item in the table by a changed copy. So items that a request has read never change, and a failed
update leaves the item as it was. Unpatched moto changes the item itself.

A commit log can record the writes of each request before the request is answered (``set_log``). Other work that follows
from a write waits until all writes of the request have succeeded (``after_commit``).
"""

import copy
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar, Protocol

import moto.dynamodb.models as dynamodb
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from local.emulator.aws.moto_patches.patching import original, replace

_READ_METHODS = ("get_item", "query", "scan")
_WRITE_METHODS = ("put_item", "delete_item")
_lock = threading.RLock()
_transact = original(DynamoDBBackend, "transact_write_items")
_update = original(DynamoDBBackend, "update_item")


class CommitLog(Protocol):
    """Records the writes of requests. All methods are called under the lock of all tables."""

    def record(self, table: Table, old: Item | None, new: Item | None) -> None:
        """Note a write of the current request."""

    def commit(self) -> None:
        """Store the writes of the current request. Raise an error for the client, and undo them, if this fails."""

    def discard(self) -> None:
        """Forget the writes of the current request, which failed."""


class _Current:
    """The commit log, and how many patched write methods are running inside one another under the lock.

    ``actions`` are to be run after the current request. ``updated`` is the item that an update is changing, and
    ``before`` the item that it replaces.
    """

    log: CommitLog | None = None
    depth = 0
    actions: ClassVar[list[Callable[[], None]]] = []
    updated: Item | None = None
    before: Item | None = None


def set_log(log: CommitLog | None) -> None:
    """Record all later writes in ``log``, or in no log."""
    _Current.log = log


def record(table: Table, old: Item | None, new: Item | None) -> None:
    """Note a write of the current request in the commit log, if there is one."""
    if _Current.log:
        _Current.log.record(table, old, new)


def after_commit(action: Callable[[], None]) -> None:
    """Run ``action`` after the writes of the current request, still under the lock, but not if one of them fails."""
    if _Current.depth:
        _Current.actions.append(action)
    else:
        action()


@cache
def install() -> None:
    """Patch moto so that DynamoDB writes are isolated and a failed transaction undoes only its own writes."""
    for name in _READ_METHODS:
        replace(DynamoDBBackend, name, _locked(original(DynamoDBBackend, name)))
    for name in _WRITE_METHODS:
        replace(DynamoDBBackend, name, _logged(original(DynamoDBBackend, name)))
    replace(DynamoDBBackend, "update_item", _update_copy)
    replace(DynamoDBBackend, "transact_write_items", _transact_in_place)
    _stop_copying_tables(dynamodb)


def _stop_copying_tables(module: ModuleType) -> None:
    def deepcopy(value: object) -> object:
        if isinstance(value, Item) and value is _Current.updated:
            return _Current.before  # moto keeps the item as it was before the update
        return value if isinstance(value, Table) else copy.deepcopy(value)

    replace(module, "copy", SimpleNamespace(copy=copy.copy, deepcopy=deepcopy))


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (the arguments of moto's method)
        with _lock:
            return method(*args, **kwargs)

    return run


def _logged(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (the arguments of moto's method)
        with _write_request():
            return method(*args, **kwargs)

    return run


@contextmanager
def _write_request() -> Iterator[None]:
    """Hold the lock. After the outermost write method, commit its writes, or discard them if it failed."""
    with _lock:
        _Current.depth += 1
        try:
            yield
            if _Current.depth == 1:
                _commit()
        except BaseException:
            if _Current.log and _Current.depth == 1:
                _Current.log.discard()
            raise
        finally:
            _Current.depth -= 1
            if not _Current.depth:
                _Current.actions.clear()


def _commit() -> None:
    if _Current.log:
        _Current.log.commit()
    for action in _Current.actions:
        action()


def _update_copy(self: DynamoDBBackend, table_name: str, key: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (moto's arguments and item)
    table = self.tables.get(table_name)
    with _write_request():
        # Tables without sort keys are updated in place. moto refuses a key with other attributes.
        if table is None or table.range_key_attr is None or key.keys() != {table.hash_key_attr, table.range_key_attr}:
            return _update(self, table_name, key, *args, **kwargs)
        place = _ItemPlace(self, table_name, key)
        _Current.before, _Current.updated = place.item, copy.deepcopy(place.item)
        try:
            place.put(_Current.updated)
            return _update(self, table_name, key, *args, **kwargs)
        except Exception:
            # Besides its own errors, moto raises those of Python, such as ValueError for a number that is none.
            place.put(place.item)
            raise
        finally:
            _Current.before = _Current.updated = None


def _transact_in_place(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    with _write_request():
        places = [_ItemPlace.of(self, operation) for item in transact_items for operation in item.values()]
        try:
            _transact(self, transact_items)
        except Exception:
            for place in places:
                place.put(place.item)
            raise


class _ItemPlace:
    """The place of an item in a table. ``item`` is the item that was there at first, or None."""

    def __init__(self, backend: DynamoDBBackend, table_name: str, attributes: Mapping[str, Any]) -> None:
        table = backend.tables.get(table_name)
        self._items = table.items if table else {}
        self._hash_key = DynamoType(attributes[table.hash_key_attr]) if table else None
        self._range_key = DynamoType(attributes[table.range_key_attr]) if table and table.range_key_attr else None
        self.item: Item | None = self._items.get(self._hash_key, {}).get(self._range_key)

    @classmethod
    def of(cls, backend: DynamoDBBackend, operation: Mapping[str, Any]) -> "_ItemPlace":
        """Return the place of the item that an operation of a transaction writes to."""
        return cls(backend, operation["TableName"], operation.get("Key") or operation.get("Item") or {})

    def put(self, item: Item | None) -> None:
        """Put an item into the place, or remove the one that is there."""
        if item is not None:
            self._items[self._hash_key][self._range_key] = item
        elif self._hash_key in self._items:
            self._items[self._hash_key].pop(self._range_key, None)

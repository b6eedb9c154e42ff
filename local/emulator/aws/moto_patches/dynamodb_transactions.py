"""Isolate concurrent writes to moto's DynamoDB tables, and make a failed transaction undo only its own writes.

Patches the read and write methods of ``DynamoDBBackend``, and the name ``copy`` in ``moto.dynamodb.models``. Unpatched
moto copies whole tables before each transaction, and restores the copies if the transaction fails. The copying takes
longer as a table grows. The restoring loses the writes that other threads made during the transaction.

A commit log can record the writes of each request before the request is answered (``set_log``).
"""

import copy
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, wraps
from types import ModuleType, SimpleNamespace
from typing import Any, Protocol

import moto.dynamodb.models as dynamodb
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table

from local.emulator.aws.moto_patches.patching import original, replace

_READ_METHODS = ("get_item", "query", "scan")
_WRITE_METHODS = ("put_item", "update_item", "delete_item")
_lock = threading.RLock()
_transact = original(DynamoDBBackend, "transact_write_items")


class CommitLog(Protocol):
    """Records the writes of requests. All methods are called under the lock of all tables."""

    def record(self, table: Table, old: Item | None, new: Item | None) -> None:
        """Note a write of the current request."""

    def commit(self) -> None:
        """Store the writes of the current request. Raise an error for the client, and undo them, if this fails."""

    def discard(self) -> None:
        """Forget the writes of the current request, which failed."""


class _Current:
    """The commit log, and how many patched write methods are running inside one another under the lock."""

    log: CommitLog | None = None
    depth = 0


def set_log(log: CommitLog | None) -> None:
    """Record all later writes in ``log``, or in no log."""
    _Current.log = log


def record(table: Table, old: Item | None, new: Item | None) -> None:
    """Note a write of the current request in the commit log, if there is one."""
    if _Current.log:
        _Current.log.record(table, old, new)


@cache
def install() -> None:
    """Patch moto so that DynamoDB writes are isolated and a failed transaction undoes only its own writes."""
    for name in _READ_METHODS:
        replace(DynamoDBBackend, name, _locked(original(DynamoDBBackend, name)))
    for name in _WRITE_METHODS:
        replace(DynamoDBBackend, name, _logged(original(DynamoDBBackend, name)))
    replace(DynamoDBBackend, "transact_write_items", _transact_in_place)
    _stop_copying_tables(dynamodb)


def _stop_copying_tables(module: ModuleType) -> None:
    def deepcopy(value: object) -> object:
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
            if _Current.log and _Current.depth == 1:
                _Current.log.commit()
        except BaseException:
            if _Current.log and _Current.depth == 1:
                _Current.log.discard()
            raise
        finally:
            _Current.depth -= 1


def _transact_in_place(self: DynamoDBBackend, transact_items: list[dict[str, Any]]) -> None:
    with _write_request():
        backups = [_ItemBackup(self, operation) for item in transact_items for operation in item.values()]
        try:
            _transact(self, transact_items)
        except Exception:
            for backup in backups:
                backup.restore()
            raise


class _ItemBackup:
    """Backup of the item that one operation of a transaction writes to, made before the transaction starts."""

    def __init__(self, backend: DynamoDBBackend, operation: Mapping[str, Any]) -> None:
        table = backend.tables.get(operation["TableName"])
        attributes = operation.get("Key") or operation.get("Item") or {}
        self._items = table.items if table else {}
        self._hash_key = DynamoType(attributes[table.hash_key_attr]) if table else None
        self._range_key = DynamoType(attributes[table.range_key_attr]) if table and table.range_key_attr else None
        self._before = copy.deepcopy(self._partition().get(self._range_key))

    def _partition(self) -> Any:  # noqa: ANN401  (moto's items by range key)
        return self._items.get(self._hash_key, {})

    def restore(self) -> None:
        """Restore the item, or remove it if it did not exist before the transaction."""
        if self._before is not None:
            self._items[self._hash_key][self._range_key] = self._before
        elif self._hash_key in self._items:
            self._items[self._hash_key].pop(self._range_key, None)

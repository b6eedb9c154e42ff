"""Record each write to the emulated table in the data folder, and load the items at the start."""

import base64
import json
import sqlite3
import threading
from itertools import groupby
from operator import itemgetter

from moto.core.exceptions import JsonRESTError
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import Table

from local.emulator.data.folder import DataFolder, Statement, refusal

_PUT = "INSERT INTO items VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET attributes = excluded.attributes"
_SELECT_ITEM = "SELECT attributes FROM items WHERE pk = ? AND sk = ?"
_DELETE = "DELETE FROM items WHERE pk = ? AND sk = ?"
_reading = threading.Lock()  # so that no thread reads an item after another one has replaced it


class ItemLog:
    """Records the writes to the tables of moto. Implements ``dynamodb_transactions.CommitLog``.

    The patched moto calls all methods under its lock, so the database has the writes in the order of the table.
    """

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._changes: list[tuple[Table, Item | None, Item | None]] = []

    def record(self, table: Table, old: Item | None, new: Item | None) -> None:
        """Note that a write of the current request replaced ``old`` by ``new``."""
        if old is not None:
            _ = old.attrs  # a response may still need those of an item that the folder will no longer have
        self._changes.append((table, old, new))

    def discard(self) -> None:
        """Forget the writes of the current request, which failed."""
        self._changes.clear()

    def commit(self) -> None:
        """Write the changes of the current request to the database, in one transaction.

        Undo them in the table and raise JsonRESTError if this fails.
        """
        changes, self._changes = self._changes, []
        if not changes:
            return
        try:
            self._folder.write([_statement(old, new) for _, old, new in changes])
        except sqlite3.Error as error:
            for table, old, new in reversed(changes):
                _restore(table, old, new)
            raise JsonRESTError("InternalServerError", refusal(error)) from error


class StoredItem(Item):
    """An item of the data folder, whose attributes are read when they are first needed.

    Most items are never read again, so a start with many of them takes little time and memory. ``index_value`` is the
    partition key of the item in an index, or None if no index has the item.
    """

    def __init__(self, folder: DataFolder, hash_key: DynamoType, sort_key: str, index_value: str | None) -> None:
        self.hash_key = hash_key
        self.range_key = DynamoType({"S": sort_key})
        self._folder = folder
        self._index_value = index_value
        self._attributes: LimitedSizeDict | None = None

    @property
    def attrs(self) -> LimitedSizeDict:
        """Return the attributes."""
        with _reading:
            if self._attributes is None:
                self._attributes = self._read()
            return self._attributes

    @attrs.setter
    def attrs(self, attributes: LimitedSizeDict) -> None:
        """Set the attributes of a copy."""
        self._attributes = attributes

    def may_have(self, index_value: object) -> bool:
        """Return False if the partition key of the item in an index is known to be another one."""
        return self._attributes is not None or self._index_value == index_value

    def _read(self) -> LimitedSizeDict:
        [(text,)] = self._folder.read(_SELECT_ITEM, _key(self))
        attributes = LimitedSizeDict()
        # dict.update skips the check of the item's size, which takes three quarters of the time
        dict.update(attributes, {name: DynamoType(value) for name, value in json.loads(text).items()})
        return attributes


def load_items(folder: DataFolder, table: Table) -> None:
    """Put all items of the data folder into a table without items. No stream record is sent."""
    [index] = table.global_indexes
    value = f"json_extract(attributes, '$.{index.schema[0]['AttributeName']}.S')"
    rows = folder.iterate(f"SELECT pk, sk, {value} FROM items ORDER BY pk")  # noqa: S608  (fixed)
    for pk, items in groupby(rows, key=itemgetter(0)):
        hash_key = DynamoType({"S": pk})
        partition = table.items[hash_key]
        for _, sk, index_value in items:
            item = StoredItem(folder, hash_key, sk, index_value)
            partition[item.range_key] = item


def _statement(old: Item | None, new: Item | None) -> Statement:
    if new is not None:
        return _PUT, (*_key(new), json.dumps(new.to_json()["Attributes"], default=_encode_binary))
    return _DELETE, _key(old)


def _encode_binary(value: bytes) -> str:
    """Return a binary attribute as it is in a request by HTTP."""
    return base64.b64encode(value).decode()


def _key(item: Item | None) -> tuple[str, str]:
    if item is None or item.range_key is None:
        raise ValueError("a change has an item, and the table has a sort key")
    return item.hash_key.value, item.range_key.value


def _restore(table: Table, old: Item | None, new: Item | None) -> None:
    if old is not None:
        table.items[old.hash_key][old.range_key] = old
    elif new is not None:
        table.items[new.hash_key].pop(new.range_key, None)

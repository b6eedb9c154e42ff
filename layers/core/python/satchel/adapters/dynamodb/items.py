"""Items of the table: conversion to DynamoDB's format, list cursors, and texts too large for an item."""

import base64
import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from satchel.domain.errors import InvalidRequest
from satchel.domain.ids import TurnId, UserName
from satchel.domain.object_keys import text_key
from satchel.ports.storage import FileStore

Item = dict[str, str | int | bool]
Values = Mapping[str, str | int | bool]

_MAX_SORT_KEY_BYTES = 1024
_MAX_TEXT_BYTES = 64 << 20


def encode_value(value: str | int | bool) -> dict[str, Any]:  # noqa: FBT001  (a value of an item)
    """Return a value in DynamoDB's format."""
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"S": value} if isinstance(value, str) else {"N": str(value)}


def encode(item: Mapping[str, str | int | bool]) -> dict[str, Any]:
    """Return an item in DynamoDB's format."""
    return {name: encode_value(value) for name, value in item.items()}


def _decode_value(encoded: Mapping[str, Any]) -> str | int | bool:
    if "N" in encoded:
        return int(encoded["N"])
    value: str | bool = encoded["S"] if "S" in encoded else encoded["BOOL"]
    return value


def decode(encoded: Mapping[str, Any]) -> Item:
    """Return an item with plain Python values."""
    return {name: _decode_value(value) for name, value in encoded.items()}


def to_cursor(sort_key: str | None) -> str | None:
    """Return the opaque list cursor for the last sort key of a page; None on the last page."""
    return None if sort_key is None else base64.urlsafe_b64encode(sort_key.encode()).decode()


def from_cursor(cursor: str | None, prefix: str) -> str | None:
    """Return the sort key in a list cursor. Raise InvalidRequest if it does not begin with the list's ``prefix``."""
    if cursor is None:
        return None
    try:
        sort_key = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError:
        sort_key = ""
    if not sort_key.startswith(prefix) or len(sort_key.encode()) > _MAX_SORT_KEY_BYTES:
        raise InvalidRequest("The cursor does not belong to this list.", cursor=cursor[:100])
    return sort_key


@dataclass(frozen=True)
class LargeTexts:
    """Texts of items: in the item itself up to ``max_inline_bytes``, else in the bucket, with the key in the item.

    An item is limited to 400 KB, and a call's arguments may be larger. The object key contains the text's hash, so two
    writers with different texts never overwrite each other's object.
    """

    store: FileStore
    max_inline_bytes: int

    def to_attribute(self, name: str, text: str, user: UserName, turn_id: TurnId) -> tuple[str, str]:
        """Return the attribute's name and value: ``name`` and the text, or ``{name}_at`` and the key of its object.

        Writes the object of a large text.
        """
        body = text.encode()
        if len(body) <= self.max_inline_bytes:
            return name, text
        key = text_key(user, turn_id, hashlib.sha256(body).hexdigest()[:32])
        self.store.put(key, io.BytesIO(body), "application/json")
        return f"{name}_at", key

    def read(self, item: Item, name: str) -> str:
        """Return a text of an item. Raise LookupError if its object was deleted."""
        if name in item:
            return str(item[name])
        text = self.store.read(str(item[f"{name}_at"]), _MAX_TEXT_BYTES)
        if text is None:
            raise LookupError(f"the object with {name!r} of {item['pk']} / {item['sk']} was deleted")
        return text.decode()

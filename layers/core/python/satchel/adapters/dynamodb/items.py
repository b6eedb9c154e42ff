"""Converts items to and from DynamoDB's format, encodes list cursors, and moves large texts from items to S3."""

import base64
import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from satchel.domain.errors import InvalidRequest
from satchel.domain.ids import CallId, TurnId, UserName
from satchel.domain.object_keys import text_key
from satchel.ports.storage import FileStore

Item = dict[str, str | int | bool]
Values = Mapping[str, str | int | bool]

_INTEGER = re.compile(r"-?[0-9]{1,38}")  # DynamoDB stores up to 38 digits
_MAX_SORT_KEY_BYTES = 1024
_MAX_TEXT_BYTES = 64 << 20


def encode_value(value: str | int | bool) -> dict[str, Any]:  # noqa: FBT001  (items contain bool values)
    """Return a value in DynamoDB's typed format, for example ``{"N": "5"}`` for 5."""
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"S": value} if isinstance(value, str) else {"N": str(value)}


def encode(item: Mapping[str, str | int | bool]) -> dict[str, Any]:
    """Convert an item to DynamoDB's typed format, which requests need."""
    return {name: encode_value(value) for name, value in item.items()}


def decode(encoded: Mapping[str, Any]) -> Item:
    """Convert an item in a DynamoDB response to plain Python values.

    Omit attributes of types that Satchel does not write. Runners can write such items, and they must stay readable.
    """
    item: Item = {}
    for name, value in encoded.items():  # conversations have thousands, and a ``match`` takes ten times as long
        if "S" in value:
            item[name] = value["S"]
        elif "BOOL" in value:
            item[name] = value["BOOL"]
        elif "N" in value and _INTEGER.fullmatch(value["N"]):
            item[name] = int(value["N"])
    return item


def runner_partition(call_id: CallId) -> str:
    """Return the key of the partition in which the runner of a call stores its claim and events."""
    return f"RUN#{call_id}"


def to_cursor(sort_key: str | None) -> str | None:
    """Return an opaque list cursor that encodes the last sort key of a page, or None if there is no next page."""
    return None if sort_key is None else base64.urlsafe_b64encode(sort_key.encode()).decode()


def from_cursor(cursor: str | None, prefix: str) -> str | None:
    """Return the sort key that a cursor encodes. Raise InvalidRequest if the key does not begin with ``prefix``."""
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
    """Store texts in items. A text over ``max_inline_bytes`` is stored in S3, and the item holds the S3 object's key.

    DynamoDB limits an item to 400 KB, but a tool call's arguments may be larger. The object's key contains the text's
    hash, so writers with different texts never overwrite each other's object.
    """

    store: FileStore
    max_inline_bytes: int

    def to_attribute(self, name: str, text: str, user: UserName, turn_id: TurnId) -> tuple[str, str]:
        """Return the item attribute for a text: ``(name, text)``, or ``({name}_at, S3 key)`` after storing it in S3."""
        body = text.encode()
        if len(body) <= self.max_inline_bytes:
            return name, text
        key = text_key(user, turn_id, hashlib.sha256(body).hexdigest()[:32])
        self.store.put(key, io.BytesIO(body), "application/json")
        return f"{name}_at", key

    def read(self, item: Item, name: str) -> str:
        """Return a text from an item, or from S3 if it is large. Raise LookupError if its S3 object was deleted."""
        if name in item:
            return str(item[name])
        text = self.store.read(str(item[f"{name}_at"]), _MAX_TEXT_BYTES)
        if text is None:
            raise LookupError(f"the object with {name!r} of {item['pk']} / {item['sk']} was deleted")
        return text.decode()

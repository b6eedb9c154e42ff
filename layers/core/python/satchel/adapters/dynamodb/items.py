"""Items as plain values, and in the form in which DynamoDB speaks of them.

The opaque cursors of lists: the sort key after which the next page begins.

Texts of items: in the item itself while they are small, else in the bucket, where the item says.

An item of the table holds 400 KB; what a model writes into a call's arguments may be more. The key is made of the text,
so that of two who write, each finds what his item says.
"""

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


def wire_value(value: str | int | bool) -> dict[str, Any]:  # noqa: FBT001  (a table's value)
    """Return a value in the wire's form."""
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"S": value} if isinstance(value, str) else {"N": str(value)}


def encode(item: Mapping[str, str | int | bool]) -> dict[str, Any]:
    """Return an item in the wire's form."""
    return {name: wire_value(value) for name, value in item.items()}


def _plain(wire: Mapping[str, Any]) -> str | int | bool:
    if "N" in wire:
        return int(wire["N"])
    plain: str | bool = wire["S"] if "S" in wire else wire["BOOL"]
    return plain


def decode(wire: Mapping[str, Any]) -> Item:
    """Return a plain item."""
    return {name: _plain(value) for name, value in wire.items()}


_MAX_KEY_BYTES = 1024


def to_cursor(sort_key: str | None) -> str | None:
    """Make the opaque cursor of a list; None where the list ends."""
    return None if sort_key is None else base64.urlsafe_b64encode(sort_key.encode()).decode()


def from_cursor(cursor: str | None, prefix: str) -> str | None:
    """Read a cursor of a list whose sort keys begin with ``prefix``. Raises InvalidRequest for one that is not ours."""
    if cursor is None:
        return None
    try:
        sort_key = base64.b64decode(cursor, altchars=b"-_", validate=True).decode()
    except ValueError:
        sort_key = ""
    if not sort_key.startswith(prefix) or len(sort_key.encode()) > _MAX_KEY_BYTES:
        raise InvalidRequest("The cursor is not one that this list gave.", cursor=cursor[:100])
    return sort_key


_MAX_BYTES = 64 << 20


@dataclass(frozen=True)
class LargeTexts:
    """``max_inline_bytes`` is how many bytes of a text stay in an item."""

    store: FileStore
    max_inline_bytes: int

    def attribute(self, name: str, text: str, user: UserName, turn_id: TurnId) -> tuple[str, str]:
        """Return under which name an item holds a text of this turn, and what it holds; a large one is stored first."""
        body = text.encode()
        if len(body) <= self.max_inline_bytes:
            return name, text
        key = text_key(user, turn_id, hashlib.sha256(body).hexdigest()[:32])
        self.store.put(key, io.BytesIO(body), "application/json")
        return f"{name}_at", key

    def read(self, item: Item, name: str) -> str:
        """Return a text of an item. Raises LookupError where it is not in the bucket any more."""
        if name in item:
            return str(item[name])
        text = self.store.read(str(item[f"{name}_at"]), _MAX_BYTES)
        if text is None:
            raise LookupError(f"the text of {item['pk']} / {item['sk']} is gone")
        return text.decode()

"""Texts of items: in the item itself while they are small, else in the bucket, where the item says.

An item of the table holds 400 KB; what a model writes into a call's arguments may be more. The key is made of the text,
so that of two who write, each finds what his item says.
"""

import hashlib
import io
from dataclasses import dataclass

from satchel.adapters.dynamodb.items import Item
from satchel.domain.places import text_key
from satchel.ports.file_store import FileStore

_MOST_BYTES = 64 << 20


@dataclass(frozen=True)
class LargeTexts:
    """``most`` is how many bytes of a text stay in an item."""

    store: FileStore
    most: int

    def attribute(self, name: str, text: str, user: str, turn_id: str) -> tuple[str, str]:
        """Return under which name an item holds a text of this turn, and what it holds; a large one is stored first."""
        body = text.encode()
        if len(body) <= self.most:
            return name, text
        key = text_key(user, turn_id, hashlib.sha256(body).hexdigest()[:32])
        self.store.put(key, io.BytesIO(body), "application/json")
        return f"{name}_at", key

    def read(self, item: Item, name: str) -> str:
        """Return a text of an item. Raises LookupError where it is not in the bucket any more."""
        if name in item:
            return str(item[name])
        text = self.store.read(str(item[f"{name}_at"]), _MOST_BYTES)
        if text is None:
            raise LookupError(f"the text of {item['pk']} / {item['sk']} is gone")
        return text.decode()

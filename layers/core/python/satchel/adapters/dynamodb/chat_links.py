"""Stores links to conversations, with ``ttl``: the link, and a pointer to it by the digest of its secret.

| item | key |
|---|---|
| link | ``USER#{user} / CHATLINK#{link_id}`` |
| pointer | ``CHATLINK#{digest} / CHATLINK`` |
"""

from dataclasses import dataclass
from datetime import datetime

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.erasure_fence import transact_unless_erasing
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.chat_links import ChatLink
from satchel.domain.errors import RequestRunning
from satchel.domain.ids import LinkId, UserName
from satchel.ports import Page

PREFIX = "CHATLINK#"
_POINTER = "CHATLINK"


def _link_key(user: UserName, link_id: LinkId) -> tuple[str, str]:
    return f"USER#{user}", f"{PREFIX}{link_id}"


def pointer_key(link: ChatLink) -> tuple[str, str]:
    """Return the key (``pk``, ``sk``) of the item that points to a link by the digest of its secret."""
    return f"{PREFIX}{link.token_digest}", _POINTER


def _ttl(link: ChatLink) -> int:
    return int(link.expires_at.timestamp())


def _pointer(link: ChatLink) -> Item:
    pk, sk = pointer_key(link)
    return {"pk": pk, "sk": sk, "user": link.owner, "link": link.link_id, "ttl": _ttl(link)}


def parse_chat_link(item: Item) -> ChatLink:
    """Return the link that an item stores."""
    return ChatLink.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoChatLinks:
    """Store links to conversations in the table. Implements ``ports.links.ChatLinks``."""

    table: Table

    def add(self, link: ChatLink) -> None:
        pk, sk = _link_key(link.owner, link.link_id)
        stored: Item = {"pk": pk, "sk": sk, "doc": link.model_dump_json(), "ttl": _ttl(link)}
        writes = [self.table.build_put(item, if_absent=True) for item in (stored, _pointer(link))]
        transact_unless_erasing(self.table, link.owner, link.created_at, writes)

    def get(self, user: UserName, link_id: LinkId) -> ChatLink | None:
        item = self.table.get(*_link_key(user, link_id))
        return parse_chat_link(item) if item else None

    def replace(self, old: ChatLink, new: ChatLink, now: datetime) -> None:
        writes = [
            self.table.build_update(
                *_link_key(new.owner, new.link_id),
                expression="SET doc = :doc",
                condition="contains(doc, :digest)",
                values={"doc": new.model_dump_json(), "digest": old.token_digest},
            ),
            self.table.build_delete(*pointer_key(old)),
            self.table.build_put(_pointer(new), if_absent=True),
        ]
        try:
            transact_unless_erasing(self.table, new.owner, now, writes)
        except (ConditionFailed, WriteConflict) as error:
            raise RequestRunning from error

    def find(self, token_digest: str) -> ChatLink | None:
        """Return the link, or None if it was revoked or never existed.

        Only who knows the secret can ask for its digest, so the time of the answer reveals nothing to others.
        """
        pointer = self.table.get(f"{PREFIX}{token_digest}", _POINTER)
        if pointer is None:
            return None
        return self.get(UserName(str(pointer["user"])), LinkId(str(pointer["link"])))

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[ChatLink]:
        return self.table.list_page(Query(f"USER#{user}", PREFIX, limit, newest_first=True), cursor, parse_chat_link)

    def remove(self, user: UserName, link_id: LinkId) -> None:
        """Delete the link, which then no longer works, and its pointer."""
        if item := self.table.pop(*_link_key(user, link_id)):
            self.table.delete(*pointer_key(parse_chat_link(item)))

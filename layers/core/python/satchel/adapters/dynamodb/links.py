"""Stores shared links (``USER#{user} / LINK#{link_id}``, with ``ttl``), and reads what decides if a link is valid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from satchel.adapters.dynamodb.file_items import parse_record, version_key
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.sessions import parse_session, session_key
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.ids import LinkId, SessionId, UserName
from satchel.domain.links import Claims, LinkState, SharedLink
from satchel.ports import Page

PREFIX = "LINK#"
_NO_ID = "-"  # for links without a session id or link id: reading this id finds no item

_Key = tuple[str, str]


def _link_key(user: UserName, link_id: LinkId | Literal[""]) -> _Key:
    return f"USER#{user}", f"{PREFIX}{link_id}"


def _link(item: Item) -> SharedLink:
    return SharedLink.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoSharedLinks:
    """Store shared links in the table. Implements ``ports.links.SharedLinks``."""

    table: Table

    def add(self, link: SharedLink) -> None:
        pk, sk = _link_key(link.claims.owner, link.link_id)
        self.table.put({"pk": pk, "sk": sk, "doc": link.model_dump_json(), "ttl": link.claims.exp}, if_absent=True)

    def get(self, user: UserName, link_id: LinkId) -> SharedLink | None:
        item = self.table.get(*_link_key(user, link_id))
        return _link(item) if item else None

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[SharedLink]:
        return self.table.list_page(Query(f"USER#{user}", PREFIX, limit, newest_first=True), cursor, _link)

    def revoke(self, user: UserName, link_id: LinkId) -> bool:
        return self.table.pop(*_link_key(user, link_id)) is not None

    def revoke_all(self, user: UserName) -> int:
        """Revoke all shared links of the user by deleting them. Return how many were deleted."""
        deleted = 0
        while True:
            items, after = self.table.query(Query(f"USER#{user}", PREFIX))
            deleted += sum(self.table.pop(str(item["pk"]), str(item["sk"])) is not None for item in items)
            if after is None:
                return deleted


@dataclass(frozen=True)
class DynamoLinkStates:
    """Read the items that decide if a link is valid. Implements ``ports.links.LinkStates``.

    Always reads three items for each link, even if one is not needed, so that timing reveals nothing about links.
    """

    table: Table

    def get_many(self, claims: Sequence[Claims]) -> list[LinkState]:
        keys_of_links = [_keys(each) for each in claims]
        unique_keys = list(dict.fromkeys(key for keys in keys_of_links for key in keys))
        items = {(str(item["pk"]), str(item["sk"])): item for item in self.table.get_many(unique_keys)}
        return [_link_state(*(items.get(key) for key in keys)) for keys in keys_of_links]


def _keys(claims: Claims) -> tuple[_Key, _Key, _Key]:
    """Return the keys of the items that decide if a link is valid: its file version, session and shared link."""
    return (
        (f"USER#{claims.owner}", version_key(claims.file_key, claims.version)),
        session_key(claims.owner, claims.session_id or SessionId(_NO_ID)),
        _link_key(claims.owner, claims.link_id or LinkId(_NO_ID)),
    )


def _link_state(version: Item | None, session: Item | None, link: Item | None) -> LinkState:
    return LinkState(
        file=parse_record(version) if version else None,
        session=parse_session(session) if session else None,
        link=_link(link) if link else None,
    )

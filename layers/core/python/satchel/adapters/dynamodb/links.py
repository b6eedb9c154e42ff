"""Shared links: ``USER#{user} / LINK#{link_id}``, with a ``ttl``; and what any link rests on, in one request."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from satchel.adapters.dynamodb.file_items import record_of, version_key
from satchel.adapters.dynamodb.items import Item, from_cursor, to_cursor
from satchel.adapters.dynamodb.sessions import session_key, session_of
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.ids import LinkId, SessionId, UserName
from satchel.domain.links import Claims, LinkState, SharedLink
from satchel.ports import Page

PREFIX = "LINK#"
_NONE = "-"  # no id of ours: read in the place of what a link does not have

_Place = tuple[str, str]


def _link_key(user: UserName, link_id: LinkId | Literal[""]) -> _Place:
    return f"USER#{user}", f"{PREFIX}{link_id}"


def _link_of(item: Item) -> SharedLink:
    return SharedLink.model_validate_json(str(item["doc"]))


@dataclass(frozen=True)
class DynamoSharedLinks:
    """Implements ``ports.links.SharedLinks``."""

    table: Table

    def add(self, link: SharedLink) -> None:
        """Write a new one."""
        pk, sk = _link_key(link.claims.owner, link.link_id)
        self.table.put({"pk": pk, "sk": sk, "doc": link.model_dump_json(), "ttl": link.claims.exp}, absent=True)

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return them, newest first."""
        query = Query(f"USER#{user}", PREFIX, limit, from_cursor(cursor, PREFIX), newest_first=True)
        items, last = self.table.query(query)
        return Page(items=[_link_of(item) for item in items], cursor=to_cursor(last))

    def revoke(self, user: UserName, link_id: LinkId) -> bool:
        """Remove one."""
        return self.table.take(*_link_key(user, link_id)) is not None

    def revoke_all(self, user: UserName) -> int:
        """Remove all, a page at a time."""
        gone = 0
        while True:
            items, after = self.table.query(Query(f"USER#{user}", PREFIX))
            gone += sum(self.table.take(str(item["pk"]), str(item["sk"])) is not None for item in items)
            if after is None:
                return gone


@dataclass(frozen=True)
class DynamoLinkStates:
    """Implements ``ports.links.LinkStates``: always three places for a link, there or not."""

    table: Table

    def look(self, claims: Sequence[Claims]) -> list[LinkState]:
        """Return what there is of each."""
        places = [_places(each) for each in claims]
        wanted = list(dict.fromkeys(place for three in places for place in three))
        found = {(str(item["pk"]), str(item["sk"])): item for item in self.table.get_many(wanted)}
        return [_standing(*(found.get(place) for place in three)) for three in places]


def _places(claims: Claims) -> tuple[_Place, _Place, _Place]:
    return (
        (f"USER#{claims.owner}", version_key(claims.file_key, claims.version)),
        session_key(claims.owner, claims.session_id or SessionId(_NONE)),
        _link_key(claims.owner, claims.link_id or LinkId(_NONE)),
    )


def _standing(version: Item | None, session: Item | None, link: Item | None) -> LinkState:
    return LinkState(
        file=record_of(version) if version else None,
        session=session_of(session) if session else None,
        link=_link_of(link) if link else None,
    )

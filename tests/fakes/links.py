"""Shared links, and what any link rests on, in memory."""

from collections.abc import Sequence

from satchel.domain.links import Claims, LinkState, SharedLink
from satchel.ports import Page
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from tests.fakes.pages import page_of


class FakeSharedLinks:
    """Implements ``ports.links.SharedLinks``; keeps JSON, as the table does."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def add(self, link: SharedLink) -> None:
        self.kept[link.claims.owner, link.link_id] = link.model_dump_json()

    def get(self, user: str, link_id: str) -> SharedLink | None:
        text = self.kept.get((user, link_id))
        return SharedLink.model_validate_json(text) if text else None

    def list(self, user: str, limit: int, cursor: str | None) -> Page[SharedLink]:
        mine = sorted(((link_id, text) for (owner, link_id), text in self.kept.items() if owner == user), reverse=True)
        page = page_of(mine, limit, cursor)
        return Page(items=[SharedLink.model_validate_json(text) for text in page.items], cursor=page.cursor)

    def revoke(self, user: str, link_id: str) -> bool:
        return self.kept.pop((user, link_id), None) is not None

    def revoke_all(self, user: str) -> int:
        mine = [link_id for owner, link_id in self.kept if owner == user]
        return sum(self.revoke(user, link_id) for link_id in mine)


class FakeLinkStates:
    """Implements ``ports.links.LinkStates``. ``looks`` counts how often it was asked."""

    def __init__(self, files: Files, sessions: Sessions, links: FakeSharedLinks) -> None:
        self._files = files
        self._sessions = sessions
        self._links = links
        self.looks = 0

    def look(self, claims: Sequence[Claims]) -> list[LinkState]:
        self.looks += 1
        return [
            LinkState(
                file=self._files.version(each.owner, each.file_key, each.version),
                session=self._sessions.get(each.owner, each.session_id),
                link=self._links.get(each.owner, each.link_id),
            )
            for each in claims
        ]

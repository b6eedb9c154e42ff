"""Shared links, and what any link rests on, in memory.

A signer that nobody can fool: it knows the tokens that it made.
"""

from collections.abc import Sequence

from satchel.domain.links import Audience, CanvasClaims, Claims, EraseClaims, LinkState, SharedLink
from satchel.ports import Page
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from tests.fakes.pages import page_of


class FakeSharedLinks:
    """Implements ``ports.links.SharedLinks``; keeps JSON, as the table does."""

    def __init__(self) -> None:
        self.stored: dict[tuple[str, str], str] = {}

    def add(self, link: SharedLink) -> None:
        self.stored[link.claims.owner, link.link_id] = link.model_dump_json()

    def get(self, user: str, link_id: str) -> SharedLink | None:
        text = self.stored.get((user, link_id))
        return SharedLink.model_validate_json(text) if text else None

    def list(self, user: str, limit: int, cursor: str | None) -> Page[SharedLink]:
        mine = sorted(
            ((link_id, text) for (owner, link_id), text in self.stored.items() if owner == user), reverse=True
        )
        page = page_of(mine, limit, cursor)
        return Page(items=[SharedLink.model_validate_json(text) for text in page.items], cursor=page.cursor)

    def revoke(self, user: str, link_id: str) -> bool:
        return self.stored.pop((user, link_id), None) is not None

    def revoke_all(self, user: str) -> int:
        mine = [link_id for owner, link_id in self.stored if owner == user]
        return sum(self.revoke(user, link_id) for link_id in mine)


class FakeLinkStates:
    """Implements ``ports.links.LinkStates``. ``looks`` counts how often it was asked."""

    def __init__(self, files: Files, sessions: Sessions, links: FakeSharedLinks) -> None:
        self._files = files
        self._sessions = sessions
        self._links = links
        self.reads = 0

    def get_many(self, claims: Sequence[Claims]) -> list[LinkState]:
        self.reads += 1
        return [
            LinkState(
                file=self._files.get_version(each.owner, each.file_key, each.version),
                session=self._sessions.get(each.owner, each.session_id),
                link=self._links.get(each.owner, each.link_id),
            )
            for each in claims
        ]


AnyClaims = Claims | CanvasClaims | EraseClaims


class FakeSigner:
    """Implements ``ports.signer.Signer``."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._made: dict[str, AnyClaims] = {}

    def sign(self, claims: AnyClaims) -> str:
        token = f"token-{len(self._made) + 1}"
        self._made[token] = claims
        return token

    def verify(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        claims = self._made.get(token)
        if not isinstance(claims, Claims) or claims.audience not in audiences:
            return None
        return None if claims.exp <= self._clock.now().timestamp() else claims

    def verify_confirmation(self, token: str) -> EraseClaims | None:
        claims = self._made.get(token)
        if not isinstance(claims, EraseClaims):
            return None
        return None if claims.exp <= self._clock.now().timestamp() else claims

    def claims_of(self, token: str | None) -> AnyClaims:
        """Return what any token of ours says, good for something or not."""
        return self._made[token or ""]

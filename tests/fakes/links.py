"""In-memory shared links and link states, and signers that store their tokens."""

from collections.abc import Sequence
from datetime import datetime

from satchel.domain.chat_links import ChatLink
from satchel.domain.dashboard_tokens import DashboardClaims, PublicKey
from satchel.domain.errors import RequestRunning
from satchel.domain.ids import SessionId
from satchel.domain.links import Audience, Claims, EraseClaims, LinkState, SharedLink
from satchel.ports import Page
from satchel.ports.files import Files
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from tests.fakes.pages import page_of


class FakeSharedLinks:
    """Implements ``ports.links.SharedLinks``. Stores JSON, as the table does."""

    def __init__(self) -> None:
        self.stored: dict[tuple[str, str], str] = {}

    def add(self, link: SharedLink) -> None:
        self.stored[link.claims.owner, link.link_id] = link.model_dump_json()

    def get(self, user: str, link_id: str) -> SharedLink | None:
        text = self.stored.get((user, link_id))
        return SharedLink.model_validate_json(text) if text else None

    def list(self, user: str, limit: int, cursor: str | None) -> Page[SharedLink]:
        texts = sorted(
            ((link_id, text) for (owner, link_id), text in self.stored.items() if owner == user), reverse=True
        )
        page = page_of(texts, limit, cursor)
        return Page(items=[SharedLink.model_validate_json(text) for text in page.items], cursor=page.cursor)

    def revoke(self, user: str, link_id: str) -> bool:
        return self.stored.pop((user, link_id), None) is not None

    def revoke_all(self, user: str) -> int:
        link_ids = [link_id for owner, link_id in self.stored if owner == user]
        return sum(self.revoke(user, link_id) for link_id in link_ids)


class FakeChatLinks:
    """Implements ``ports.links.ChatLinks``. Stores JSON, as the table does."""

    def __init__(self) -> None:
        self.stored: dict[str, str] = {}

    def add(self, link: ChatLink) -> None:
        self.stored[link.link_id] = link.model_dump_json()

    def get(self, user: str, link_id: str) -> ChatLink | None:
        return next((link for link in self._all() if (link.owner, link.link_id) == (user, link_id)), None)

    def replace(self, old: ChatLink, new: ChatLink, now: datetime) -> None:  # noqa: ARG002  (the port's)
        stored = self.get(new.owner, new.link_id)
        if stored is None or stored.token_digest != old.token_digest:
            raise RequestRunning
        self.add(new)

    def find(self, token_digest: str) -> ChatLink | None:
        return next((link for link in self._all() if link.token_digest == token_digest), None)

    def list(self, user: str, limit: int, cursor: str | None) -> Page[ChatLink]:
        links = sorted(((link.link_id, link) for link in self._all() if link.owner == user), reverse=True)
        return page_of(links, limit, cursor)

    def remove(self, user: str, link_id: str) -> None:
        if any(link.owner == user for link in self._all() if link.link_id == link_id):
            del self.stored[link_id]

    def _all(self) -> Sequence[ChatLink]:
        return [ChatLink.model_validate_json(text) for text in self.stored.values()]


class FakeLinkStates:
    """Implements ``ports.links.LinkStates``. ``reads`` counts the calls."""

    def __init__(self, files: Files, sessions: Sessions, links: FakeSharedLinks) -> None:
        self._files = files
        self._sessions = sessions
        self._links = links
        self.reads = 0

    def get_many(self, claims: Sequence[Claims]) -> list[LinkState]:
        self.reads += 1
        return [
            LinkState(
                file=self._files.get_version(link_claims.owner, link_claims.file_key, link_claims.version),
                session=self._sessions.get(link_claims.owner, SessionId(link_claims.session_id)),
                link=self._links.get(link_claims.owner, link_claims.link_id),
            )
            for link_claims in claims
        ]


AnyClaims = Claims | EraseClaims


class FakeSigner:
    """Implements ``ports.links.Signer``."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._claims: dict[str, AnyClaims] = {}

    def sign(self, claims: AnyClaims) -> str:
        token = f"token-{len(self._claims) + 1}"
        self._claims[token] = claims
        return token

    def verify(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        claims = self._claims.get(token)
        if not isinstance(claims, Claims) or claims.audience not in audiences:
            return None
        return None if claims.exp <= self._clock.now().timestamp() else claims

    def verify_confirmation(self, token: str) -> EraseClaims | None:
        claims = self._claims.get(token)
        if not isinstance(claims, EraseClaims):
            return None
        return None if claims.exp <= self._clock.now().timestamp() else claims


class FakeDashboardSigner:
    """Implements ``ports.links.DashboardSigner``. ``claims`` has the claims of each token."""

    def __init__(self) -> None:
        self.claims: dict[str | None, DashboardClaims] = {}

    def sign(self, claims: DashboardClaims) -> str:
        token = f"dashboard-token-{len(self.claims) + 1}"
        self.claims[token] = claims
        return token

    def public_keys(self) -> list[PublicKey]:
        return [PublicKey(kid="one", x="x", y="y")]

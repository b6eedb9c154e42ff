"""Share a conversation read-only by a link: create, list and revoke links, and read a conversation by its link.

A link shows the turns that had begun when it was created. It shows messages, answers, which tools ran and the names of
the files, but no arguments, results, apps or dashboards, because their owner may not know what these contain.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.branches import After, turns_of_branch
from satchel.domain.chat_links import TOKEN_BYTES, ChatLink, digest_token, new_token
from satchel.domain.errors import ChatLinkNotFound, SessionEnded, SharedLinkNotFound, TurnNotFound
from satchel.domain.ids import IdBody, LinkId, SessionId, TurnId, new_id_body
from satchel.domain.links import LINK_ID_KIND
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Session, SessionStatus, Turn
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.links import ChatLinks
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from satchel.ports.turns import Turns
from satchel.services.sessions.sessions import ReadSessions
from satchel.services.turns.read_turn import ReadTurn

MAX_PAGE_BYTES = 2_500_000
"""A page has fewer turns than its limit if they are larger together. Lambda's response has at most 6 MB."""

_PARALLEL_READS = 8
_PAGE_SIZE = 100


@dataclass(frozen=True)
class ShareChat:
    """Create links to a user's own conversations."""

    read_session: ReadSessions
    links: ChatLinks
    clock: Clock
    entropy: Callable[[int], bytes]
    public_url: str

    def __call__(
        self,
        who: Identity,
        session_id: SessionId,
        seconds: int,
        *,
        with_files: bool,
        last: TurnId | None = None,
        id_body: IdBody | None = None,
    ) -> tuple[ChatLink, str]:
        """Return the record and the URL of a link valid for ``seconds``. The URL is not stored.

        The link shows the branch with the turn ``last`` at its end (None: the latest turn), without later turns.

        The secret is in the fragment of the URL, which browsers send to no server, so it is in no log. Raise
        SessionNotFound, TurnNotFound, SessionEnded or ErasureRunning.

        If a link with this ``id_body`` has been created already, return that one as ``again`` does.
        """
        now = self.clock.now()
        link_id = LinkId(f"{LINK_ID_KIND}{id_body or new_id_body(now, self.entropy(10))}")
        if id_body and self.links.get(who.name, link_id):
            return self.again(who, link_id)
        session = self.read_session(who, session_id)
        if session.status is SessionStatus.ENDED:
            raise SessionEnded(session_id)
        token = new_token(self.entropy(TOKEN_BYTES))
        link = ChatLink(
            link_id=link_id,
            owner=who.name,
            session_id=session_id,
            epoch=session.epoch,
            with_files=with_files,
            created_at=now,
            expires_at=now + timedelta(seconds=seconds),
            token_digest=digest_token(token),
            hidden=self._hidden(session, last),
        )
        self.links.add(link)
        return link, self._url(token)

    def again(self, who: Identity, link_id: LinkId) -> tuple[ChatLink, str]:
        """Return a link that was created before, with a new secret, because the first one is not stored.

        The first secret stops working. Raise SharedLinkNotFound if the link was revoked or has expired or its session
        has ended, SessionNotFound, RequestRunning or ErasureRunning.
        """
        link, now = self.links.get(who.name, link_id), self.clock.now()
        if link is None or not link.is_valid(self.read_session(who, link.session_id), now):
            raise SharedLinkNotFound(link_id)
        token = new_token(self.entropy(TOKEN_BYTES))
        renewed = link.model_copy(update={"token_digest": digest_token(token)})
        self.links.replace(link, renewed, now)
        return renewed, self._url(token)

    def _url(self, token: str) -> str:
        return f"{self.public_url}/#share={token}"

    def _hidden(self, session: Session, last: TurnId | None) -> list[TurnId]:
        """Return the turns that are not part of the branch. Raise TurnNotFound if the session has no turn ``last``."""
        after: dict[TurnId, After] = {}
        cursor: str | None = None
        while True:
            page = self.read_session.list_turns(session, _PAGE_SIZE, cursor)
            after |= {turn.turn_id: turn.after for turn in page.items}
            if (cursor := page.cursor) is None:
                break
        if last is not None and last not in after:
            raise TurnNotFound(last)
        branch = turns_of_branch(after, last or next(reversed(after))) if after else set()
        return [turn_id for turn_id in after if turn_id not in branch]


@dataclass(frozen=True)
class ReadChatLinks:
    """List a user's links to conversations that still work."""

    links: ChatLinks
    sessions: Sessions
    clock: Clock

    def __call__(self, who: Identity, session_id: SessionId | None, limit: int, cursor: str | None) -> Page[ChatLink]:
        """Return a page of working links, newest first: to one session, or to all sessions (None)."""
        page, now = self.links.list(who.name, limit, cursor), self.clock.now()
        links = [link for link in page.items if session_id in {None, link.session_id}]
        sessions = self.sessions.get_many(who.name, {link.session_id for link in links}) if links else {}
        valid = [link for link in links if link.is_valid(sessions.get(link.session_id), now)]
        return Page(items=valid, cursor=page.cursor)


@dataclass(frozen=True)
class OpenSharedChat:
    """Read a conversation by its link, without sign-in."""

    links: ChatLinks
    sessions: Sessions
    turns: Turns
    read_turn: ReadTurn
    clock: Clock

    def __call__(
        self, token: str, limit: int, cursor: str | None
    ) -> tuple[ChatLink, Session, Page[tuple[Turn, FinalResponse]]]:
        """Return the link, its session and a page of the shared turns, oldest first, with their responses.

        Raise ChatLinkNotFound if the secret is unknown, or if the link was revoked or has expired.
        """
        link = self.links.find(digest_token(token))
        session = self.sessions.get(link.owner, link.session_id) if link else None
        if link is None or session is None or not link.is_valid(session, self.clock.now()):
            raise ChatLinkNotFound
        page = self.turns.list(link.session_id, limit, cursor)
        count = _count_fitting(page.items)
        if count < len(page.items):
            page = self.turns.list(link.session_id, count, cursor)
        shown = [turn for turn in page.items if link.shows(turn)]
        is_complete = bool(page.items) and page.items[-1].created_at > link.created_at
        with ThreadPoolExecutor(_PARALLEL_READS) as pool:
            responses = list(pool.map(self.read_turn.describe, shown))
        cursor = None if is_complete else page.cursor
        return link, session, Page(items=list(zip(shown, responses, strict=True)), cursor=cursor)


def _count_fitting(turns: Sequence[Turn]) -> int:
    """Return how many of the first turns fit into a page. The first one always does."""
    size = 0
    for count, turn in enumerate(turns):
        size += len(turn.message.encode()) + len(turn.answer.encode())
        if count and size > MAX_PAGE_BYTES:
            return count
    return len(turns)

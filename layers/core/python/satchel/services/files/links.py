"""Make capabilities: the link by which a file can be fetched without being signed in, a dashboard's token.

Links that a person makes to last (for another device, another browser), the list of those that live, their end.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.errors import SharedLinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import CanvasId, FileKey, LinkId, SessionId, UserName, new_id
from satchel.domain.links import (
    CANVAS_SECONDS,
    KIND_OF_ID,
    UI_SECONDS,
    Audience,
    CanvasClaims,
    Claims,
    SharedLink,
    epoch_of,
    opened,
)
from satchel.domain.sessions import Session, SessionStatus
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.links import LinkStates, SharedLinks, Signer
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from satchel.services.files.read_files import ReadFiles


@dataclass(frozen=True)
class MintLinks:
    """They are made when a signed-in reader (or a tool) needs one, and never stored."""

    signer: Signer
    sessions: Sessions
    clock: Clock
    public_url: str = ""

    def __call__(self, file: FileRecord) -> str:
        """Return the address of one version of a file, for the page that the person looks at."""
        [address] = self.for_files([file])
        return address

    def for_files(self, files: Sequence[FileRecord]) -> list[str]:
        """Return the address of each, in order; their sessions are read at once."""
        sessions, until = self._sessions(files), self._in(UI_SECONDS)
        return [self._address(_claims(file, sessions, "ui", until)) for file in files]

    def for_tool(self, file: FileRecord, seconds: float) -> str:
        """Return the address with the host, for a tool whose call may last so long."""
        claims = _claims(file, self._sessions([file]), "tool", self._in(math.ceil(seconds)))
        return self.public_url + self._address(claims)

    def for_sharing(self, file: FileRecord, link_id: LinkId, until: int) -> tuple[Claims, str]:
        """Return what a link says that a record is kept of, and its address with the host."""
        claims = _claims(file, self._sessions([file]), "ui", until).model_copy(update={"link_id": link_id})
        return claims, self.public_url + self._address(claims)

    def for_canvas(self, user: UserName, session_id: SessionId, canvas_id: CanvasId) -> str | None:
        """Return the token of a dashboard; none once the session in which it was opened has ended."""
        session = self.sessions.get(user, session_id)
        if session is None or session.status is SessionStatus.ENDED:
            return None
        exp = self._in(CANVAS_SECONDS)
        claims = CanvasClaims(canvas_id=canvas_id, owner=user, session_id=session_id, epoch=session.epoch, exp=exp)
        return self.signer.sign(claims)

    def _in(self, seconds: int) -> int:
        return int(self.clock.now().timestamp()) + seconds

    def _address(self, claims: Claims) -> str:
        return f"/api/files/download/{claims.file_key}?token={self.signer.sign(claims)}"

    def _sessions(self, files: Sequence[FileRecord]) -> Mapping[str, Session]:
        """Return the sessions of files, which are one person's."""
        ids = {file.session_id for file in files if file.session_id}
        return self.sessions.some(files[0].user, ids) if ids else {}


def _claims(file: FileRecord, sessions: Mapping[str, Session], audience: Audience, until: int) -> Claims:
    return Claims(
        file_key=file.file_key,
        version=file.version,
        owner=file.user,
        session_id=file.session_id or "",
        epoch=epoch_of(sessions.get(file.session_id or "")),
        audience=audience,
        exp=until,
    )


@dataclass(frozen=True)
class ShareFile:
    """The record comes first: no token is out that nobody can revoke."""

    read: ReadFiles
    mint: MintLinks
    links: SharedLinks
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, who: Identity, file_key: FileKey, seconds: int) -> tuple[SharedLink, str]:
        """Return the link and its address, which cannot be had again. Raises FileNotFound."""
        file, now = self.read(who, file_key), self.clock.now()
        until = int((now + timedelta(seconds=seconds)).timestamp())
        if file.expires_at is not None:
            until = min(until, file.expires_at)
        link_id = LinkId(new_id(KIND_OF_ID, now, self.entropy(10)))
        claims, address = self.mint.for_sharing(file, link_id, until)
        link = SharedLink(claims=claims, name=file.name, made_at=now)
        self.links.add(link)
        return link, address


@dataclass(frozen=True)
class ReadLinks:
    """A person's shared links; those that open nothing any more are not shown."""

    links: SharedLinks
    link_states: LinkStates
    clock: Clock

    def __call__(self, who: Identity, file_key: FileKey | None, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return live links, newest first, of one file or all; a page may hold fewer while more follow."""
        now = self.clock.now()
        page = self.links.list(who.name, limit, cursor)
        link_states = self.link_states.look([link.claims for link in page.items])
        live = [
            link
            for link, standing in zip(page.items, link_states, strict=True)
            if link.expires_at > now and opened(link.claims, standing, now)
        ]
        return Page(items=[link for link in live if file_key in {None, link.claims.file_key}], cursor=page.cursor)


@dataclass(frozen=True)
class RevokeLinks:
    """What is revoked opens nothing from that moment on."""

    links: SharedLinks

    def __call__(self, who: Identity, link_id: LinkId) -> None:
        """End a link of this person. Raises SharedLinkNotFound."""
        if not self.links.revoke(who.name, link_id):
            raise SharedLinkNotFound(link_id)

    def all(self, who: Identity) -> int:
        """End all of them; return how many records went."""
        return self.links.revoke_all(who.name)

"""Create signed links to files; share, list and revoke long-lived links.

A link works without sign-in: anyone who has the URL with its token can download the file.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote

from satchel.domain.errors import SharedLinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey, IdBody, LinkId, new_id_body
from satchel.domain.links import (
    LINK_ID_KIND,
    UI_LINK_SECONDS,
    Audience,
    Claims,
    SharedLink,
    resolve_link,
    session_epoch,
)
from satchel.domain.sessions import Session
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.links import LinkStates, SharedLinks, Signer
from satchel.ports.sessions import Sessions
from satchel.ports.system import Clock
from satchel.services.files.read_files import ReadFiles


@dataclass(frozen=True)
class MintLinks:
    """Create signed links to files for a signed-in user or a tool. The links are not stored."""

    signer: Signer
    sessions: Sessions
    clock: Clock
    public_url: str = ""
    tool_url: str = ""

    def __call__(self, file: FileRecord) -> str:
        """Return the URL path, valid for five minutes, at which the user's browser can download this file version."""
        [path] = self.for_files([file])
        return path

    def for_files(self, files: Sequence[FileRecord]) -> list[str]:
        """Return the URL path for each file, in order. All files must belong to the same user."""
        sessions, until = self._sessions(files), self._in(UI_LINK_SECONDS)
        return [self._url_path(_claims(file, sessions, "ui", until)) for file in files]

    def for_tool(self, file: FileRecord, seconds: float) -> str:
        """Return the absolute URL, valid for ``seconds``, at which a tool can download the file.

        The URL ends in ``/`` and the file's name, because many tools name a file after the last part of its URL.
        Without the name, that part would contain the token.
        """
        claims = _claims(file, self._sessions([file]), "tool", self._in(math.ceil(seconds)))
        return f"{self.tool_url}{self._url_path(claims)}&name=/{quote(file.name, safe='')}"

    def for_sharing(self, file: FileRecord, link_id: LinkId, until: int) -> tuple[Claims, str]:
        """Return the claims and absolute URL of a shared link that expires at ``until`` (seconds since 1970)."""
        claims = _claims(file, self._sessions([file]), "ui", until).model_copy(update={"link_id": link_id})
        return claims, self.for_claims(claims)

    def for_claims(self, claims: Claims) -> str:
        """Return the absolute URL of a shared link with these claims. It is the URL that was returned first."""
        return self.public_url + self._url_path(claims)

    def _in(self, seconds: int) -> int:
        return int(self.clock.now().timestamp()) + seconds

    def _url_path(self, claims: Claims) -> str:
        return f"/api/files/download/{claims.file_key}?token={self.signer.sign(claims)}"

    def _sessions(self, files: Sequence[FileRecord]) -> Mapping[str, Session]:
        ids = {file.session_id for file in files if file.session_id}
        return self.sessions.get_many(files[0].user, ids) if ids else {}


def _claims(file: FileRecord, sessions: Mapping[str, Session], audience: Audience, until: int) -> Claims:
    return Claims(
        file_key=file.file_key,
        version=file.version,
        owner=file.user,
        session_id=file.session_id or "",
        epoch=session_epoch(sessions.get(file.session_id or "")),
        audience=audience,
        exp=until,
    )


@dataclass(frozen=True)
class ShareFile:
    """Create shared links. The record is written before the URL is returned, so every shared link can be revoked."""

    read: ReadFiles
    mint: MintLinks
    links: SharedLinks
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(
        self, who: Identity, file_key: FileKey, seconds: int, id_body: IdBody | None = None
    ) -> tuple[SharedLink, str]:
        """Return the record and the URL of a link valid for ``seconds``. The URL is not stored. Raise FileNotFound.

        If a link with this ``id_body`` has been created already, return that one.
        """
        if id_body and (link := self.links.get(who.name, LinkId(f"{LINK_ID_KIND}{id_body}"))):
            return link, self.mint.for_claims(link.claims)
        file, now = self.read(who, file_key), self.clock.now()
        until = int((now + timedelta(seconds=seconds)).timestamp())
        if file.expires_at is not None:
            until = min(until, file.expires_at)
        link_id = LinkId(f"{LINK_ID_KIND}{id_body or new_id_body(now, self.entropy(10))}")
        claims, url = self.mint.for_sharing(file, link_id, until)
        link = SharedLink(claims=claims, name=file.name, made_at=now)
        self.links.add(link)
        return link, url

    def again(self, who: Identity, link_id: LinkId) -> tuple[SharedLink, str]:
        """Return a link that was created before, with its URL. Raise SharedLinkNotFound if it was revoked."""
        link = self.links.get(who.name, link_id)
        if link is None:
            raise SharedLinkNotFound(link_id)
        return link, self.mint.for_claims(link.claims)


@dataclass(frozen=True)
class ReadLinks:
    """List a user's shared links that still work."""

    links: SharedLinks
    link_states: LinkStates
    clock: Clock

    def __call__(self, who: Identity, file_key: FileKey | None, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return a page of working links, newest first: to one file, or to all files if ``file_key`` is None."""
        now = self.clock.now()
        page = self.links.list(who.name, limit, cursor)
        states = self.link_states.get_many([link.claims for link in page.items])
        active = [
            link
            for link, state in zip(page.items, states, strict=True)
            if link.expires_at > now and resolve_link(link.claims, state, now)
        ]
        return Page(items=[link for link in active if file_key in {None, link.claims.file_key}], cursor=page.cursor)


@dataclass(frozen=True)
class RevokeLinks:
    """Revoke a user's shared links. They stop working immediately."""

    links: SharedLinks

    def __call__(self, who: Identity, link_id: LinkId) -> None:
        """Revoke one of the user's shared links. Raise SharedLinkNotFound."""
        if not self.links.revoke(who.name, link_id):
            raise SharedLinkNotFound(link_id)

    def all(self, who: Identity) -> int:
        """Revoke all shared links of the user and return their number."""
        return self.links.revoke_all(who.name)

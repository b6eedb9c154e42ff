"""Links that a person makes to last (for another device, another browser), the list of those that live, their end."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.errors import SharedLinkNotFound
from satchel.domain.identity import Identity
from satchel.domain.ids import new_id
from satchel.domain.links import KIND_OF_ID, SharedLink, opened
from satchel.ports.catalog import Page
from satchel.ports.clock import Clock
from satchel.ports.links import SharedLinks, Standings
from satchel.services.files.mint_links import MintLinks
from satchel.services.files.read_files import ReadFiles


@dataclass(frozen=True)
class ShareFile:
    """The record comes first: no token is out that nobody can revoke."""

    read: ReadFiles
    mint: MintLinks
    links: SharedLinks
    clock: Clock
    entropy: Callable[[int], bytes]

    def __call__(self, who: Identity, file_key: str, seconds: int) -> tuple[SharedLink, str]:
        """Return the link and its address, which cannot be had again. Raises FileNotFound."""
        file, now = self.read(who, file_key), self.clock.now()
        until = int((now + timedelta(seconds=seconds)).timestamp())
        if file.expires_at is not None:
            until = min(until, file.expires_at)
        link_id = new_id(KIND_OF_ID, now, self.entropy(10))
        claims, address = self.mint.to_last(file, link_id, until)
        link = SharedLink(claims=claims, name=file.name, made_at=now)
        self.links.add(link)
        return link, address


@dataclass(frozen=True)
class ReadLinks:
    """A person's shared links; those that open nothing any more are not shown."""

    links: SharedLinks
    standings: Standings
    clock: Clock

    def __call__(self, who: Identity, file_key: str | None, limit: int, cursor: str | None) -> Page[SharedLink]:
        """Return live links, newest first, of one file or all; a page may hold fewer while more follow."""
        now = self.clock.now()
        page = self.links.list(who.name, limit, cursor)
        standings = self.standings.look([link.claims for link in page.items])
        live = [
            link
            for link, standing in zip(page.items, standings, strict=True)
            if link.expires_at > now and opened(link.claims, standing, now)
        ]
        return Page(items=[link for link in live if file_key in {None, link.claims.file_key}], cursor=page.cursor)


@dataclass(frozen=True)
class RevokeLinks:
    """What is revoked opens nothing from that moment on."""

    links: SharedLinks

    def __call__(self, who: Identity, link_id: str) -> None:
        """End a link of this person. Raises SharedLinkNotFound."""
        if not self.links.revoke(who.name, link_id):
            raise SharedLinkNotFound(link_id)

    def all(self, who: Identity) -> int:
        """End all of them; return how many records went."""
        return self.links.revoke_all(who.name)

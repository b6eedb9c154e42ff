"""What goes over the wire about shared links."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.links import MOST_SECONDS, SharedLink


class NewLink(BaseModel):
    """How long a link is to live."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ttl_seconds": 3600}]})

    ttl_seconds: Annotated[int, Field(ge=1, le=MOST_SECONDS)] = 3600


class LinkOut(BaseModel):
    """A shared link: one version of a file, until ``expires_at`` or until it is revoked."""

    link_id: str
    file_key: str
    version: int
    name: str
    made_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, link: SharedLink) -> "LinkOut":
        """Show a link; its address is not kept."""
        return cls(
            link_id=link.link_id,
            file_key=link.claims.file_key,
            version=link.claims.version,
            name=link.name,
            made_at=link.made_at,
            expires_at=link.expires_at,
        )


class LinkMade(LinkOut):
    """A new link with its address, which is told this once: whoever has it can fetch the file."""

    url: str


class LinkPage(BaseModel):
    """Links, newest first."""

    links: list[LinkOut]
    cursor: str | None = None


class LinksRevoked(BaseModel):
    """How many links went."""

    revoked: int

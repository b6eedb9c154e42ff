"""What goes over the wire about a person and all that is kept of them."""

from datetime import datetime

from pydantic import BaseModel

from satchel.domain.erasure import Erased, Erasure
from satchel.domain.my_files import Usage


class ErasureOut(BaseModel):
    """The last time that everything was deleted: done when ``finished_at`` is set. ``erased`` counts on the way."""

    started_at: datetime
    finished_at: datetime | None
    erased: Erased

    @classmethod
    def of(cls, erasure: Erasure) -> "ErasureOut":
        """Show an erasure."""
        return cls(**erasure.model_dump(include={"started_at", "finished_at", "erased"}))


class Me(BaseModel):
    """Who is asking, how much they keep (bytes of all versions, number of files), and what was deleted."""

    user: str
    groups: list[str]
    usage: Usage
    erasure: ErasureOut | None


class ErasureAsked(BaseModel):
    """Nothing is deleted yet: say it again with ``confirm_token``. ``usage`` is what would go."""

    confirm_token: str
    expires_at: datetime
    usage: Usage

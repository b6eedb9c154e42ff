"""Who is asking, and which groups they are in.

Everything of a person is deleted: what went, and what has to be looked at once more.
"""

from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict

from satchel.domain.ids import SessionId, TurnId, UserName

DEFAULT_GROUP = "users"


class Identity(BaseModel):
    """A signed-in person. ``name`` is what tools receive as ``username``."""

    model_config = ConfigDict(frozen=True)

    name: UserName
    groups: frozenset[str] = frozenset({DEFAULT_GROUP})


LATE_WRITE_GRACE = timedelta(minutes=16)
"""So long a call that was under way may still write; its task is over after 15 minutes, whatever its runner does."""


class Erased(BaseModel):
    """How many of each went. ``versions`` are those of all files; ``events`` those of all turns."""

    files: int = 0
    versions: int = 0
    sessions: int = 0
    turns: int = 0
    events: int = 0
    links: int = 0


class InterruptedTurn(BaseModel):
    """A turn that was running: it was stopped, but what it had begun may write once more."""

    session_id: SessionId
    turn_id: TurnId


class Erasure(BaseModel):
    """An erasure that was confirmed. It is over when ``finished_at`` is set."""

    user: UserName
    started_at: datetime
    finished_at: datetime | None = None
    late: list[InterruptedTurn] = []
    erased: Erased = Erased()

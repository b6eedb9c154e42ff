"""The signed-in user, and the erasure of all data of a user."""

from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict

from satchel.domain.ids import SessionId, TurnId, UserName

DEFAULT_GROUP = "users"


class Identity(BaseModel):
    """A signed-in user. Tools receive ``name`` as ``username``."""

    model_config = ConfigDict(frozen=True)

    name: UserName
    groups: frozenset[str] = frozenset({DEFAULT_GROUP})


LATE_WRITE_GRACE = timedelta(minutes=16)
"""A stopped tool call may still write data for this time: its task runs for at most 15 minutes, plus a margin."""


class Erased(BaseModel):
    """The numbers of items that an erasure deleted. ``versions`` counts file versions, ``events`` events of turns."""

    files: int = 0
    versions: int = 0
    sessions: int = 0
    turns: int = 0
    events: int = 0
    links: int = 0


class InterruptedTurn(BaseModel):
    """A turn that an erasure stopped. Its tool calls that were running may still write data for a while."""

    session_id: SessionId
    turn_id: TurnId


class Erasure(BaseModel):
    """A confirmed erasure of all of a user's data. It is complete if ``finished_at`` is set."""

    user: UserName
    started_at: datetime
    finished_at: datetime | None = None
    late: list[InterruptedTurn] = []
    erased: Erased = Erased()

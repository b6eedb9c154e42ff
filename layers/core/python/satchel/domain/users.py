"""The signed-in user, and the erasure of all of a user's data."""

from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict

from satchel.domain.ids import CallId, SessionId, TurnId, UserName

DEFAULT_GROUP = "users"


class Identity(BaseModel):
    """A signed-in user. Tools that declare a ``username`` argument get ``name`` as its value."""

    model_config = ConfigDict(frozen=True)

    name: UserName
    groups: frozenset[str] = frozenset({DEFAULT_GROUP})


class UserSettings(BaseModel):
    """The settings of a user for all of their chats: ``instructions`` for the model."""

    instructions: str | None = None


LATE_WRITE_GRACE = timedelta(minutes=16)
"""A stopped tool call may still write data for this long: its runner stops after 15 minutes; the rest is a margin."""


class Erased(BaseModel):
    """Counts of the items that an erasure deleted. ``versions`` are file versions; ``events`` are events of turns."""

    files: int = 0
    versions: int = 0
    sessions: int = 0
    turns: int = 0
    events: int = 0
    links: int = 0


class InterruptedTurn(BaseModel):
    """A turn that an erasure stopped. Tool calls that were running at that time may still write data for a while."""

    session_id: SessionId
    turn_id: TurnId
    call_ids: list[CallId] = []


class Erasure(BaseModel):
    """A confirmed erasure of all of a user's data. ``finished_at`` is None until the erasure is complete.

    ``cleared_at`` is the time at which all data was deleted. Until then, the user cannot store new data. After it, only
    late writes of the stopped turns ``late`` remain to be deleted.
    """

    user: UserName
    started_at: datetime
    cleared_at: datetime | None = None
    finished_at: datetime | None = None
    late: list[InterruptedTurn] = []
    erased: Erased = Erased()

    def refuses(self, begun_at: datetime) -> bool:
        """Return True if requests that began at this time may not store new data."""
        if self.cleared_at is None:
            return self.finished_at is None
        return begun_at < self.cleared_at

"""The stored records of sessions (conversations) and turns (a user message and its answer)."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

from satchel.domain.branches import After
from satchel.domain.conversation import ProposedCall, TokenUsage
from satchel.domain.ids import SessionId, TurnId, UserName, is_from_app
from satchel.domain.responses import ResponseArtifact, ToolCallSummary, TurnError

MAX_TEMPORARY_AGE = timedelta(days=1)
"""The age at which a temporary session is deleted."""


class SessionStatus(StrEnum):
    """The status of a session. Users can read an ended session until it is deleted, but cannot continue it."""

    ACTIVE = "active"
    ENDED = "ended"


class Session(BaseModel):
    """A conversation: its state, the user's settings for it, and its total token usage.

    Every link to the conversation's files contains the counter ``epoch``. Ending the session increments the counter, so
    that the links stop working.

    No new turn can start while ``running_turn`` is set. New turns use ``model`` (a model's name) and ``instructions``;
    None means the deployment's default. ``usage`` is the total number of tokens of all turns that have ended.

    ``user_instructions`` are the user's own for all chats, as they were when the session started. ``pinned`` and
    ``archived`` say where the list of chats shows the session.

    A ``temporary`` session is in no list and no search. It is deleted for good when it ends, at the latest after a day.

    ``waits_for_user`` is True if a tool of the running turn asks the user a question. It is not stored.

    ``deleted`` is True if the user has deleted the conversation for good. Only its cleanup reads such a record.
    """

    session_id: SessionId
    user: UserName
    title: str | None = None
    model: str | None = None
    instructions: str | None = None
    user_instructions: str | None = None
    pinned: bool = False
    archived: bool = False
    temporary: Annotated[bool, Field(exclude_if=lambda temporary: not temporary)] = False
    status: SessionStatus = SessionStatus.ACTIVE
    created_at: datetime
    last_used_at: datetime
    running_turn: TurnId | None = None
    epoch: int = 1
    ended_at: datetime | None = None
    usage: TokenUsage = TokenUsage()
    waits_for_user: bool = Field(default=False, exclude=True)
    deleted: Annotated[bool, Field(exclude_if=lambda deleted: not deleted)] = False


class SessionChanges(BaseModel):
    """The session fields that a user may set when creating or changing a session. Unset fields keep their values."""

    title: str | None = None
    model: str | None = None
    instructions: str | None = None
    pinned: bool = False
    archived: bool = False


NO_CHANGES = SessionChanges()


class TurnStatus(StrEnum):
    """The status of a turn. It is ``running`` until the turn ends. The status of an ended turn never changes."""

    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ImportedParts(BaseModel):
    """The calls and files of an imported turn, as its user describes them. No tool ran."""

    tool_calls: list[ToolCallSummary] = []
    artifacts: list[ResponseArtifact] = []


class Rating(StrEnum):
    """The user's rating of an answer."""

    UP = "up"
    DOWN = "down"


class Turn(BaseModel):
    """One user message and its answer. The model may use only ``tools`` (None: all of the user's tools).

    ``prepared`` are the calls that Satchel makes for the attached files, before the first model request.

    ``imported`` is set if the user imported the turn with a conversation: no model answered it, and no tool ran.
    ``rating`` is what the user thinks of the answer.

    ``after`` is the turn that this one follows, if it is not the one before it (see ``domain.branches``).

    ``groups`` are the user's groups when the turn started. The turn stores them, because only the API sees the user's
    sign-in token. ``model`` is the name of the turn's model. ``usage`` counts the tokens used so far.

    ``seen_at`` is set if the first round takes some seconds: then readers know that it runs without an execution.
    """

    turn_id: TurnId
    session_id: SessionId
    user: UserName
    groups: list[str]
    model: str = "offline"
    message: str
    tools: list[str] | None = None
    files: list[str] = []
    prepared: Annotated[list[ProposedCall], Field(exclude_if=lambda calls: not calls)] = []
    status: TurnStatus = TurnStatus.RUNNING
    created_at: datetime
    ended_at: datetime | None = None
    answer: str = ""
    error: TurnError | None = None
    usage: TokenUsage = TokenUsage()
    imported: Annotated[ImportedParts | None, Field(exclude_if=lambda parts: parts is None)] = None
    rating: Rating | None = None
    seen_at: datetime | None = Field(default=None, exclude=True)
    after: Annotated[After, Field(exclude_if=lambda after: after is None)] = None

    @property
    def is_from_app(self) -> bool:
        """Return True if an app started the turn. It calls the ``prepared`` tool, and asks no model."""
        return is_from_app(self.turn_id)

    @property
    def first_round(self) -> int:
        """Return the round of the first model request: 1 if round 0 has prepared calls, otherwise 0."""
        return 1 if self.prepared else 0

    @property
    def has_ended(self) -> bool:
        """Return True if the turn has ended. The answer of an ended turn never changes."""
        return self.status is not TurnStatus.RUNNING

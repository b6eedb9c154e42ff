"""A person's word before a tool is called, for the tools whose server asks for it (``require_approval``)."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.ids import CallId, TurnId

MOST_REASON_CHARS = 1_000


class Decision(BaseModel):
    """What the person said. ``arguments`` replace the model's; identity and files are injected after that."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"approved": True}]})

    approved: bool
    arguments: dict[str, Any] | None = None
    reason: Annotated[str | None, Field(max_length=MOST_REASON_CHARS)] = None


class Approval(BaseModel):
    """A call that waits for its owner. ``task_token`` lets the turn go on: it is never shown."""

    call_id: CallId
    turn_id: TurnId
    task_token: str = Field(repr=False)
    expires_at: datetime
    decision: Decision | None = None

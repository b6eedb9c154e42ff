"""What the state machine hands from state to state: ids and references only (DESIGN: the way of a turn)."""

from typing import Any

from pydantic import BaseModel

from satchel.domain.ids import CallId, SessionId, TurnId, UserName


class Failure(BaseModel):
    """What a state's catcher writes: the error's name and its cause."""

    Error: str = ""
    Cause: str = ""


class TurnStep(BaseModel):
    """A turn on its way; ``round`` counts the answers of the model."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    round: int = 0
    failure: Failure | None = None


class CallRef(BaseModel):
    """A call in the list that the Map state runs over; ``approval``: its owner must be asked first."""

    call_id: CallId
    approval: bool = False


class NextStep(TurnStep):
    """What Think answers: the calls to make, or that the turn is done."""

    calls: list[CallRef] = []
    done: bool


class CallStep(BaseModel):
    """One call on its way; ``callback`` is whatever the runner's word was, and is not read."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    call_id: CallId
    task_token: str | None = None
    callback: Any = None
    failure: Failure | None = None

"""Inputs and outputs of the states of the state machine: ids and references only."""

from pydantic import BaseModel

from satchel.domain.ids import CallId, SessionId, TurnId, UserName

MAX_ROUNDS = 99
MAX_CALLS_IN_ROUND = 40
MAX_CALLS_IN_TURN = 250
"""These limits keep an execution below Step Functions' 25,000 history events, including all retries."""

MAX_CORRECTIONS = 3
"""How many times per turn a model may correct invalid calls."""


class Failure(BaseModel):
    """The error that a state caught: its name and cause."""

    Error: str = ""
    Cause: str = ""


class TurnStep(BaseModel):
    """A running turn. ``round`` counts the model's replies, ``tries`` the previous attempts of this state."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    round: int = 0
    tries: int = 0
    failure: Failure | None = None


class CallRef(BaseModel):
    """A call in the list of the Map state. ``approval``: the user must approve it first."""

    call_id: CallId
    approval: bool = False


class NextStep(TurnStep):
    """The output of Think: the calls to make, or ``done`` for a final answer."""

    calls: list[CallRef] = []
    done: bool


class CallStep(BaseModel):
    """A running call."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    call_id: CallId
    task_token: str | None = None
    failure: Failure | None = None

"""Inputs and outputs of the state machine's states. They contain only ids and references, so they stay small."""

from pydantic import BaseModel

from satchel.domain.ids import CallId, SessionId, TurnId, UserName

MAX_ROUNDS = 99
MAX_CALLS_IN_ROUND = 40
MAX_CALLS_IN_TURN = 250
"""Maximum tool calls in a turn, so that an execution stays below Step Functions' limit of 25,000 history events."""

MAX_CORRECTIONS = 3
"""How many times in a turn the model may correct invalid tool calls."""


class Failure(BaseModel):
    """An error that the state machine caught in a state: its name and cause."""

    Error: str = ""
    Cause: str = ""


class TurnStep(BaseModel):
    """The input of states about a whole turn. ``round`` counts model replies, ``tries`` previous attempts."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    round: int = 0
    tries: int = 0
    failure: Failure | None = None


class CallRef(BaseModel):
    """A tool call for the Map state to run. With ``approval``, the user must approve the call first."""

    call_id: CallId
    approval: bool = False


class NextStep(TurnStep):
    """The output of state Think: the tool calls to run, or ``done`` if the model gave its final answer."""

    calls: list[CallRef] = []
    done: bool


class CallStep(BaseModel):
    """The input of states about one tool call."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    call_id: CallId
    task_token: str | None = None
    failure: Failure | None = None

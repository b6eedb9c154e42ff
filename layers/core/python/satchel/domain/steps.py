"""What the state machine hands from state to state: ids and references only (DESIGN: the way of a turn)."""

from pydantic import BaseModel

from satchel.domain.ids import CallId, SessionId, TurnId, UserName

MAX_ROUNDS = 99
MAX_CALLS_IN_ROUND = 40
MAX_CALLS_IN_TURN = 250
"""With these an execution stays below the 25,000 events of its history, whatever is tried again in it."""

MAX_CORRECTIONS = 3
"""So often in a turn a model is shown what was wrong with its calls, to make them again."""


class Failure(BaseModel):
    """What a state's catcher writes: the error's name and its cause."""

    Error: str = ""
    Cause: str = ""


class TurnStep(BaseModel):
    """A turn on its way; ``round`` counts the answers of the model, ``tries`` how often this state was tried before."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    round: int = 0
    tries: int = 0
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
    """One call on its way."""

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    call_id: CallId
    task_token: str | None = None
    failure: Failure | None = None

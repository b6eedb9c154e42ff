"""Inputs and outputs of the state machine's states. They contain ids instead of content, so they stay small."""

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, Field, PlainSerializer, computed_field

from satchel.domain.ids import CallId, SessionId, TurnId, UserName

FIRST_ROUND_LIMIT = timedelta(seconds=375)
"""The age at which no turn is still in its first round: a minute of waiting, the timeout of Think and some seconds."""

MAX_ROUNDS = 99
MAX_CALLS_IN_ROUND = 40
MAX_CALLS_IN_TURN = 180
"""Maximum tool calls in a turn, so that an execution stays below Step Functions' limit of 25,000 history events."""

MAX_INPUT_ROUNDS_IN_CALL = 10
MAX_INPUT_ROUNDS_IN_TURN = 30
"""How often the calls of a turn may ask the user, for the same limit."""

APPROVAL_DECIDED = "ApprovalDecided"
"""The error with which a call leaves the state Dispatch when the user has approved or denied it (state Resume)."""

INPUT_REQUIRED = "InputRequired"
"""The error with which a call leaves the state Dispatch to ask the user (state Input)."""

TOOL_ENDED = "ToolEnded"
"""The error with which a call leaves the state Dispatch if its tool ended after the function (state RecordToolResult).

A success says that the function has recorded the result. So only trusted functions may report it.
"""

MAX_POLLS_IN_TURN = 250
"""How often the calls of a turn may poll the tasks of their servers, for the same limit. One task gets 19 hours."""

POLL_ERRORS = {1: "PollIn1s", 5: "PollIn5s", 30: "PollIn30s", 300: "PollIn300s"}
"""The error with which a call leaves the state Dispatch while a task of the server runs, by the seconds to wait."""

MAX_CORRECTIONS = 3
"""Maximum number of times in a turn that the model may correct invalid tool calls."""


class Failure(BaseModel):
    """An error that the state machine caught in a state: its name and cause."""

    Error: str = ""
    Cause: str = ""


class TurnStep(BaseModel):
    """The input of states that process a turn. ``tries`` counts failed runs of the state Think in this ``round``.

    ``has_execution`` is False in the first round, which runs before the turn has an execution.
    """

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    round: int = 0
    tries: int = 0
    failure: Failure | None = None
    has_execution: bool = Field(default=True, exclude=True)


class CallRef(BaseModel):
    """A tool call that the Map state runs. If ``approval`` is true, the user must approve the call first.

    In JSON it is 0 or 1, the index of the call's timeouts in the state machine.
    """

    call_id: CallId
    approval: Annotated[bool, PlainSerializer(int, return_type=int, when_used="json")] = False


class NextStep(TurnStep):
    """The output of the state Think (a model request): the tool calls to run, or ``done`` if there are none.

    ``call_id`` is the only call, if there is one call that needs no approval: it runs without the Map.
    ``ended``: Think has stored the final answer and ended the turn, so the state Finish has nothing to do.
    If ``waiting``, no request was sent, because servers are still starting: Think runs again after two seconds.
    """

    calls: list[CallRef] = []
    done: bool
    ended: bool = False
    waiting: bool = False

    @computed_field  # type: ignore[prop-decorator]  # mypy supports no decorators above properties
    @property
    def call_id(self) -> CallId | None:
        """Return the only call, unless it needs approval."""
        match self.calls:
            case [CallRef(approval=False, call_id=call_id)]:
                return call_id
        return None


def repeat_first_round(step: TurnStep) -> NextStep:
    """Return the step after which an execution repeats the first round of a turn."""
    return NextStep(user=step.user, session_id=step.session_id, turn_id=step.turn_id, tries=1, done=False)


class CallStep(BaseModel):
    """The input of states that process one tool call.

    ``approval``: the user must approve the call first (state Dispatch). ``asks``: the call asks the user questions
    (state Input). Without ``task_token``, the result of the call is to be recorded (state RecordToolResult).
    """

    user: UserName
    session_id: SessionId
    turn_id: TurnId
    call_id: CallId
    task_token: str | None = None
    approval: bool = False
    asks: bool = False
    failure: Failure | None = None

"""Orders of calls, as Dispatch sends them to a runner."""

from datetime import UTC, datetime

from satchel.domain.ids import TurnId, UserName, call_id, new_id
from satchel.domain.timing import Limits
from satchel.ports.runners import CallOrder, InputFile, ScopedCredentials

_STARTED_AT = datetime(2024, 8, 27, tzinfo=UTC)
USER = UserName("alice@example.com")
SESSION_ID = new_id("s", _STARTED_AT, bytes(10))
OTHER_SESSION_ID = new_id("s", _STARTED_AT, b"\1" * 10)
TURN_ID = TurnId(new_id("t", _STARTED_AT, bytes(10)))
CALL_ID = call_id(TURN_ID, 0, 0)


def order(
    *,
    writes: bool = True,
    inputs: list[InputFile] | None = None,
    limits: Limits | None = None,
    session_id: str = SESSION_ID,
) -> CallOrder:
    """Return the order of one call."""
    return CallOrder(
        user=USER,
        session_id=session_id,
        turn_id=TURN_ID,
        call_id=CALL_ID,
        tool="summarise",
        arguments={"filename": "a.csv"},
        inputs=inputs or [],
        writes=writes,
        task_token="task",
        credentials=ScopedCredentials(access_key_id="a", secret_access_key="b", session_token="c"),
        limits=limits or Limits(),
    )

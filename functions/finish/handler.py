"""State Finish, and the target of the rule on executions that ended past it: here alone a turn's end is written."""

from typing import Any

from satchel.bootstrap.finish import build
from satchel.bootstrap.observed import observed
from satchel.domain.steps import TurnStep
from satchel.services.turns.finish_turn import Ending


@observed("finish")
def handler(event: dict[str, Any], context: object) -> dict[str, str]:
    """End one turn."""
    del context
    ending, step = _read(event)
    return {"turn_id": step.turn_id, "status": build()(step, ending)}


def _read(event: dict[str, Any]) -> tuple[Ending, TurnStep]:
    """An event of EventBridge carries the input of the execution as text; the state passes its data as they are."""
    detail = event.get("detail")
    if detail is None:
        return Ending.REACHED, TurnStep.model_validate(event)
    ending = Ending.TIMED_OUT if detail["status"] == "TIMED_OUT" else Ending.LOST
    return ending, TurnStep.model_validate_json(detail["input"])

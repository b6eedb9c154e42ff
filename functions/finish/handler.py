"""Step Functions state Finish: ends a turn. An EventBridge rule also invokes it if an execution failed or timed out."""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.steps import TurnStep
from satchel.services.turns.finish_turn import Ending


@observed("finish")
def handler(event: dict[str, Any], context: object) -> dict[str, str]:
    """End one turn and store its final response."""
    del context
    ending, step = _read(event)
    return {"turn_id": step.turn_id, "status": use_cases().finish_turn(step, ending)}


def _read(event: dict[str, Any]) -> tuple[Ending, TurnStep]:
    """Return how the turn ended, and the turn's ids. An EventBridge event contains the ids in ``detail``."""
    detail = event.get("detail")
    if detail is None:
        return Ending.NORMAL, TurnStep.model_validate(event)
    ending = Ending.TIMED_OUT if detail["status"] == "TIMED_OUT" else Ending.LOST
    return ending, TurnStep.model_validate_json(detail["input"])

"""Step Functions state Finish: ends a turn. An EventBridge rule also invokes it if an execution failed or timed out.

Lambda invokes it if the function Think died in a first round (``requestPayload``): then an execution repeats the round.
"""

from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.sessions import TurnStatus
from satchel.domain.steps import TurnStep, repeat_first_round
from satchel.services.turns.finish_turn import Ending


@observed("finish")
def handler(event: dict[str, Any], context: object) -> dict[str, str | None]:
    """End one turn and store its final response. An EventBridge event contains the turn's ids in ``detail``."""
    del context
    if "requestPayload" in event:
        lost = TurnStep.model_validate(event["requestPayload"])
        use_cases().ports.workflow.continue_after(repeat_first_round(lost))
        return {"turn_id": lost.turn_id, "status": None}
    detail = event.get("detail")
    if detail is None:
        step, ending = TurnStep.model_validate(event), Ending.NORMAL
    else:
        step = TurnStep.model_validate_json(detail["input"])
        ending = Ending.TIMED_OUT if detail["status"] == "TIMED_OUT" else Ending.LOST
    status = use_cases().finish_turn(step, ending)
    if status is not TurnStatus.COMPLETE:  # a complete turn has no calls without a result
        use_cases().cancel_tasks(step)
    return {"turn_id": step.turn_id, "status": status}

"""Step Functions state Finish: ends a turn. An EventBridge rule also invokes it if an execution failed or timed out."""

import logging
from typing import Any

from satchel.bootstrap.functions import use_cases
from satchel.bootstrap.observed import observed
from satchel.domain.sessions import TurnStatus
from satchel.domain.steps import TurnStep, repeat_first_round
from satchel.services.turns.finish_turn import Ending

logger = logging.getLogger("satchel.finish")


@observed("finish")
def handler(event: dict[str, Any], context: object) -> dict[str, str | None]:
    """End one turn and store its final response. An EventBridge event contains the turn's ids in ``detail``.

    As the failure destination of the function Think, let an execution repeat the first round (``requestPayload``).
    """
    del context
    if "requestPayload" in event:
        return _repeat_first_round(TurnStep.model_validate(event["requestPayload"]))
    finish_turn = use_cases().finish_turn
    detail = event.get("detail")
    if detail is None:
        step, ending = TurnStep.model_validate(event), Ending.NORMAL
    else:
        step = TurnStep.model_validate_json(detail["input"])
        ending = Ending.TIMED_OUT if detail["status"] == "TIMED_OUT" else Ending.LOST
    status = finish_turn(step, ending)
    if status is not TurnStatus.COMPLETE:  # a complete turn has no calls without a result
        use_cases().cancel_tasks(step)
    return {"turn_id": step.turn_id, "status": status}


def _repeat_first_round(step: TurnStep) -> dict[str, str | None]:
    """Let an execution repeat a first round, because its function died or got no environment in time."""
    logger.warning("the first round was lost, so an execution repeats it")
    use_cases().ports.workflow.continue_after(repeat_first_round(step))
    return {"turn_id": step.turn_id, "status": None}

"""A task whose beats stay out ends as ``States.HeartbeatTimeout``; ``States.Timeout`` is one that lasts too long.

Patches ``StateTaskServiceCallback._from_error``. moto has the second name for both. Without it a catcher that forgets
the first works here, and not on AWS.
"""

from functools import cache
from typing import Any

from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import HeartbeatTimeoutError
from moto.stepfunctions.parser.asl.eval.environment import Environment

from local.aws.seams.patching import original, replace

_NAME = StatesErrorNameType.StatesHeartbeatTimeout
_from_error = original(StateTaskServiceCallback, "_from_error")


@cache
def install() -> None:
    """Patch moto."""
    replace(StateTaskServiceCallback, "_from_error", _named)


def _named(self: StateTaskServiceCallback, env: Environment, ex: Exception) -> FailureEvent:
    event: FailureEvent = _from_error(self, env=env, ex=ex)
    if not isinstance(ex, HeartbeatTimeoutError):
        return event
    details: Any = event.event_details
    details["taskTimedOutEventDetails"]["error"] = _NAME.to_name()
    return FailureEvent(env, StatesErrorName(typ=_NAME), event.event_type, details)

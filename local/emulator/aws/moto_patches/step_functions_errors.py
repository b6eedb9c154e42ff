"""Correct the errors of moto's Step Functions states: their names, which errors a Catch can match, and their logging.

Heartbeat timeout: patches ``StateTaskServiceCallback._from_error``. Unpatched moto names a missed heartbeat
``States.Timeout`` instead of ``States.HeartbeatTimeout``. Without the patch, a Catch that lacks
``States.HeartbeatTimeout`` works locally and fails on AWS.

Terminal errors: patches ``ErrorEqualsDecl._eval_body``. On AWS, ``States.ALL`` catches neither
``States.DataLimitExceeded`` nor ``States.Runtime`` (for example, a path that has no value). In unpatched moto,
``States.ALL`` catches both errors. Without the patch, an execution that fails on AWS would continue locally, so the
tests would never reach the handling of failed executions.

Logging: sets the log level of the interpreter's loggers to CRITICAL. At the default level, moto logs the whole state
machine program (10 KB and more) for every failure of a state, even if a Catch handles the failure.
"""

import logging
from functools import cache
from typing import Any

from moto.stepfunctions.parser.asl.component.common.error_name.error_equals_decl import ErrorEqualsDecl
from moto.stepfunctions.parser.asl.component.common.error_name.failure_event import FailureEvent
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name import StatesErrorName
from moto.stepfunctions.parser.asl.component.common.error_name.states_error_name_type import StatesErrorNameType
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import HeartbeatTimeoutError
from moto.stepfunctions.parser.asl.eval.environment import Environment

from local.emulator.aws.moto_patches.patching import original, replace

_HEARTBEAT_TIMEOUT = StatesErrorNameType.StatesHeartbeatTimeout
_TERMINAL_ERRORS = [
    StatesErrorName(typ=StatesErrorNameType.StatesStatesDataLimitExceeded),
    StatesErrorName(typ=StatesErrorNameType.StatesRuntime),
]
_from_error = original(StateTaskServiceCallback, "_from_error")
_evaluate = original(ErrorEqualsDecl, "_eval_body")


@cache
def install() -> None:
    """Patch moto so that Step Functions errors are named and caught as on AWS, and caught errors are not logged."""
    replace(StateTaskServiceCallback, "_from_error", _from_error_with_name)
    replace(ErrorEqualsDecl, "_eval_body", _match)
    logging.getLogger("moto.stepfunctions.parser").setLevel(logging.CRITICAL)


def _from_error_with_name(self: StateTaskServiceCallback, env: Environment, ex: Exception) -> FailureEvent:
    event: FailureEvent = _from_error(self, env=env, ex=ex)
    if not isinstance(ex, HeartbeatTimeoutError):
        return event
    details: Any = event.event_details
    details["taskTimedOutEventDetails"]["error"] = _HEARTBEAT_TIMEOUT.to_name()
    return FailureEvent(env, StatesErrorName(typ=_HEARTBEAT_TIMEOUT), event.event_type, details)


def _match(self: ErrorEqualsDecl, env: Environment) -> None:
    """Replace the error on the interpreter's stack with True if this Catch or Retry matches it, else with False."""
    if env.stack[-1] in _TERMINAL_ERRORS and env.stack[-1] not in self.error_names:
        env.stack.pop()
        env.stack.append(False)
    else:
        _evaluate(self, env)

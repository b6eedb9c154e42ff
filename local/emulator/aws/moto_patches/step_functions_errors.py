"""Errors of Step Functions states: their names, which of them can be caught, and their logging.

Heartbeat timeout: patches ``StateTaskServiceCallback._from_error``. moto uses the name ``States.Timeout`` for missed
heartbeats, too. Without the patch, a Catch that lacks ``States.HeartbeatTimeout`` works locally and fails on AWS.

Terminal errors: patches ``ErrorEqualsDecl._eval_body``. On AWS, ``States.ALL`` does not catch
``States.DataLimitExceeded`` and ``States.Runtime`` (a path without a value); in moto it does. Without the patch, an
execution that AWS ends as FAILED continues with its Catch, and the handling of failed executions is never tested.

Logging: sets the level of the interpreter's loggers. Without it, every *caught* failure of a state logs the whole
program, 10 KB and more.
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
    """Patch moto so that errors have AWS's names and are caught as on AWS, and caught errors are not logged."""
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
    """Replace the error on the stack with True if this Catch matches the error, otherwise with False."""
    if env.stack[-1] in _TERMINAL_ERRORS and env.stack[-1] not in self.error_names:
        env.stack.pop()
        env.stack.append(False)
    else:
        _evaluate(self, env)

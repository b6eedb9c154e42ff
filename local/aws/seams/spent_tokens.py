"""A task that has ended refuses its token.

Patches ``StateTaskServiceCallback._eval_integration_pattern`` and ``CallbackPoolManager.notify`` and ``.heartbeat``. As
long as the execution runs, moto accepts and loses what is sent for a task that timed out; the answer TaskTimedOut is in
its code but cannot be reached. Without this a runner whose call was given up goes on working.
"""

from functools import cache

from moto.core.exceptions import AWSError
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackConsumerLeft,
    CallbackOutcome,
    CallbackPoolManager,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment

from local.aws.seams.patching import original, replace

_evaluate = original(StateTaskServiceCallback, "_eval_integration_pattern")
_notify = original(CallbackPoolManager, "notify")
_heartbeat = original(CallbackPoolManager, "heartbeat")


@cache
def install() -> None:
    """Patch moto."""
    replace(StateTaskServiceCallback, "_eval_integration_pattern", _evaluate_and_leave)
    replace(CallbackPoolManager, "notify", _notify_unless_spent)
    replace(CallbackPoolManager, "heartbeat", _heartbeat_unless_spent)


def _evaluate_and_leave(
    self: StateTaskServiceCallback,
    env: Environment,
    *arguments: object,
    **named: object,
) -> None:
    task = env.states.context_object.context_object_data["Task"]
    endpoint = env.callback_pool_manager.get(task["Token"]) if task else None
    try:
        _evaluate(self, env, *arguments, **named)
    finally:
        if endpoint is not None:
            endpoint.report(CallbackConsumerLeft())


def _notify_unless_spent(self: CallbackPoolManager, callback_id: str, outcome: CallbackOutcome) -> bool:
    _refuse_if_spent(self, callback_id)
    return bool(_notify(self, callback_id=callback_id, outcome=outcome))


def _heartbeat_unless_spent(self: CallbackPoolManager, callback_id: str) -> bool:
    _refuse_if_spent(self, callback_id)
    return bool(_heartbeat(self, callback_id=callback_id))


def _refuse_if_spent(pool: CallbackPoolManager, token: str) -> None:
    endpoint = pool.get(token)
    if endpoint is not None and endpoint.consumer_error is not None:
        raise AWSError("Task Timed Out: 'Provided task does not exist anymore'", "TaskTimedOut")

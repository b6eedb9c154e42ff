"""Correct moto's Step Functions tasks that wait for a token: early callbacks, late callbacks, and failure causes.

Early callbacks: patches ``StateTaskServiceLambda._eval_service_task``,
``CallbackEndpoint.setup_heartbeat_endpoint`` and ``.notify_heartbeat``. Unpatched moto listens for callbacks only after
the Lambda function that received the token has returned. moto loses callbacks that the function itself or a fast worker
sends earlier. Without the patch, such a task times out, an early heartbeat fails with InvalidToken, and a callback or
StopExecution waits for the function.

Late callbacks: patches ``StateTaskServiceCallback._eval_integration_pattern`` and ``CallbackPoolManager.notify`` and
``.heartbeat``. After a task has timed out, AWS rejects its callbacks with TaskTimedOut, but unpatched moto accepts and
ignores them while the execution runs. Without the patch, a runner (the process that runs tools) keeps working on a tool
call that the state machine has abandoned.

Retries: patches ``StateTaskService._eval_execution``. AWS gives each attempt of a task a new token. Unpatched moto
gives all of them the same one. Without the patch, a retry would end at once with the failure of the first attempt.

Cause: patches ``StepFunctionResponse.send_task_failure``. Unpatched moto drops the cause of a failure, so a Catch gets
``"Cause": null``.
"""

import logging
import threading
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from moto.core.exceptions import AWSError
from moto.core.responses import ActionResult, EmptyResult
from moto.stepfunctions.parser import utils
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.resource import ResourceCondition
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service import StateTaskService
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_callback import (
    StateTaskServiceCallback,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_lambda import (
    StateTaskServiceLambda,
)
from moto.stepfunctions.parser.asl.eval.callback.callback import (
    CallbackConsumerLeft,
    CallbackEndpoint,
    CallbackOutcome,
    CallbackOutcomeFailure,
    CallbackPoolManager,
    HeartbeatEndpoint,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.responses import StepFunctionResponse

from local.emulator.aws.moto_patches.patching import original, replace

if TYPE_CHECKING:
    from moto.stepfunctions.parser.models import StepFunctionsParserBackend

_log = logging.getLogger(__name__)
_eval_execution = original(StateTaskService, "_eval_execution")
_eval_service_task = original(StateTaskServiceLambda, "_eval_service_task")
_setup = original(CallbackEndpoint, "setup_heartbeat_endpoint")
_notify_endpoint = original(HeartbeatEndpoint, "notify")
_evaluate = original(StateTaskServiceCallback, "_eval_integration_pattern")
_notify = original(CallbackPoolManager, "notify")
_heartbeat = original(CallbackPoolManager, "heartbeat")


@cache
def install() -> None:
    """Patch moto so that it handles early and late task callbacks as AWS does, and passes on the cause of a failure."""
    replace(StateTaskService, "_eval_execution", _eval_with_new_token)
    replace(StateTaskServiceLambda, "_eval_service_task", _invoke_beside)
    replace(CallbackEndpoint, "setup_heartbeat_endpoint", _setup_and_catch_up)
    replace(CallbackEndpoint, "notify_heartbeat", _notify_heartbeat)
    replace(StateTaskServiceCallback, "_eval_integration_pattern", _evaluate_and_leave)
    replace(CallbackPoolManager, "notify", _notify_unless_ended)
    replace(CallbackPoolManager, "heartbeat", _heartbeat_unless_ended)
    replace(StepFunctionResponse, "send_task_failure", _send_task_failure)


def _eval_with_new_token(self: StateTaskService, env: Environment) -> None:
    task = env.states.context_object.context_object_data.get("Task")
    endpoint = env.callback_pool_manager.get(task["Token"]) if task else None
    if endpoint is not None and endpoint.consumer_error is not None:  # an earlier attempt has ended
        env.callback_pool_manager.add(env.states.context_object.update_task_token())
    _eval_execution(self, env)


def _invoke_beside(self: StateTaskServiceLambda, env: Environment, *arguments: object, **named: object) -> None:
    """Invoke the function in a thread of its own if it gets a token. Its failure is the outcome of the task."""
    if self.resource.condition != ResourceCondition.WaitForTaskToken:
        _eval_service_task(self, env, *arguments, **named)
        return
    task = env.states.context_object.context_object_data["Task"]
    token = task["Token"] if task else ""
    endpoint = env.callback_pool_manager.get(token)

    def invoke() -> None:
        own = SimpleNamespace(is_mocked_mode=lambda: False, stack=[])
        try:
            _eval_service_task(self, own, *arguments, **named)
        except Exception as error:  # noqa: BLE001  (whatever ends the invocation ends the task)
            if endpoint and endpoint.get_outcome() is None:
                details: Any = self._from_error(env, error).event_details
                failed = details["taskFailedEventDetails"]
                endpoint.notify(CallbackOutcomeFailure(token, failed["error"], failed["cause"]))
            else:
                _log.warning("A function failed after its task had ended: %s", error)

    thread = threading.Thread(target=invoke, daemon=True, name="task-invocation")
    utils.TMP_THREADS.append(thread)
    thread.start()
    env.stack.append({})


def _setup_and_catch_up(self: CallbackEndpoint, heartbeat_seconds: int) -> HeartbeatEndpoint:
    endpoint: HeartbeatEndpoint = _setup(self, heartbeat_seconds)
    if self.get_outcome() is not None:
        self.interrupt_all()
    return endpoint


def _notify_heartbeat(self: CallbackEndpoint) -> bool:
    """Accept a heartbeat even before the task waits for its callback. The heartbeat timeout starts with the wait."""
    if self._heartbeat_endpoint is not None:
        _notify_endpoint(self._heartbeat_endpoint)
    return True


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


def _notify_unless_ended(self: CallbackPoolManager, callback_id: str, outcome: CallbackOutcome) -> bool:
    _raise_if_ended(self, callback_id)
    return bool(_notify(self, callback_id=callback_id, outcome=outcome))


def _heartbeat_unless_ended(self: CallbackPoolManager, callback_id: str) -> bool:
    _raise_if_ended(self, callback_id)
    return bool(_heartbeat(self, callback_id=callback_id))


def _raise_if_ended(pool: CallbackPoolManager, token: str) -> None:
    endpoint = pool.get(token)
    if endpoint is not None and endpoint.consumer_error is not None:
        raise AWSError("Task Timed Out: 'Provided task does not exist anymore'", "TaskTimedOut")


def _send_task_failure(self: StepFunctionResponse) -> ActionResult:
    token, error, cause = (self._get_param(name) for name in ("taskToken", "error", "cause"))
    # moto has two Step Functions back ends. The cast is safe, because the emulator uses the one that runs executions.
    backend = cast("StepFunctionsParserBackend", self.stepfunction_backend)
    backend.send_task_failure(token, error=error, cause=cause)
    return EmptyResult()

"""Report Step Functions executions that failed, timed out or were aborted, as EventBridge does.

Patches ``BaseExecutionWorkerCommunication.terminated``. moto sends no "Step Functions Execution Status Change" events,
and its EventBridge has no Lambda targets. Without the patch, a turn whose execution was stopped is never finished.
"""

from collections.abc import Callable, Mapping
from functools import cache

from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication, Execution

from local.emulator.aws.moto_patches.patching import original, replace

Listener = Callable[[Mapping[str, object]], object]

_REPORTED = {ExecutionStatus.ABORTED, ExecutionStatus.TIMED_OUT, ExecutionStatus.FAILED}
_terminated = original(BaseExecutionWorkerCommunication, "terminated")
_listeners: list[Listener] = []


@cache
def install() -> None:
    """Patch moto so that the listener gets an event for each execution that failed, timed out or was aborted."""
    replace(BaseExecutionWorkerCommunication, "terminated", _terminate_and_report)


def set_listener(listener: Listener | None) -> None:
    """Set the function that is called with each event, in the execution's last thread. None removes the function."""
    _listeners[:] = [] if listener is None else [listener]


def _terminate_and_report(self: BaseExecutionWorkerCommunication) -> None:
    _terminated(self)
    if self.execution.exec_status in _REPORTED:
        for listener in tuple(_listeners):
            listener(_event(self.execution))


def _event(execution: Execution) -> dict[str, object]:
    """Return the event in EventBridge's format, reduced to the fields that a rule's target could use."""
    return {
        "source": "aws.states",
        "detail-type": "Step Functions Execution Status Change",
        "account": execution.account_id,
        "region": execution.region_name,
        "resources": [execution.exec_arn],
        "detail": {
            "executionArn": execution.exec_arn,
            "stateMachineArn": execution.state_machine_arn,
            "name": execution.name,
            "status": execution.status,
            "input": execution.execution_input,
            "error": execution.error,
            "cause": execution.cause,
        },
    }

"""Report Step Functions executions that fail, time out or are aborted, as EventBridge does on AWS.

Patches ``BaseExecutionWorkerCommunication.terminated``. moto sends no "Step Functions Execution Status Change" events,
and its EventBridge cannot invoke Lambda functions. Without the patch, a chat turn never finishes if its execution is
stopped.
"""

from collections.abc import Callable, Mapping
from functools import cache

from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.eval.program_state import ProgramEnded, ProgramError
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication, Execution

from local.emulator.aws.moto_patches.patching import original, replace

Listener = Callable[[Mapping[str, object]], object]

_REPORTED = {ExecutionStatus.ABORTED, ExecutionStatus.TIMED_OUT, ExecutionStatus.FAILED}
_terminated = original(BaseExecutionWorkerCommunication, "terminated")
_listeners: list[Listener] = []


@cache
def install() -> None:
    """Patch moto so that it reports each state machine execution that fails, times out or is aborted."""
    replace(BaseExecutionWorkerCommunication, "terminated", _terminate_and_report)


def set_listener(listener: Listener | None) -> None:
    """Set the function that is called when a state machine execution fails, times out or is aborted.

    The function's argument is the event that EventBridge would send. The call is made on the thread that ends the
    execution. If ``listener`` is None, the current function is removed.
    """
    _listeners[:] = [] if listener is None else [listener]


def _terminate_and_report(self: BaseExecutionWorkerCommunication) -> None:
    _store_outcome(self.execution)
    _terminated(self)
    if self.execution.exec_status in _REPORTED:
        for listener in tuple(_listeners):
            listener(_event(self.execution))


def _store_outcome(execution: Execution) -> None:
    """Store the output or error. moto stores them after the status, so a reader could see an end without them."""
    environment = execution.exec_worker.env if execution.exec_worker else None
    state = environment.program_state() if environment else None
    if environment and isinstance(state, ProgramEnded):
        execution.output = environment.states.get_input()
    elif isinstance(state, ProgramError) and state.error:
        execution.error, execution.cause = state.error.get("error"), state.error.get("cause")


def _event(execution: Execution) -> dict[str, object]:
    """Return the event that EventBridge sends for an ended execution, without unused fields such as ``time``."""
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

"""A state's ``InvocationType`` reaches Lambda.

Patches ``_SUPPORTED_API_PARAM_BINDINGS`` of the lambda:invoke task. Without it moto drops the parameter, and a state
that means to go on at once waits for the function.
"""

from functools import cache

from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import state_task_service_lambda

from local.aws.seams.patching import replace


@cache
def install() -> None:
    """Patch moto."""
    known = vars(state_task_service_lambda)["_SUPPORTED_API_PARAM_BINDINGS"]
    more = {**known, "invoke": known["invoke"] | {"InvocationType"}}
    replace(state_task_service_lambda, "_SUPPORTED_API_PARAM_BINDINGS", more)

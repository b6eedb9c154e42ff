"""``SendTaskFailure`` keeps its cause.

Patches ``StepFunctionResponse.send_task_failure``. Without it moto passes on the error alone, and a Catch sees
``"Cause": null``.
"""

from functools import cache
from typing import TYPE_CHECKING, cast

from moto.core.responses import ActionResult, EmptyResult
from moto.stepfunctions.responses import StepFunctionResponse

from local.aws.seams.patching import replace

if TYPE_CHECKING:
    from moto.stepfunctions.parser.models import StepFunctionsParserBackend


@cache
def install() -> None:
    """Patch moto."""
    replace(StepFunctionResponse, "send_task_failure", _send_task_failure)


def _send_task_failure(self: StepFunctionResponse) -> ActionResult:
    token, error, cause = (self._get_param(name) for name in ("taskToken", "error", "cause"))
    backend = cast("StepFunctionsParserBackend", self.stepfunction_backend)  # the one that executes
    backend.send_task_failure(token, error=error, cause=cause)
    return EmptyResult()

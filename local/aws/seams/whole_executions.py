"""An execution can be asked about, stopped and called back from the moment that it is listed.

Patches ``Execution.__init__`` and ``.start``, ``ExecutionWorker.__init__`` and ``._get_evaluation_environment``: status
and environment are there from the first. moto lists an execution before it has a status and starts it before it has an
environment. Without this StopExecution right after StartExecution, and every callback to any *other*
execution in that moment, fails with a 500: ``'NoneType' object has no attribute …``.
"""

from functools import cache

from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker

from local.aws.seams.patching import original, replace

_initialise_execution = original(Execution, "__init__")
_make_worker = original(Execution, "_get_start_execution_worker")
_initialise_worker = original(ExecutionWorker, "__init__")
_make_environment = original(ExecutionWorker, "_get_evaluation_environment")
_begin = original(ExecutionWorker, "start")


@cache
def install() -> None:
    """Patch moto."""
    replace(Execution, "__init__", _whole_execution)
    replace(Execution, "start", _start)
    replace(ExecutionWorker, "__init__", _whole_worker)
    replace(ExecutionWorker, "_get_evaluation_environment", _environment)


def _whole_execution(self: Execution, *arguments: object, **named: object) -> None:
    _initialise_execution(self, *arguments, **named)
    self.exec_worker = _make_worker(self)
    self.exec_status = ExecutionStatus.RUNNING


def _start(self: Execution) -> None:
    _begin(self.exec_worker)


def _whole_worker(self: ExecutionWorker, *arguments: object, **named: object) -> None:
    _initialise_worker(self, *arguments, **named)
    self.env = _make_environment(self)


def _environment(self: ExecutionWorker) -> Environment:
    environment: Environment = self.env or _make_environment(self)
    return environment

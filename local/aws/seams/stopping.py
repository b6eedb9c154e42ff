"""StopExecution and a machine's TimeoutSeconds end an execution at once, and as what they are.

Patches ``Environment.set_stop``, ``.set_timed_out``, ``.set_error`` and ``.next_state_name``. moto tells the frames of
an execution that it is over but does not wake a task that waits for its token, so that a Map goes on until the tool has
ended by itself; then the next transition raises, which turns ABORTED into FAILED. A stop before the first state is
ignored. Without it a cancelled turn stays RUNNING.
"""

import datetime as dt
from functools import cache

from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramRunning, ProgramStopped

from local.aws.seams.patching import original, replace

_set_stop = original(Environment, "set_stop")
_set_timed_out = original(Environment, "set_timed_out")
_set_error = original(Environment, "set_error")
_next_state_name = original(Environment, "next_state_name")


@cache
def install() -> None:
    """Patch moto."""
    replace(Environment, "set_stop", _stop)
    replace(Environment, "set_timed_out", _time_out)
    replace(Environment, "set_error", _fail)
    replace(Environment, "next_state_name", property(_next_state_name.fget, _go_to))


def _stop(self: Environment, stop_date: dt.datetime, cause: str | None, error: str | None) -> None:
    with self._state_mutex:
        if self._program_state is None:  # not begun: there are no frames to tell
            self._program_state = ProgramStopped(stop_date=stop_date, cause=cause, error=error)
        _set_stop(self, stop_date=stop_date, cause=cause, error=error)
    _wake(self)


def _time_out(self: Environment) -> None:
    with self._state_mutex:
        if self.is_running():
            _set_timed_out(self)
    _wake(self)


def _fail(self: Environment, error: object) -> None:
    """Keep an end that is there already: what fails afterwards fails because of it."""
    with self._state_mutex:
        if self.is_running():
            _set_error(self, error=error)


def _go_to(self: Environment, next_state_name: str) -> None:
    """Go nowhere after the end; every loop over states looks whether the program runs."""
    with self._state_mutex:
        if self._program_state is None or isinstance(self._program_state, ProgramRunning):
            _next_state_name.fset(self, next_state_name)


def _wake(environment: Environment) -> None:
    for endpoint in list(vars(environment.callback_pool_manager)["_pool"].values()):
        endpoint.interrupt_all()

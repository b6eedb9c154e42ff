"""Correct the life cycle of moto's Step Functions executions: their start, their stop, and their threads.

Start: patches ``Execution.__init__`` and ``.start``, ``ExecutionWorker.__init__`` and ``._get_evaluation_environment``,
so that an execution has a status and an environment from the beginning. Unpatched moto lists an execution before it
sets the status, and starts the execution before it creates the environment. Without the patch, StopExecution right
after StartExecution fails with a 500: ``'NoneType' object has no attribute …``. At that moment, every callback to any
*other* execution fails with the same error.

Stop: patches ``Environment.set_stop``, ``.set_timed_out``, ``.set_error`` and ``.next_state_name``, so that
StopExecution and a machine's TimeoutSeconds end an execution at once and with the right status. Unpatched moto marks a
stopped execution as ended, but does not wake its tasks that wait for a token. A Map state then continues until its tool
call ends. The next state transition raises an error, which changes the status from ABORTED to FAILED. moto also ignores
a stop before the first state. Without the patch, the execution of a canceled chat turn stays RUNNING.

Abandoned tasks: patches ``Environment.set_ended``, so that the thread of a task that has timed out ends with it, and
``InlineIterationComponent._eval_body``, so that a failed iteration of a Map state aborts the other iterations, as on
AWS. In unpatched moto, all these threads wait until the next heartbeat is due. Without the patch, a failed turn leaves
threads and running states behind, and a stopping emulator waits for them.

Threads: replaces the list ``TMP_THREADS``, which the interpreter's modules import by name. Unpatched moto appends every
thread and never removes a thread, so the list grows forever. The replacement contains only live threads, so that a
stopping emulator can wait for them. Patches also ``InlineIterationComponent._launch_worker``, so that a Map state has
at most one thread for each item. Unpatched moto starts as many as the state allows: 8 for a turn with a single call.

End: patches ``ExecutionWorker._execution_logic``. Unpatched moto keeps the environment of each execution
for ever, with its history and its tasks. Without the patch, the memory of the emulator grows by them with each turn.
The patch keeps the environments of the newest ended executions. Older executions have no history.
"""

import datetime as dt
import threading
import time
import weakref
from collections import deque
from functools import cache
from types import SimpleNamespace
from typing import cast

from moto.stepfunctions.parser import utils
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.inline_iteration_component import (
    InlineIterationComponent,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration.job import JobPool
from moto.stepfunctions.parser.asl.eval.environment import Environment
from moto.stepfunctions.parser.asl.eval.program_state import ProgramRunning, ProgramStopped
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker

from local.emulator.aws.moto_patches.patching import original, replace, replace_everywhere

_init_execution = original(Execution, "__init__")
_create_worker = original(Execution, "_get_start_execution_worker")
_init_worker = original(ExecutionWorker, "__init__")
_create_environment = original(ExecutionWorker, "_get_evaluation_environment")
_start_worker = original(ExecutionWorker, "start")
_set_stop = original(Environment, "set_stop")
_set_timed_out = original(Environment, "set_timed_out")
_set_ended = original(Environment, "set_ended")
_set_error = original(Environment, "set_error")
_next_state_name = original(Environment, "next_state_name")
_run = original(ExecutionWorker, "_execution_logic")
_launch_map_worker = original(InlineIterationComponent, "_launch_worker")
_run_iterations = original(InlineIterationComponent, "_eval_body")
_MAX_ENDED = 50


@cache
def install() -> None:
    """Patch moto so that executions are complete when they start, stop at once, and release their ended threads."""
    replace(Execution, "__init__", _init_complete_execution)
    replace(Execution, "start", _start)
    replace(ExecutionWorker, "__init__", _init_complete_worker)
    replace(ExecutionWorker, "_get_evaluation_environment", _environment)
    replace(Environment, "set_stop", _stop)
    replace(Environment, "set_timed_out", _time_out)
    replace(Environment, "set_ended", _end)
    replace(Environment, "set_error", _fail)
    replace(Environment, "next_state_name", property(_next_state_name.fget, _transition))
    replace(ExecutionWorker, "_execution_logic", _run_and_forget)
    replace(InlineIterationComponent, "_launch_worker", _launch_needed_worker)
    replace(InlineIterationComponent, "_eval_body", _run_or_abort_iterations)
    replace_everywhere("moto.stepfunctions.parser", "TMP_THREADS", utils.TMP_THREADS, _THREADS)


def _init_complete_execution(self: Execution, *arguments: object, **named: object) -> None:
    _init_execution(self, *arguments, **named)
    self.exec_worker = _create_worker(self)
    self.exec_status = ExecutionStatus.RUNNING


def _start(self: Execution) -> None:
    _start_worker(self.exec_worker)


def _init_complete_worker(self: ExecutionWorker, *arguments: object, **named: object) -> None:
    _init_worker(self, *arguments, **named)
    self.env = _create_environment(self)


def _environment(self: ExecutionWorker) -> Environment:
    environment: Environment = self.env or _create_environment(self)
    return environment


def _stop(self: Environment, stop_date: dt.datetime, cause: str | None, error: str | None) -> None:
    with self._state_mutex:
        if self._program_state is None:  # without this, moto ignores a stop before the first state
            self._program_state = ProgramStopped(stop_date=stop_date, cause=cause, error=error)
        _set_stop(self, stop_date=stop_date, cause=cause, error=error)
    _wake_task(self)


def _time_out(self: Environment) -> None:
    with self._state_mutex:
        if self.is_running():
            _set_timed_out(self)
    _wake_task(self)


def _end(self: Environment) -> None:
    _set_ended(self)
    _wake_task(self)


def _fail(self: Environment, error: object) -> None:
    """Set the execution's error if the execution still runs. Ignore later errors, which only result from its end."""
    with self._state_mutex:
        if self.is_running():
            _set_error(self, error=error)


def _transition(self: Environment, next_state_name: str) -> None:
    """Set the execution's next state. Do nothing if the execution has ended, so that moto runs no further state."""
    with self._state_mutex:
        if self._program_state is None or isinstance(self._program_state, ProgramRunning):
            _next_state_name.fset(self, next_state_name)


class _NoTasks:
    """The tasks of an ended execution: it has none. Implements what moto uses of its two pools of tasks."""

    def heartbeat(self, **_callback: object) -> bool:
        return False

    def notify(self, **_callback: object) -> bool:
        return False

    def get(self, _token: str) -> None:
        return None

    def get_all(self) -> list[object]:
        return []


_NO_HISTORY = SimpleNamespace(get_event_history=list)
_ENDED_WORKER = SimpleNamespace(
    env=SimpleNamespace(
        callback_pool_manager=_NoTasks(), map_run_record_pool_manager=_NoTasks(), event_manager=_NO_HISTORY
    ),
    stop=lambda **_stop: None,
)
"""Replaces the worker of an execution that ended long ago."""
_ended: deque[Execution] = deque()


def _run_and_forget(self: ExecutionWorker) -> None:
    _run(self)
    _ended.append(vars(self._execution_communication)["execution"])
    if len(_ended) > _MAX_ENDED:
        _ended.popleft().exec_worker = cast("ExecutionWorker", _ENDED_WORKER)


def _wake_task(environment: Environment) -> None:
    """Wake the thread that waits for the callback of the environment's task. Its frames end and wake theirs."""
    task = environment.states.context_object.context_object_data.get("Task")
    endpoint = environment.callback_pool_manager.get(task["Token"]) if task else None
    if endpoint is not None:
        endpoint.interrupt_all()


def _run_or_abort_iterations(self: InlineIterationComponent, env: Environment) -> None:
    try:
        _run_iterations(self, env)
    except Exception:
        for frame in list(vars(env)["_frames"]):
            frame.set_stop(stop_date=dt.datetime.now(dt.UTC), cause=None, error=None)
        raise


class _LiveThreads(list[threading.Thread]):
    """Replacement for moto's list of all its threads. Holds weak references, so that ended threads are freed."""

    def __init__(self) -> None:
        super().__init__()
        self._threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._lock = threading.Lock()

    def append(self, thread: threading.Thread) -> None:
        with self._lock:
            self._threads.add(thread)

    def alive(self) -> list[threading.Thread]:
        with self._lock:
            return [thread for thread in self._threads if thread.is_alive()]


_THREADS = _LiveThreads()


def join_threads(timeout: float) -> int:
    """Wait up to ``timeout`` seconds for the interpreter's threads to end. Return how many threads are still alive."""
    deadline = time.monotonic() + timeout
    for thread in _THREADS.alive():
        thread.join(max(0.0, deadline - time.monotonic()))
    return len(_THREADS.alive())


def _launch_needed_worker(self: InlineIterationComponent, *, job_pool: JobPool, **named: object) -> object:
    """Start a thread for a Map state unless there is already one for each item. moto ignores the result."""
    variables = vars(job_pool)
    variables["workers"] = variables.get("workers", 0) + 1
    if variables["workers"] > variables["_jobs_number"]:
        return None
    return _launch_map_worker(self, job_pool=job_pool, **named)

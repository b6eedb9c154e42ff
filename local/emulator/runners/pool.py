"""Route invocations to environments: one process for each function and tenant, as in Lambda's tenant isolation."""

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Self

from local.emulator.runners import process_tree
from local.emulator.runners.capacity import default_starts
from local.emulator.runners.context import Handler, InvocationError, LambdaContext
from local.emulator.runners.fork_server import ForkServer
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.process import EnvironmentProcess
from local.emulator.runners.supervisor import Supervisor
from local.emulator.runners.wait_queue import (
    InvocationCancelled,
    Key,
    ListenerFactory,
    NullListener,
    QueuedInvocation,
    WaitQueue,
)

_END_SECONDS = 30.0  # after the grace period, everything is killed: what remains is the time of a slow machine
_START_SECONDS = 2.0  # a slow server or tool delays the starts of others no longer
_log = logging.getLogger(__name__)


class EnvironmentPool:
    """Context manager that runs the environments: one process for each runner and tenant. On exit, it ends all of them.

    The pool starts an environment for the first invocation, and ends it after ``idle_seconds`` without an invocation.
    At most ``max_environments`` exist at a time. To make room for a new one, the pool ends the environment that has
    been idle for the longest time. At most ``max_starting`` environments start at a time, each until its first result,
    but no longer than two seconds. If no environment is free and none may start, the invocation waits in a queue for up
    to ``max_wait_seconds``. During the wait, the pool calls the invocation's listener, ``listener_for(event)``, which
    can send heartbeats and tell the user. The listener also learns if the invocation fails.

    The pool kills an environment that takes longer than ``grace_seconds`` to end. An environment's output is written to
    ``{log_dir}/{function}-{tenant}.log``. Environments start fast, because the process from which they are forked has
    already imported the modules it needs: ``fork_server``, which the pool ends.
    """

    def __init__(
        self,
        functions: Iterable[RunnerFunction],
        *,
        log_dir: Path,
        idle_seconds: float = 300.0,
        max_environments: int = 16,
        max_starting: int | None = None,
        max_wait_seconds: float = 120.0,
        listener_for: ListenerFactory = lambda _event: NullListener(),
        grace_seconds: float = 1.0,
        fork_server: ForkServer | None = None,
    ) -> None:
        self._functions = {function.name: function for function in functions}
        self._log_dir = log_dir
        self._idle_seconds = idle_seconds
        self._max_environments = max_environments
        self._max_starting = max_starting or default_starts()
        self._max_wait_seconds = max_wait_seconds
        self._listener_for = listener_for
        self._grace_seconds = grace_seconds
        self._lock = threading.RLock()
        self._processes: dict[Key, EnvironmentProcess] = {}
        self._ending: set[EnvironmentProcess] = set()
        self._queue = WaitQueue()
        self._is_closed = False
        log_dir.mkdir(parents=True, exist_ok=True)
        process_tree.become_subreaper()
        self._fork_server = fork_server or ForkServer()
        self._supervisor = Supervisor(on_exit=self._on_exit, on_wake=self._end_idle)

    def __enter__(self) -> Self:
        """Return the pool."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """End all environments."""
        self.close()

    def handler(self, function_name: str) -> Handler:
        """Return a handler that runs in this process and forwards invocations to the environments of the function."""

        def handle(event: object, context: LambdaContext) -> object:
            if context.tenant_id is None:
                # Lambda raises the same error for an invocation without a tenant id.
                raise InvocationError("InvalidParameterValueException", "The invoked function requires a tenant id.")
            return self.invoke(
                function_name,
                context.tenant_id,
                event,
                asynchronous=context.asynchronous,
                arn=context.invoked_function_arn,
            )

        return handle

    def invoke(
        self,
        function_name: str,
        tenant: str,
        event: object,
        *,
        asynchronous: bool = False,
        arn: str = "",
    ) -> object:
        """Run the function's handler in the tenant's environment. Return its result, or None if ``asynchronous``.

        An asynchronous call returns as soon as the invocation is sent to the environment. A failed invocation is
        logged and reported to its listener: its caller may have stopped to wait. Return None if the invocation was
        canceled while it waited.

        Raise InvocationError with Lambda's error type: the handler's own error, ``Runtime.ExitError`` if the
        environment ended, ``Sandbox.Timedout`` after the function's timeout, ``TooManyRequestsException`` if no
        environment became free in time, or ``ServiceException`` if the pool is closed. Raise KeyError if the function
        is unknown.
        """
        try:
            with self._environment(self._functions[function_name], tenant, event) as process:
                line, result = process.create_request(event, arn=arn, asynchronous=asynchronous)
        except InvocationCancelled:
            return None
        result.add_done_callback(lambda future: self._on_end(process, event, future))
        process.send(line)
        self._supervisor.wake_by(process.next_deadline or 0.0)
        if asynchronous:
            return None
        try:
            return result.result()
        except InvocationError as error:
            if process.is_retired:
                raise InvocationError("ServiceException", "The runners are stopping.") from error
            raise

    def close(self) -> None:
        """End all environments and all processes that they started. Pending invocations fail."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            self._queue.wake_all()
            for process in self._processes.values():
                process.retire(self._grace_seconds)
        self._supervisor.end(self._grace_seconds + _END_SECONDS)
        self._fork_server.close()

    def pids(self) -> dict[Key, int]:
        """Return the process id of each environment. The keys are pairs of function name and tenant."""
        with self._lock:
            return {key: process.pid for key, process in self._processes.items()}

    @contextmanager
    def _environment(self, function: RunnerFunction, tenant: str, event: object) -> Iterator[EnvironmentProcess]:
        """Wait until the tenant's environment is available, and yield it while holding the pool's lock.

        The lock ensures that no other thread ends the environment before the invocation is registered.
        """
        key, queued = (function.name, tenant), None
        try:
            while True:
                with self._lock:
                    process = self._process(function, key, queued)
                    if process is not None:
                        yield process
                        break
                    queued = queued or self._enqueue(key, event)
                    queued.woken.clear()
                    # Wake the supervisor: if the pool is full, the supervisor ends an idle environment to make room.
                    self._supervisor.wake_by(0.0)
                queued.woken.wait(queued.seconds_to_check)
                queued.check(
                    f"No tool environment became free within {self._max_wait_seconds:g} s: at most "
                    f"{self._max_environments} run, and at most {self._max_starting} start at the same time."
                )
        finally:
            if queued is not None:
                with self._lock:
                    self._queue.remove(queued)
                    self._wake_queue()
        if queued is not None:
            queued.start()

    def _enqueue(self, key: Key, event: object) -> QueuedInvocation:
        queued = QueuedInvocation(key, self._listener_for(event), self._max_wait_seconds)
        self._queue.add(queued)
        return queued

    def _process(
        self, function: RunnerFunction, key: Key, queued: QueuedInvocation | None
    ) -> EnvironmentProcess | None:
        """Return the tenant's environment, and start it if necessary. Return None if there is no room for a new one."""
        if self._is_closed:
            raise InvocationError("ServiceException", "The runners are stopping.")
        process = self._processes.get(key)
        if process is not None and process.has_exited:  # ended, but the supervisor has not removed it yet
            self._ending.add(self._processes.pop(key))
            process = None
        if process is None and self._queue.count_ahead(key, queued) < self._count_free():
            process = EnvironmentProcess(self._fork_server, function, key[1], self._log_dir)
            self._processes[key] = process
            self._supervisor.watch(process)
        return process

    def _count_free(self) -> int:
        """Return how many environments may start now."""
        room = self._max_environments - len(self._processes) - len(self._ending)
        return min(room, self._max_starting - len(self._starting_until()))

    def _starting_until(self) -> list[float]:
        """Return the times until which the environments that start now count as starting."""
        starting = (each for each in self._processes.values() if not each.requests.has_answered)
        times = (each.started_at + _START_SECONDS for each in starting)
        return [until for until in times if until > time.monotonic()]

    def _wake_queue(self) -> None:
        self._queue.wake(self._processes, self._count_free())

    def _on_exit(self, process: EnvironmentProcess) -> None:
        """Stop using a process that has exited. It counts toward the pool's limit until its descendants are killed."""
        with self._lock:
            if self._processes.get(process.key) is process:
                del self._processes[process.key]
            self._ending.add(process)
        if not process.is_retired:
            _log.warning("An environment ended unexpectedly: %s", process)

    def _on_end(self, process: EnvironmentProcess, event: object, future: Future[object]) -> None:
        """If an invocation failed, log the failure and report it to the invocation's listener.

        The listener runs in its own thread, because this method runs in the supervisor's thread.
        """
        error = future.exception()
        if not isinstance(error, InvocationError) or process.is_retired:
            return
        _log.warning("An invocation failed: %s: %s: %s", process, error.error_type, error)
        report = partial(_report_failure, self._listener_for, event, str(error))
        threading.Thread(target=report, daemon=True, name="runner-failure").start()

    def _end_idle(self, now: float) -> float | None:
        """End environments that have been idle for too long, and idle environments that must make room for others.

        Return the monotonic time (in seconds) at which the next idle environment must end, or another environment may
        start, or None if there is no such time.
        """
        with self._lock:
            if self._is_closed:
                return None
            self._ending = {process for process in self._ending if not process.is_reaped}
            idle = sorted(
                (each for each in self._processes.values() if each.requests.is_idle),
                key=lambda each: each.requests.last_used,
            )
            surplus = len(self._processes) + self._queue.count_missing(self._processes) - self._max_environments
            for position, process in enumerate(idle):
                if position < surplus or process.requests.last_used + self._idle_seconds <= now:
                    self._ending.add(self._processes.pop(process.key))
                    process.retire(self._grace_seconds)
            self._wake_queue()
            remaining = [process for process in idle if process.key in self._processes]
            starts = self._starting_until() if self._queue else []
        return min([*starts, *(each.requests.last_used + self._idle_seconds for each in remaining)], default=None)


def _report_failure(listener_for: ListenerFactory, event: object, reason: str) -> None:
    listener_for(event).on_failure(reason)

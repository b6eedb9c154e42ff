"""The thread that watches all environments: their responses, their exits and their deadlines."""

import contextlib
import os
import selectors
import threading
import time
from collections.abc import Callable
from functools import partial

from local.emulator.runners.process import EnvironmentProcess


class Supervisor:
    """Thread that reads the environments' responses and notices exits at once, without polling.

    The supervisor calls ``on_exit(process)`` before it reaps an ended process, and ``on_wake(now)`` after every event.
    ``on_wake`` returns the monotonic time at which the supervisor must call ``on_wake`` again, or None.
    """

    def __init__(self, on_exit: Callable[[EnvironmentProcess], None], on_wake: Callable[[float], float | None]) -> None:
        self._on_exit = on_exit
        self._on_wake = on_wake
        self._lock = threading.Lock()
        self._new: list[EnvironmentProcess] = []
        self._watched: list[EnvironmentProcess] = []
        self._is_ending = False
        self._has_ended = False
        self._asleep_until: float | None = None
        self._wakeup_fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._wakeup_fd, selectors.EVENT_READ, self._clear_wakeup)
        self._thread = threading.Thread(target=self._run, daemon=True, name="runner-supervisor")
        self._thread.start()

    def watch(self, process: EnvironmentProcess) -> None:
        """Start reading a new process's responses and enforcing its deadlines. Reap the process when it exits."""
        with self._lock:
            self._new.append(process)
        self._wake_up()

    def wake_by(self, deadline: float) -> None:
        """Ensure that the supervisor checks deadlines no later than ``deadline`` (monotonic time in seconds)."""
        if self._asleep_until is None or deadline < self._asleep_until:
            self._wake_up()

    def end(self, timeout: float) -> None:
        """Wait up to ``timeout`` seconds until all environments have ended. The caller must retire them first."""
        self._is_ending = True
        self._wake_up()
        self._thread.join(timeout)

    def _wake_up(self) -> None:
        with self._lock:
            if not self._has_ended:  # another file may have got the number of the descriptor
                os.eventfd_write(self._wakeup_fd, 1)

    def _clear_wakeup(self) -> None:
        os.eventfd_read(self._wakeup_fd)

    def _run(self) -> None:
        while not (self._is_ending and not self._watched and not self._new):
            self._register_new()
            for key, _ in self._selector.select(self._seconds_to_sleep()):
                key.data()
        self._selector.close()
        with self._lock:
            self._has_ended = True
            os.close(self._wakeup_fd)

    def _seconds_to_sleep(self) -> float | None:
        """Enforce all deadlines. Return the seconds until the next deadline, or None if there is none."""
        self._asleep_until = None  # None ensures that wake_by wakes this thread if called during the checks below
        now = time.monotonic()
        for process in self._watched:
            process.enforce_deadlines(now)
        deadlines = [self._on_wake(now), *(process.next_deadline for process in self._watched)]
        self._asleep_until = min((at for at in deadlines if at is not None), default=None)
        return None if self._asleep_until is None else max(0.0, self._asleep_until - now)

    def _register_new(self) -> None:
        with self._lock:
            new, self._new = self._new, []
        for process in new:
            self._watched.append(process)
            self._selector.register(process.output, selectors.EVENT_READ, partial(self._read, process))
            self._selector.register(process.pidfd, selectors.EVENT_READ, partial(self._reap, process))

    def _read(self, process: EnvironmentProcess) -> None:
        if process in self._watched and not process.read_responses():
            self._selector.unregister(process.output)

    def _reap(self, process: EnvironmentProcess) -> None:
        process.read_responses()
        with contextlib.suppress(KeyError):  # _read has already unregistered the output if the stream has ended
            self._selector.unregister(process.output)
        self._selector.unregister(process.pidfd)
        self._watched.remove(process)
        self._on_exit(process)
        process.reap()

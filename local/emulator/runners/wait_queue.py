"""First-come, first-served queue for invocations that wait because all environments are in use."""

import threading
import time
from collections.abc import Callable, Collection
from itertools import takewhile
from typing import Protocol

from local.emulator.runners.context import InvocationError

_NOTICE_SECONDS = 1.0  # seconds until the user learns that the invocation waits; most waits are shorter
_CHECK_SECONDS = 5.0  # seconds between an invocation's keep-alives; long, because hundreds of invocations may wait

Key = tuple[str, str]
"""An environment's function name and tenant."""


class InvocationListener(Protocol):
    """Listener of an invocation: sends heartbeats while it waits in the queue, and reports its failure."""

    def keep_alive(self) -> bool:
        """Report that the invocation still waits. Return False if it was canceled. Called every few seconds."""
        ...

    def on_wait(self) -> None:
        """Tell the user that the invocation waits. Called once, if the wait takes longer than a second."""
        ...

    def on_start(self) -> None:
        """Tell the user that the invocation does not wait any more. Called only after ``on_wait``."""
        ...

    def on_timeout(self, reason: str) -> None:
        """End the invocation with an error, because it has waited too long."""
        ...

    def on_failure(self, reason: str) -> None:
        """End the invocation with an error, because its handler failed or its environment ended."""
        ...


class NullListener:
    """``InvocationListener`` that does nothing, because the invocation's caller waits for the result."""

    def keep_alive(self) -> bool:
        """Return True, because the caller still waits for the invocation."""
        return True

    def on_wait(self) -> None:
        """Do nothing, because no user follows the invocation."""

    def on_start(self) -> None:
        """Do nothing, because no user follows the invocation."""

    def on_timeout(self, reason: str) -> None:
        """Do nothing, because the invocation's caller gets the timeout error."""

    def on_failure(self, reason: str) -> None:
        """Do nothing, because the invocation's caller gets the error."""


ListenerFactory = Callable[[object], InvocationListener]
"""Type of a function that returns the listener for an invocation, given the invocation's event."""


class InvocationCancelled(InvocationError):
    """The invocation was canceled while it waited for an environment."""


class QueuedInvocation:
    """An invocation that waits for an environment, for at most ``max_wait_seconds``.

    ``woken`` is set when the invocation must look again whether there is an environment for it.
    """

    def __init__(self, key: Key, listener: InvocationListener, max_wait_seconds: float) -> None:
        self.key = key
        self.woken = threading.Event()
        self._listener = listener
        self._next_check = time.monotonic()
        self._notice_at: float | None = self._next_check + _NOTICE_SECONDS
        self._deadline = self._next_check + max_wait_seconds

    @property
    def seconds_to_check(self) -> float:
        """Return the seconds until the next call of ``check`` is due."""
        next_check = self._next_check if self._notice_at is None else min(self._next_check, self._notice_at)
        return max(0.0, min(next_check, self._deadline) - time.monotonic())

    def check(self, timeout_reason: str) -> None:
        """Call the listener's ``keep_alive`` and ``on_wait`` if a call is due.

        Raise InvocationCancelled if the invocation was canceled. Raise InvocationError with ``timeout_reason`` if the
        invocation waited too long.
        """
        now = time.monotonic()
        if now >= self._next_check:
            self._next_check = now + _CHECK_SECONDS
            if not self._listener.keep_alive():
                raise InvocationCancelled("Gone", "The invocation was cancelled while it waited.")
        if self._notice_at is not None and now >= self._notice_at:
            self._notice_at = None
            self._listener.on_wait()
        if now >= self._deadline:
            self._listener.on_timeout(timeout_reason)
            raise InvocationError("TooManyRequestsException", timeout_reason)

    def start(self) -> None:
        """Call the listener's ``on_start`` if the listener has told the user that the invocation waits."""
        if self._notice_at is None:
            self._listener.on_start()


class WaitQueue:
    """The invocations that wait for an environment, oldest first. Not thread-safe: the caller must hold a lock."""

    def __init__(self) -> None:
        self._queued: list[QueuedInvocation] = []

    def __len__(self) -> int:
        """Return how many invocations wait."""
        return len(self._queued)

    def count_missing(self, existing: Collection[Key]) -> int:
        """Return how many environments the queued invocations need in addition to the ``existing`` ones.

        Queued invocations of the same function and tenant share one environment.
        """
        return len({each.key for each in self._queued} - set(existing))

    def count_ahead(self, key: Key, invocation: QueuedInvocation | None) -> int:
        """Return how many other environments must start before the environment of ``invocation``.

        ``key`` is the function name and tenant of that environment. If ``invocation`` is None, it is not queued yet, so
        all queued invocations come first.
        """
        ahead = takewhile(lambda each: each is not invocation, self._queued)
        return len({each.key for each in ahead} - {key})

    def wake(self, existing: Collection[Key], free: int) -> None:
        """Wake the invocations whose environment is one of the ``existing`` ones, or of the next ``free`` to start."""
        ahead: set[Key] = set()
        for each in self._queued:
            if each.key in existing or len(ahead - {each.key}) < free:
                each.woken.set()
            ahead.add(each.key)

    def wake_all(self) -> None:
        """Wake all invocations."""
        for each in self._queued:
            each.woken.set()

    def add(self, invocation: QueuedInvocation) -> None:
        """Add an invocation at the end of the queue."""
        self._queued.append(invocation)

    def remove(self, invocation: QueuedInvocation) -> None:
        """Remove an invocation from any position in the queue."""
        self._queued.remove(invocation)

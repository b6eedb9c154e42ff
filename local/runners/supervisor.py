"""The one thread that listens to all environments: to what they answer, to their deaths, and to the clock."""

import contextlib
import os
import selectors
import threading
import time
from collections.abc import Callable
from functools import partial

from local.runners.child import Child


class Supervisor:
    """Reads the children's answers and notices at once when one dies, without polling.

    ``died(child)`` is called before a dead child is buried. ``tick(now)`` is called after whatever happened; it
    returns the monotonic time of its own next concern, if it has one.
    """

    def __init__(self, died: Callable[[Child], None], tick: Callable[[float], float | None]) -> None:
        self._died = died
        self._tick = tick
        self._lock = threading.Lock()
        self._new: list[Child] = []
        self._watched: list[Child] = []
        self._ending = False
        self._asleep_until: float | None = None
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._bell, selectors.EVENT_READ, self._wake)
        self._thread = threading.Thread(target=self._run, daemon=True, name="runner-supervisor")
        self._thread.start()

    def watch(self, child: Child) -> None:
        """Look after a new child."""
        with self._lock:
            self._new.append(child)
        self._ring()

    def look_by(self, deadline: float) -> None:
        """See to it that the clock is looked at no later than ``deadline`` (monotonic, seconds)."""
        if self._asleep_until is None or deadline < self._asleep_until:
            self._ring()

    def end(self, timeout: float) -> None:
        """Stop as soon as the last child is dead, which the caller has seen to, and wait for it."""
        self._ending = True
        self._ring()
        self._thread.join(timeout)

    def _ring(self) -> None:
        os.eventfd_write(self._bell, 1)

    def _wake(self) -> None:
        os.eventfd_read(self._bell)

    def _run(self) -> None:
        while not (self._ending and not self._watched and not self._new):
            self._admit()
            for key, _ in self._selector.select(self._sleep()):
                key.data()
        self._selector.close()
        os.close(self._bell)

    def _sleep(self) -> float | None:
        """Do what is due and return for how many seconds there is nothing to do."""
        self._asleep_until = None  # whoever comes with a deadline while this looks around must ring
        now = time.monotonic()
        for child in self._watched:
            child.enforce(now)
        concerns = [self._tick(now), *(child.next_deadline for child in self._watched)]
        self._asleep_until = min((at for at in concerns if at is not None), default=None)
        return None if self._asleep_until is None else max(0.0, self._asleep_until - now)

    def _admit(self) -> None:
        with self._lock:
            new, self._new = self._new, []
        for child in new:
            self._watched.append(child)
            self._selector.register(child.output, selectors.EVENT_READ, partial(self._listen, child))
            self._selector.register(child.pidfd, selectors.EVENT_READ, partial(self._bury, child))

    def _listen(self, child: Child) -> None:
        if child in self._watched and not child.read():
            self._selector.unregister(child.output)

    def _bury(self, child: Child) -> None:
        child.read()
        with contextlib.suppress(KeyError):  # its end was read before
            self._selector.unregister(child.output)
        self._selector.unregister(child.pidfd)
        self._watched.remove(child)
        self._died(child)
        child.bury()

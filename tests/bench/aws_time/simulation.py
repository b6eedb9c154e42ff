"""A small discrete-event simulation: processes are generators that yield delays or signals, in virtual time."""

import heapq
from collections.abc import Generator
from itertools import count

Process = Generator["float | Signal", None, None]
"""A process yields the seconds that it waits, or the signal that it waits for."""


class Signal:
    """Something that happens once. ``time`` is when it happened, or None."""

    def __init__(self) -> None:
        self.time: float | None = None
        self._waiting: list[Process] = []

    @property
    def happened(self) -> bool:
        """Return True if the signal was sent."""
        return self.time is not None

    def wait(self, process: Process) -> None:
        """Continue this process when the signal is sent."""
        self._waiting.append(process)

    def take_waiting(self) -> list[Process]:
        """Return the waiting processes, once."""
        waiting, self._waiting = self._waiting, []
        return waiting


class Simulation:
    """Runs processes in virtual time. ``now`` is the virtual time in seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self._queue: list[tuple[float, int, Process, Signal]] = []
        self._ended: dict[int, Signal] = {}
        self._order = count()

    def start(self, process: Process, delay: float = 0) -> Signal:
        """Start a process after a delay. Return the signal of its end."""
        ended = Signal()
        self._ended[id(process)] = ended
        self._schedule(process, delay)
        return ended

    def send(self, signal: Signal) -> None:
        """Send a signal, unless it was sent before. Continue the processes that wait for it."""
        if signal.happened:
            return
        signal.time = self.now
        for process in signal.take_waiting():
            self._schedule(process, 0)

    def run(self) -> None:
        """Run until all processes have ended or wait for signals that are never sent."""
        while self._queue:
            self.now, _, process, ended = heapq.heappop(self._queue)
            self._continue(process, ended)

    def _continue(self, process: Process, ended: Signal) -> None:
        for waited in process:
            if not isinstance(waited, Signal):
                self._schedule(process, waited)
                return
            if not waited.happened:
                waited.wait(process)
                return
        del self._ended[id(process)]
        self.send(ended)

    def _schedule(self, process: Process, delay: float) -> None:
        heapq.heappush(self._queue, (self.now + delay, next(self._order), process, self._ended[id(process)]))

"""The bytes of one transfer as people see them: a bar on a terminal, a line now and then elsewhere."""

import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from local.cli.text import one_line
from satchel.domain.prompt import human_size

_LINES = 10  # of a transfer, where there is no terminal
_LEAST_LINES = 16 << 20  # bytes; what is smaller is told when it is done


class TransferBar:
    """Shows how much of ``size`` bytes has gone; a context manager, told from any thread."""

    def __init__(self, console: Console, name: str, size: int) -> None:
        self._console, self._name, self._size = console, one_line(name), size
        self._done = 0
        self._lines = 0
        self._lock = threading.Lock()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),  # a name in brackets is a name, not a colour
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task(self._name, total=size)

    def __enter__(self) -> Self:
        """Start to draw."""
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """Take the bar away."""
        self._progress.stop()

    def advance(self, count: int) -> None:
        """Note that so many bytes more have gone; fewer than none where they must go again."""
        with self._lock:
            self._done += count
            self._progress.update(self._task, completed=self._done)
            if not self._console.is_terminal:
                self._say()

    def _say(self) -> None:
        tenths = _LINES * self._done // self._size if self._size >= _LEAST_LINES else 0
        if tenths > self._lines:
            self._lines = tenths
            share = 100 * self._done // self._size
            line = f"{self._name}: {share}% ({human_size(self._done)} of {human_size(self._size)})"
            self._console.print(line, markup=False, highlight=False, emoji=False, soft_wrap=True)

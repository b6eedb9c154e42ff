"""Terminal output: the answer of a turn, the progress of its tools, and the progress of a file transfer."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from local.cli.text import one_line, sanitize
from satchel.domain.prompt import format_size
from satchel_client import Event
from satchel_client.models import (
    FinalResponse,
    ResponseArtifact,
    ResponseDeferred,
    ToolComplete,
    ToolNotice,
    ToolProgress,
    ToolStart,
)

TurnFile = ResponseArtifact | ResponseDeferred

_PERCENT = 100.0
_MAX_PROGRESS_LINES = 10  # maximum progress lines per file transfer, if the output is not a terminal
_MIN_SIZE_FOR_LINES = 16 << 20  # bytes; the transfer of a smaller file prints no progress lines


def answer_lines(response: FinalResponse, save_results: Sequence[str]) -> Iterator[str]:
    """Yield the lines to print for an answer: its message, its files, and the command that continues the session.

    ``save_results`` contains one text for each of the answer's files, or is empty if the files were not saved.
    """
    if response.message:
        yield sanitize(response.message)
    yield from file_lines(response, save_results)
    yield ""
    yield f"Session {response.session_id}"
    yield f'Go on with: satchel ask --session {response.session_id} "…"'


def file_lines(response: FinalResponse, save_results: Sequence[str]) -> Iterator[str]:
    """Yield lines to print for an answer's files, then for its deferred files, which wait for an action of the user."""
    count = len(response.artifacts)
    yield from _section("Files", response.artifacts, save_results[:count])
    yield from _section("Waiting for you", response.deferred_artifacts, save_results[count:])


def files_of(response: FinalResponse) -> list[TurnFile]:
    """Return all files of an answer in the order in which `file_lines` lists them."""
    return [*response.artifacts, *response.deferred_artifacts]


def _section(title: str, files: Sequence[TurnFile], save_results: Sequence[str]) -> Iterator[str]:
    if not files:
        return
    yield ""
    yield title
    rows = [[one_line(file.name), file.mime, format_size(file.size)] for file in files]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for index, (file, (name, mime, size)) in enumerate(zip(files, rows, strict=True)):
        suffix = f"  {save_results[index]}" if save_results else ""
        yield f"  {name:<{widths[0]}}  {mime:<{widths[1]}}  {size:>{widths[2]}}{suffix}"
        if isinstance(file, ResponseDeferred):
            yield from _next_steps(file)


def _next_steps(file: ResponseDeferred) -> Iterator[str]:
    if file.reason:
        yield f"    why: {one_line(file.reason)}"
    for action in file.next_actions:
        yield f"    next: {one_line(action)}"


class TurnProgress:
    """Shows the events of a turn: a line for each notice and, on a terminal, a bar for each running tool.

    Use it as a context manager, which removes the bars on exit.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tools: dict[str, str] = {}
        self._bars: dict[str, TaskID] = {}
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),  # show brackets in a name as text, not as color markup
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[message]}", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        """Start drawing the progress bars."""
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """Stop drawing, and remove the progress bars."""
        self._progress.stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Remove the bars while the user answers a question."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()

    def show(self, event: Event) -> None:
        """Show an event of a tool call. Ignore all other kinds of events."""
        match event:
            case ToolStart():
                self._tools[event.call_id] = one_line(event.tool)
                self._bar(event.call_id)
            case ToolProgress():
                self._progress.update(
                    self._bar(event.call_id),
                    total=None if event.percentage is None else _PERCENT,
                    completed=event.percentage,
                    message=one_line(event.message),
                )
            case ToolNotice():
                _print_line(self._console, f"{self._tool(event.call_id)}: {one_line(event.message)}")
            case ToolComplete():
                self._complete(event)

    def _complete(self, event: ToolComplete) -> None:
        if (bar := self._bars.pop(event.call_id, None)) is not None:
            self._progress.remove_task(bar)
        if event.is_error:
            _print_line(self._console, f"{self._tool(event.call_id)} failed ({event.error_code or 'no code'})")

    def _bar(self, call: str) -> TaskID:
        if call not in self._bars:
            self._bars[call] = self._progress.add_task(self._tool(call), total=None, message="")
        return self._bars[call]

    def _tool(self, call: str) -> str:
        return self._tools.get(call) or "a tool"


class TransferBar:
    """Shows how many of ``size`` bytes are transferred: a bar on a terminal, otherwise up to ten lines.

    Use it as a context manager. Any thread may call `advance`.
    """

    def __init__(self, console: Console, name: str, size: int) -> None:
        self._console, self._name, self._size = console, one_line(name), size
        self._done = 0
        self._lines = 0
        self._lock = threading.Lock()
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),  # show brackets in a name as text, not as color markup
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
        """Start drawing the progress bar."""
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """Stop drawing, and remove the progress bar."""
        self._progress.stop()

    def advance(self, count: int) -> None:
        """Add ``count`` transferred bytes. A negative count subtracts bytes that must be transferred again."""
        with self._lock:
            self._done += count
            self._progress.update(self._task, completed=self._done)
            if not self._console.is_terminal:
                self._print_progress()

    def _print_progress(self) -> None:
        tenths = _MAX_PROGRESS_LINES * self._done // self._size if self._size >= _MIN_SIZE_FOR_LINES else 0
        if tenths > self._lines:
            self._lines = tenths
            percentage = 100 * self._done // self._size
            line = f"{self._name}: {percentage}% ({format_size(self._done)} of {format_size(self._size)})"
            _print_line(self._console, line)


def _print_line(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, emoji=False, soft_wrap=True)

"""What is seen while a turn runs: a line for each notice and, on a terminal, a bar for each running tool."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from local.cli.text import one_line
from local.cli.wire import TurnEvent

WHOLE = 100.0


class Watcher:
    """Shows events on a console (that of stderr); a context manager. Bars are gone when it ends."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._tools: dict[str, str] = {}
        self._bars: dict[str, TaskID] = {}
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),  # a name in brackets is a name, not a colour
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[message]}", markup=False),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Self:
        """Start to draw."""
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        """Take the bars away."""
        self._progress.stop()

    def show(self, event: TurnEvent) -> None:
        """Show one event; types that need no showing pass."""
        match event.type:
            case "tool_start":
                self._tools[event.call_id] = one_line(event.tool or "")
                self._bar(event.call_id)
            case "tool_progress":
                self._progress.update(
                    self._bar(event.call_id),
                    total=None if event.percentage is None else WHOLE,
                    completed=event.percentage,
                    message=one_line(event.message or ""),
                )
            case "tool_notice":
                self._say(f"{self._tool(event.call_id)}: {one_line(event.message or '')}")
            case "tool_complete":
                self._complete(event)

    def _complete(self, event: TurnEvent) -> None:
        if (bar := self._bars.pop(event.call_id, None)) is not None:
            self._progress.remove_task(bar)
        if event.is_error:
            self._say(f"{self._tool(event.call_id)} failed ({event.error_code or 'no code'})")

    def _bar(self, call_id: str) -> TaskID:
        if call_id not in self._bars:
            self._bars[call_id] = self._progress.add_task(self._tool(call_id), total=None, message="")
        return self._bars[call_id]

    def _tool(self, call_id: str) -> str:
        return self._tools.get(call_id) or "a tool"

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, emoji=False, soft_wrap=True)

"""Tests of the progress display of a turn on a terminal."""

import io
from datetime import UTC, datetime
from itertools import pairwise

from rich.console import Console

from local.cli.render import TurnProgress
from satchel_client import Event
from satchel_client.models import ToolComplete, ToolNotice, ToolProgress, ToolStart

ERASE = "\r\x1b[2K"
BASE = {"seq": 1, "turn_id": "t1", "at": datetime(2026, 3, 1, tzinfo=UTC), "call_id": "c1", "server": "report"}


def frames(*events: Event) -> list[str]:
    """Show the events one by one. Return the output after each event, and last the output at the end."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, color_system=None, legacy_windows=False)
    ends = [0]
    with TurnProgress(console) as progress:
        for event in events:
            progress.show(event)
            progress._progress.refresh()  # noqa: SLF001  (its timer does this, but later)
            ends.append(screen.tell())
    ends.append(screen.tell())
    return [screen.getvalue()[start:end] for start, end in pairwise(ends)]


def tool_start(call: str, tool: str) -> Event:
    return ToolStart.model_validate({**BASE, "type": "tool_start", "call_id": call, "tool": tool, "arguments": {}})


def tool_progress(percentage: float | None, message: str) -> Event:
    numbers = {"progress": percentage, "total": None, "percentage": percentage}
    return ToolProgress.model_validate({**BASE, **numbers, "type": "tool_progress", "message": message})


def test_each_running_tool_has_a_bar_with_its_last_message() -> None:
    progress = tool_progress(50, "reading\nrows [red]")
    frame = frames(tool_start("c1", "report.summarise"), tool_start("c2", "calculator.evaluate"), progress)[2]

    first, second = (line.split() for line in frame.rpartition("\x1b[2K")[2].splitlines())
    assert (first[1], first[2], first[4:]) == ("report.summarise", "━" * 20, ["reading", "rows", "[red]"])
    assert (second[1], second[2]) == ("calculator.evaluate", "━" * 40)


def test_notice_stays_on_the_screen_after_the_bar_is_removed() -> None:
    waits = {"seconds": 15, "left_seconds": 15, "message": "Still working…"}
    notice = ToolNotice.model_validate({**BASE, **waits, "type": "tool_notice"})
    ended = {"tool": "report.summarise", "is_error": False, "error_code": None, "suggestion": None}
    complete = ToolComplete.model_validate(
        {**BASE, **ended, "type": "tool_complete", "results": None, "meta_data": None}
    )
    _, after_notice, after_end, _ = frames(tool_start("c1", "report.summarise"), notice, complete)

    assert f"{ERASE}report.summarise: Still working…\n" in after_notice
    assert after_notice.splitlines()[-1].split()[1] == "report.summarise"
    assert "report.summarise" not in after_end


def test_progress_without_a_percentage_is_shown() -> None:
    frame = frames(tool_progress(None, "counting"))[0]

    assert frame.split()[-1] == "counting"

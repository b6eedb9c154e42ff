"""Tests of the progress display of a turn on a terminal."""

import io
from itertools import pairwise

from rich.console import Console

from local.cli.render import TurnProgress
from local.cli.schemas import TurnEvent

ERASE = "\r\x1b[2K"


def frames(*events: TurnEvent) -> list[str]:
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


def tool_start(call: str, tool: str) -> TurnEvent:
    return TurnEvent(seq=1, type="tool_start", call_id=call, tool=tool)


def test_each_running_tool_has_a_bar_with_its_last_message() -> None:
    progress = TurnEvent(seq=3, type="tool_progress", call_id="c1", percentage=50, message="reading\nrows [red]")
    frame = frames(tool_start("c1", "report.summarise"), tool_start("c2", "calculator.evaluate"), progress)[2]

    first, second = (line.split() for line in frame.rpartition("\x1b[2K")[2].splitlines())
    assert (first[1], first[2], first[4:]) == ("report.summarise", "━" * 20, ["reading", "rows", "[red]"])
    assert (second[1], second[2]) == ("calculator.evaluate", "━" * 40)


def test_notice_stays_on_the_screen_after_the_bar_is_removed() -> None:
    notice = TurnEvent(seq=2, type="tool_notice", call_id="c1", message="Still working…")
    complete = TurnEvent(seq=3, type="tool_complete", call_id="c1")
    _, after_notice, after_end, _ = frames(tool_start("c1", "report.summarise"), notice, complete)

    assert f"{ERASE}report.summarise: Still working…\n" in after_notice
    assert after_notice.splitlines()[-1].split()[1] == "report.summarise"
    assert "report.summarise" not in after_end


def test_progress_without_a_percentage_is_shown() -> None:
    frame = frames(TurnEvent(seq=1, type="tool_progress", call_id="c9", message="counting"))[0]

    assert frame.split()[-1] == "counting"

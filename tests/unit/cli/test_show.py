"""What a terminal shows while a turn runs."""

import io
from itertools import pairwise

from rich.console import Console

from local.cli.show import Watcher
from local.cli.wire import TurnEvent

ERASE = "\r\x1b[2K"


def drawn(*events: TurnEvent) -> list[str]:
    """Show the events one by one and return what was drawn after each; the last is what remains."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=100, color_system=None, legacy_windows=False)
    ends = [0]
    with Watcher(console) as watcher:
        for event in events:
            watcher.show(event)
            watcher._progress.refresh()  # noqa: SLF001  (what its timer does, without the time)
            ends.append(screen.tell())
    ends.append(screen.tell())
    return [screen.getvalue()[start:end] for start, end in pairwise(ends)]


def start(call: str, tool: str) -> TurnEvent:
    return TurnEvent(seq=1, type="tool_start", call_id=call, tool=tool)


def test_each_running_tool_has_a_bar_with_its_last_message() -> None:
    progress = TurnEvent(seq=3, type="tool_progress", call_id="c1", percentage=50, message="reading\nrows [red]")
    frame = drawn(start("c1", "report.summarise"), start("c2", "calculator.evaluate"), progress)[2]

    first, second = (line.split() for line in frame.rpartition("\x1b[2K")[2].splitlines())
    assert (first[1], first[2], first[4:]) == ("report.summarise", "━" * 20, ["reading", "rows", "[red]"])
    assert (second[1], second[2]) == ("calculator.evaluate", "━" * 40)


def test_a_notice_stays_on_the_screen_when_the_bar_is_gone() -> None:
    notice = TurnEvent(seq=2, type="tool_notice", call_id="c1", message="Still working…")
    complete = TurnEvent(seq=3, type="tool_complete", call_id="c1")
    _, noticed, completed, _ = drawn(start("c1", "report.summarise"), notice, complete)

    assert f"{ERASE}report.summarise: Still working…\n" in noticed
    assert noticed.splitlines()[-1].split()[1] == "report.summarise"
    assert "report.summarise" not in completed


def test_progress_of_unknown_length_is_shown_too() -> None:
    frame = drawn(TurnEvent(seq=1, type="tool_progress", call_id="c9", message="counting"))[0]

    assert frame.split()[-1] == "counting"

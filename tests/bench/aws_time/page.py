"""``make bench BENCH=--aws``: simulate the recorded turns on AWS, and write docs/benchmarks-aws.md."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.bench.aws_time import before, delays, push, recording, trace, turns
from tests.bench.aws_time.cloud import folder_of, start_seconds
from tests.bench.aws_time.trace import Turn
from tests.bench.aws_time.turns import Times, Version

_Recordings = Sequence[tuple[Version, Mapping[str, Turn]]]
"""A version and its recorded turns by kind: before, and now."""
_HEAD = """# Times on AWS

Nothing was measured on AWS. These times are computed by a model (`make bench BENCH=--aws`, in `tests/bench/aws_time/`):

1. A run of all deployed functions on moto records the requests of a turn of each kind: which request of a function
   waits for which, and the processor time of each invocation (`BENCH="--aws --record"` records them again).
2. A simulation in virtual time replays them. Each request, invocation and state transition takes a random time of the
   distributions below. Processor time is the measured one, at the function's share of a core. Functions have
   environments: a new one starts if all are busy, or if AWS ended the idle one. A record of the table's stream waits
   for Lambda's poll, then for the earlier batches of its shard.

So the load of the machine, and the emulator's own time, do not matter. The time of the model and of the tool is zero:
these are the times that Satchel and AWS add to them.

"Before" is the last version without a budget for requests (commit `a3d1d58b` of 22 November 2026). The program that
records was copied onto it (`before.py`); its turns are replayed with the same distributions and starts of environments.
"""
_TURNS = """
## Turns

Milliseconds from sending a message to the model's first text on the page, and to the end of the turn on the page. All
people send a message within one second, and again every 30 s; the first messages, which start the environments, do not
count. The page follows the turn before the model's first text. At least 1,000 turns for each row.

| turn | people at once | first text before, p50 | p99 | now, p50 | p99 | end before, p50 | p99 | now, p50 | p99 |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|
"""
_ROUNDS = """
## Rounds of tool calls

Milliseconds from the end of a reply with a tool call to the model's next request, in the same turns: what a round takes
besides the tool.

| turn | people at once | before, p50 | p90 | p99 | now, p50 | p90 | p99 |
|---|--:|--:|--:|--:|--:|--:|--:|
"""
_PUSH = """
## Updates while answers are streamed

{people} people's answers are streamed at once for 30 s. Think and the table's stream push each event; the first of them
counts. The table has the milliseconds between two updates of a page. In the second row, the connection of one more
person answers nothing.

| connections | p50 | p99 | max | above {limit:g} ms |
|---|--:|--:|--:|--:|
"""
_FIRST = """
## The first message after a pause

Milliseconds if no function has an environment: the first message of the day. In the last row, only the person's runner
has one, as if it had been started when the session was opened.

| turn | environments | first text before, p50 | p99 | now, p50 | p99 | end before, p50 | p99 | now, p50 | p99 |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|
"""
_COLD = """
## New environments

The seconds that the start of an environment adds to the first request: AWS's part ({platform:.1f} s at the median), and
the processor time of imports and clients, for which Lambda gives a full core. The runner's row is without the start of
the MCP server.

| function | seconds |
|---|--:|
"""
_DELAYS = """
## Distributions

Milliseconds, distributed log-normally. An estimate has no published figure behind it.

| time | p50 | p99 | source |
|---|--:|--:|---|
"""


def main(arguments: Sequence[str], docs: Path) -> int:
    """Write the page and print its tables; after a recording, also those that it had before."""
    file = docs / "benchmarks-aws.md"
    if "--record" in arguments:
        if file.exists():
            sys.stdout.write(f"before:\n{_tables(file.read_text(encoding='utf-8'))}\n")
        trace.write(recording.record(), trace.TRACES)
    page = document(trace.read())
    file.write_text(page, encoding="utf-8")
    sys.stdout.write(_tables(page))
    return 0


def _tables(page: str) -> str:
    return "".join(line for line in page.splitlines(keepends=True) if line.startswith("|"))


def document(recorded: Mapping[str, Turn]) -> str:
    """Return the page. Equal recordings give an equal page."""
    versions = [(before.VERSION, trace.read(before.TRACES)), (turns.NOW, recorded)]
    return "".join(
        [
            _HEAD,
            *_turn_rows(versions),
            *_push_rows(recorded),
            *_first_rows(versions),
            *_cold_rows(recorded),
            *_delay_rows(),
        ]
    )


def _turn_rows(versions: _Recordings) -> Iterator[str]:
    rounds = [_ROUNDS]
    yield _TURNS
    for scenario in turns.SCENARIOS:
        for people in turns.PEOPLE:
            times = [
                turns.simulate(recorded[scenario.kind], scenario.rounds, people, version=version)
                for version, recorded in versions
            ]
            yield f"| {scenario.title} | {people} | {_cells(times)} |\n"
            if scenario.rounds:
                cells = _milliseconds([each.round for each in times], 50, 90, 99)
                rounds.append(f"| {scenario.title} | {people} | {cells} |\n")
    yield from rounds


def _first_rows(versions: _Recordings) -> Iterator[str]:
    yield _FIRST
    for title, kind, rounds, environments in (
        ("talk", "talk", 0, "none"),
        ("one tool call", "tool", 1, "none"),
        ("one tool call", "tool", 1, "the runner"),
    ):
        times = [
            turns.simulate_first(recorded[kind], rounds, warm_runner=environments == "the runner", version=version)
            for version, recorded in versions
        ]
        yield f"| {title} | {environments} | {_cells(times)} |\n"


def _cells(times: Sequence[Times]) -> str:
    """Return the cells of the first text of each version, then those of the end."""
    return _milliseconds([*(each.first_text for each in times), *(each.end for each in times)], 50, 99)


def _milliseconds(columns: Sequence[Sequence[float]], *percents: int) -> str:
    figures = [turns.percentile(values, percent) for values in columns for percent in percents]
    return " | ".join(f"{1000 * figure:.0f}" for figure in figures)


def _push_rows(recorded: Mapping[str, Turn]) -> Iterator[str]:
    yield _PUSH.format(people=push.PEOPLE, limit=1000 * push.MAX_GAP_SECONDS)
    for title, dead in (("all answer", False), ("one answers nothing", True)):
        gaps = push.simulate(recorded["talk"], dead=dead)
        times = [turns.percentile(gaps.seconds, 50), turns.percentile(gaps.seconds, 99), max(gaps.seconds)]
        yield f"| {title} | {' | '.join(f'{1000 * time:.0f}' for time in times)} | {gaps.late:.2%} |\n"


def _cold_rows(recorded: Mapping[str, Turn]) -> Iterator[str]:
    platform = delays.COLD_PLATFORM.median / 1000
    yield _COLD.format(platform=platform)
    functions = {folder_of(each.function): each.function for turn in recorded.values() for each in turn}
    for folder, function in sorted(functions.items()):
        yield f"| `{folder}` | {platform + start_seconds(function):.1f} |\n"


def _delay_rows() -> Iterator[str]:
    yield _DELAYS
    others = {
        "state transition": delays.TRANSITION,
        "HTTP API": delays.HTTP_API,
        "invocation of a warm environment": delays.INVOCATION,
        "asynchronous invocation, in the queue": delays.EVENT_QUEUE,
        "reading records of a shard": delays.POLL,
        "new environment, AWS's part": delays.COLD_PLATFORM,
        "start of an MCP server": delays.SERVER_START,
        f"throttled request ({delays.THROTTLE_PROBABILITY:.2%})": delays.THROTTLE,
    }
    for name, delay in {**{f"`{name}`": delay for name, delay in delays.REQUESTS.items()}, **others}.items():
        source = delay.source if delay.source == delays.ESTIMATE else f"<{delay.source}>"
        yield f"| {name} | {delay.median:g} | {delay.p99:g} | {source} |\n"
    hours = delays.LIFETIME_SECONDS // 3600
    yield f"\nA record waits up to {delays.POLL_SECONDS} s for the poll of an idle shard (<{delays.POLL_SOURCE}>).\n"
    yield f"The table has {delays.SHARDS} shards (estimate). AWS ends an environment after {hours} hours on average\n"
    yield "(estimate).\n"

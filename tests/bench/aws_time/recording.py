"""Record turns of each kind: all functions run as deployed, each in its process, on moto.

The times of the machine decide only the order of requests: a request waits for those that had ended when it began.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.aws_time.trace import Invocation, Span, Turn, find_dependencies
from tests.infra.conftest import synthesize
from tests.infra.deployment.function_process import INVOCATION
from tests.infra.deployment.gateways import Json
from tests.infra.deployment.scenario import Scenario, install_tool_server, wait_until
from tests.infra.deployment.system import DeployedSystem, deploy

MESSAGES = {
    "talk": "What can you do?",
    "tool": '/legacy.read {"filenames": []}',
    "file": '/report.summarise {"filename": "sales.csv"}',
}

_TURNS = 7
_MODEL_TIME = timedelta(seconds=1.5)
"""Time for the page to subscribe to the turn before the model's first text, as with any real model."""


def record() -> dict[str, list[Invocation]]:
    """Return the invocations of a turn of each kind. Turns of the same kind run before, so all functions are warm.

    The processor time of each invocation is the median of all turns of its kind.
    """
    with TemporaryDirectory() as folder:
        templates, scratch = Path(folder) / "templates", Path(folder) / "run"
        scratch.mkdir()
        synthesize(templates, "default")
        with deploy(templates / "default", scratch) as system:
            install_tool_server(system)
            system.invoke("Refresh", {"source": "aws.cloudformation"})
            system.set_model_time(_MODEL_TIME)
            return _record(system)


def _record(system: DeployedSystem) -> dict[str, list[Invocation]]:
    scenario = Scenario(system)
    scenario.user.upload(scenario.session_id, "sales.csv", b"a,b\n1,2\n")
    turns = {}
    for kind, message in MESSAGES.items():
        recorded = []
        for _ in range(1 + _TURNS):
            earlier = {each["invocation"] for each in _entries(system)}
            _run(scenario, message)
            recorded.append(_invocations([each for each in _entries(system) if each["invocation"] not in earlier]))
        turns[kind] = with_median_times(recorded[-1], recorded[1:])
    return turns


def with_median_times(turn: Turn, turns: Sequence[Turn]) -> list[Invocation]:
    """Return the turn with the median processor time of its invocations in all turns, function by function."""
    times: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for each in turns:
        for key, invocation in _numbered(each):
            times[key].append(invocation.processor_seconds)
    return [replace(invocation, processor_seconds=round(median(times[key]), 4)) for key, invocation in _numbered(turn)]


def _numbered(turn: Turn) -> Iterator[tuple[tuple[str, int], Invocation]]:
    """Yield each invocation with its function's name and its number among those of the function."""
    numbers: defaultdict[str, int] = defaultdict(int)
    for invocation in turn:
        yield (invocation.function, numbers[invocation.function]), invocation
        numbers[invocation.function] += 1


def _run(scenario: Scenario, message: str) -> None:
    """Run a turn that a connection follows, and wait until its last event was pushed."""
    client = scenario.connect()
    turn = str(scenario.user.start_turn(scenario.session_id, message)["turn_id"])
    scenario.follow(client, turn)
    wait_until(lambda: any(page.get("done") for page in client.messages))
    wait_until(lambda: not scenario.is_running(turn))  # the page is earlier, and the spans of Think are not complete
    client.disconnect()


def _entries(system: DeployedSystem) -> list[Json]:
    return [
        {"function": file.name, **json.loads(line)}
        for file in sorted(system.spans.iterdir())
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def _invocations(entries: list[Json]) -> list[Invocation]:
    groups: defaultdict[str, list[Json]] = defaultdict(list)
    for each in entries:
        groups[each["invocation"]].append(each)
    began: dict[str, Any] = {name: min(each["began"] for each in group) for name, group in groups.items()}
    return [_invocation(groups[name]) for name in sorted(groups, key=began.__getitem__)]


def _invocation(entries: list[Json]) -> Invocation:
    spans = [
        Span(each["name"], each["began"], each["ended"], each["events"])
        for each in entries
        if each["name"] != INVOCATION
    ]
    processor_seconds = sum(each["processor_seconds"] for each in entries)
    return Invocation(entries[0]["function"], round(processor_seconds, 4), find_dependencies(spans))

"""Record turns of each kind: all functions run as deployed, each in its process, on moto.

The times of the machine decide only the order of requests: a request waits for those that had ended when it began.
"""

import json
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.aws_time.trace import Invocation, Span, find_dependencies
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

_MODEL_TIME = timedelta(seconds=1.5)
"""Time for the page to subscribe to the turn before the model's first text, as with any real model."""


def record() -> dict[str, list[Invocation]]:
    """Return the invocations of a turn of each kind. A turn of the same kind runs before, so all functions are warm."""
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
        _run(scenario, message)
        earlier = {each["invocation"] for each in _entries(system)}
        _run(scenario, message)
        turns[kind] = _invocations([each for each in _entries(system) if each["invocation"] not in earlier])
    return turns


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

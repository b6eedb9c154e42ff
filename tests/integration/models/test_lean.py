"""The library without its agents asks every model as the whole of it does: in a process that has nothing else of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fake_providers.replies import Answer
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.integration.models.conftest import AWS, KEYS

ROOT = Path(__file__).parents[3]
ASK = """
import sys
from satchel.bootstrap import models
from satchel.domain.conversation import AssistantMessage, ModelTask, ProposedCall, ToolMessage, ToolSpec, UserMessage
from tests.fakes.llm import Listener
tool = ToolSpec(server="weather", name="get", input_schema={"type": "object", "properties": {"city": {}}})
call = ProposedCall(tool="weather.get", arguments="{}", ref="1")
result = ToolMessage(ref="1", tool=tool.full_name, content={})
told = [UserMessage(text="?"), AssistantMessage(text="", calls=[call]), result]
for name in sys.argv[1:]:
    print(models.make_model(name).reply(ModelTask(instructions="Be.", messages=told, tools=[tool]), Listener()).text)
    print(*sorted(sys.modules))
models.close()
"""


ASKED = ("bedrock", "openai-chat", "anthropic")  # one after the other
AGENTS = {"pydantic_ai.agent", "pydantic_graph.graph_builder", "griffe"}


@pytest.fixture(scope="module")
def told(serving: FakeEndpoint) -> dict[str, tuple[str, set[str]]]:
    """Return of each provider, asked after those before it, what it answered and which modules there are by then."""
    serving.default_reply = lambda _: Answer(["Yes", "."])
    command = [sys.executable, "-W", "error", "-c", ASK, *map(serving.model_name, ASKED)]
    environ = {**os.environ, **AWS, **KEYS, "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/core/python'}"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  (ours)
    serving.default_reply = lambda _: Answer(["Hello."])
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return {
        provider: (answer, set(modules.split()))
        for provider, answer, modules in zip(ASKED, lines[::2], lines[1::2], strict=True)
    }


@pytest.mark.parametrize("provider", ASKED)
def test_every_provider_is_asked_without_the_agents(provider: str, told: dict[str, tuple[str, set[str]]]) -> None:
    answer, modules = told[provider]
    assert answer == "Yes."
    assert AGENTS & modules == set()


def test_only_providers_that_were_asked_are_imported(told: dict[str, tuple[str, set[str]]]) -> None:
    libraries = {"openai", "anthropic"}
    imported = [libraries & modules for _, modules in told.values()]
    assert imported == [set(), {"openai"}, libraries]
    assert set(told) == set(PROVIDERS)

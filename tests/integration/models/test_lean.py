"""The library without its agents asks every model as the whole of it does: in a process that has nothing else of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endpoints.acts import Answers
from tests.endpoints.server import PROVIDERS, Endpoint
from tests.integration.models.conftest import AWS, KEYS

ROOT = Path(__file__).parents[3]
ASK = """
import sys
from satchel.bootstrap import models
from satchel.domain.conversation import AssistantMessage, ModelTask, ProposedCall, ToolMessage, ToolSpec, UserMessage
from tests.fakes.model import Listener
tool = ToolSpec(server="weather", name="get", input_schema={"type": "object", "properties": {"city": {}}})
call = ProposedCall(tool="weather.get", arguments="{}", ref="1")
result = ToolMessage(ref="1", tool=tool.full_name, content={})
told = [UserMessage(text="?"), AssistantMessage(text="", calls=[call]), result]
for name in sys.argv[1:]:
    print(models.make_model(name).reply(ModelTask(instructions="Be.", messages=told, tools=[tool]), Listener()).text)
models.close()
print(*sorted(sys.modules))
"""


def asked(endpoint: Endpoint, *providers: str) -> list[str]:
    command = [sys.executable, "-W", "error", "-c", ASK, *map(endpoint.name, providers)]
    environ = {**os.environ, **AWS, **KEYS, "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/core/python'}"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  (ours)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_provider_is_asked_without_the_agents(endpoint: Endpoint) -> None:
    endpoint.decide = lambda _: Answers(["Yes", "."])
    *answers, _ = asked(endpoint, *PROVIDERS)
    endpoint.decide = lambda _: Answers(["Hello."])
    assert answers == ["Yes."] * len(PROVIDERS)


AGENTS = {"pydantic_ai.agent", "pydantic_graph.graph_builder", "griffe"}


@pytest.mark.parametrize(
    ("provider", "others"), [("bedrock", {"openai", "anthropic", *AGENTS}), ("openai-chat", {"anthropic"})]
)
def test_only_the_provider_that_is_asked_is_imported(provider: str, others: set[str], endpoint: Endpoint) -> None:
    *_, modules = asked(endpoint, provider)
    assert others & set(modules.split()) == set()

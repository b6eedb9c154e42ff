"""With the import stub, a new process sends requests to every provider without importing pydantic_ai's agents."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fake_providers.replies import Answer
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.integration.models.conftest import AWS, KEYS

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from satchel.bootstrap import language_models
from satchel.domain.conversation import AssistantMessage, CompletionRequest, ProposedCall, ToolMessage, ToolSpec
from satchel.domain.conversation import UserMessage
from tests.fakes.llm import FakeStreamListener
tool = ToolSpec(server="weather", name="get", input_schema={"type": "object", "properties": {"city": {}}})
call = ProposedCall(tool="weather.get", arguments="{}", ref="1")
result = ToolMessage(ref="1", tool=tool.full_name, content={})
messages = [UserMessage(text="?"), AssistantMessage(text="", calls=[call]), result]
for name in sys.argv[1:]:
    request = CompletionRequest(instructions="Be.", messages=messages, tools=[tool])
    print(language_models.make_model(name).reply(request, FakeStreamListener()).text)
    print(*sorted(sys.modules))
language_models.close()
"""
PROVIDER_ORDER = ("bedrock", "openai-chat", "anthropic")
AGENT_MODULES = {"pydantic_ai.agent", "pydantic_graph.graph_builder", "griffe"}


@pytest.fixture(scope="module")
def answers(running_endpoint: FakeEndpoint) -> dict[str, tuple[str, set[str]]]:
    """The answer of each provider, and the modules that are imported after it, in one process."""
    running_endpoint.default_reply = lambda _: Answer(["Yes", "."])
    command = [sys.executable, "-W", "error", "-c", PROGRAM, *map(running_endpoint.model_name, PROVIDER_ORDER)]
    environ = {**os.environ, **AWS, **KEYS, "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/core/python'}"}
    process = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)  # noqa: S603  (our own program)
    running_endpoint.default_reply = lambda _: Answer(["Hello."])
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    return {
        provider: (answer, set(modules.split()))
        for provider, answer, modules in zip(PROVIDER_ORDER, lines[::2], lines[1::2], strict=True)
    }


@pytest.mark.parametrize("provider", PROVIDER_ORDER)
def test_provider_answers_without_the_agent_modules(provider: str, answers: dict[str, tuple[str, set[str]]]) -> None:
    answer, modules = answers[provider]
    assert answer == "Yes."
    assert AGENT_MODULES & modules == set()


def test_only_libraries_of_used_providers_are_imported(answers: dict[str, tuple[str, set[str]]]) -> None:
    libraries = {"openai", "anthropic"}
    imported = [libraries & modules for _, modules in answers.values()]
    assert imported == [set(), {"openai"}, libraries]
    assert set(answers) == set(PROVIDERS)

"""Tests of `satchel models`: the list of the models and the test of their answers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_providers.replies import Answer, ErrorKind, ErrorReply
from tests.fake_providers.server import FakeEndpoint

ROOT = Path(__file__).parents[3]
CALL = Answer(calls=[("satchel_ready", '{"word": "ready"}')], tokens=(42, 7))
API_KEY = "sk-invalid"


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint().running() as endpoint:
        yield endpoint


def run_models(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "local.cli.main", "models", *arguments]
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("SATCHEL_", "OPENAI_"))}
    return subprocess.run(command, cwd=ROOT, env=environ | settings, capture_output=True, text=True, check=False)  # noqa: S603  (ours)


def test_without_settings_only_the_offline_model_is_listed() -> None:
    result = run_models()
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[0] == "offline"


def test_each_model_is_listed_and_tested(endpoint: FakeEndpoint) -> None:
    good, plain, closed = ("openai-chat:" + each + f"@{endpoint.url}/v1" for each in ("good", "plain", "closed"))
    configured = [
        {"name": "good", "model": good},
        {"name": "plain", "model": plain, "groups": ["staff"]},
        {"name": "closed", "model": closed},
        {"name": "odd", "model": "telepathy:x"},
    ]
    endpoint.replies = [CALL, Answer(["Ready."]), ErrorReply(ErrorKind.NO_KEY)]
    result = run_models("--ping", SATCHEL_MODELS=json.dumps(configured), OPENAI_API_KEY=API_KEY)
    lines = result.stdout.splitlines()
    assert result.returncode == 1
    assert lines[0] == f"good  {good}"
    assert lines[1].startswith("  answers in ")
    assert lines[1].endswith(" s (42 tokens in, 7 out) and calls tools")
    assert lines[2] == f"plain  {plain}  for staff"
    assert lines[3].endswith("but did not call the requested tool")
    assert lines[5].startswith("  E_MODEL_ACCESS: ")
    assert lines[5].endswith(" [401 invalid_api_key]")
    assert lines[7].startswith("  unknown model 'telepathy:x': use 'offline' or one of ")
    assert API_KEY not in result.stdout + result.stderr


def test_model_outside_of_the_settings_can_be_tested(endpoint: FakeEndpoint) -> None:
    endpoint.replies = [CALL]
    result = run_models("--ping", f"openai-chat:any@{endpoint.url}/v1")
    assert result.returncode == 0
    assert "calls tools" in result.stdout


def test_missing_key_is_reported() -> None:
    result = run_models("--ping", "openai-chat:any")
    assert result.returncode == 1
    assert "[OPENAI_API_KEY is not set]" in result.stdout

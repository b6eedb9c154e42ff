"""`satchel models`: which there are, and whether they answer."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endpoints.acts import Answers, Refusal, Refuses
from tests.endpoints.server import Endpoint

ROOT = Path(__file__).parents[3]
CALL = Answers(calls=[("satchel_ready", '{"word": "ready"}')], tokens=(42, 7))
KEY = "sk-of-nobody"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint().running() as endpoint:
        yield endpoint


def models(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "local.cli.main", "models", *arguments]
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("SATCHEL_", "OPENAI_"))}
    return subprocess.run(command, cwd=ROOT, env=ours | settings, capture_output=True, text=True, check=False)  # noqa: S603  (ours)


def test_without_settings_there_is_the_stand_in() -> None:
    said = models()
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout.splitlines()[0] == "offline"


def test_each_model_is_listed_and_tried(endpoint: Endpoint) -> None:
    good, plain, closed = ("openai-chat:" + each + f"@{endpoint.url}/v1" for each in ("good", "plain", "closed"))
    listed = [
        {"name": "good", "model": good},
        {"name": "plain", "model": plain, "groups": ["staff"]},
        {"name": "closed", "model": closed},
        {"name": "odd", "model": "telepathy:x"},
    ]
    endpoint.will = [CALL, Answers(["Ready."]), Refuses(Refusal.NO_KEY)]
    said = models("--ping", SATCHEL_MODELS=json.dumps(listed), OPENAI_API_KEY=KEY)
    lines = said.stdout.splitlines()
    assert said.returncode == 1
    assert lines[0] == f"good  {good}"
    assert lines[1].startswith("  answers in ")
    assert lines[1].endswith(" s (42 tokens in, 7 out) and calls tools")
    assert lines[2] == f"plain  {plain}  for staff"
    assert lines[3].endswith("did not call the tool that it was asked to call")
    assert lines[5].startswith("  E_MODEL_ACCESS: ")
    assert lines[5].endswith(" [401 invalid_api_key]")
    assert lines[7].startswith("  the model 'telepathy:x' is not known")
    assert KEY not in said.stdout + said.stderr


def test_a_model_that_is_not_in_the_settings_may_be_tried(endpoint: Endpoint) -> None:
    endpoint.will = [CALL]
    said = models("--ping", f"openai-chat:any@{endpoint.url}/v1")
    assert said.returncode == 0
    assert "calls tools" in said.stdout


def test_a_key_that_is_missing_is_named() -> None:
    said = models("--ping", "openai-chat:any")
    assert said.returncode == 1
    assert "[OPENAI_API_KEY is not set]" in said.stdout

"""A state machine's call to a tool: through Lambda in this process to an environment in another, and back."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import boto3
import pytest

from local.aws import resources
from local.aws.cloud import LocalCloud
from local.runners.context import LambdaContext
from local.runners.functions import RunnerFunction
from local.runners.pool import EnvironmentPool
from tests.integration.local.workshop import Workshop, waiting_task

RUNNER = "run-tool-test"
ALICE = (RUNNER, "alice@example.com")


@pytest.fixture(scope="module")
def pool(cloud: LocalCloud, workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnvironmentPool]:
    runner = RunnerFunction(
        name=RUNNER,
        target="tests.integration.local.calling_handlers:call",
        settings={**cloud.environ, "BUCKET": "outcomes"},
    )
    resources.create_bucket("outcomes", {})
    with EnvironmentPool([runner], log_dir=tmp_path_factory.mktemp("logs")) as pool:
        resources.create_function(RUNNER, pool.handler(RUNNER), role=workshop.role, timeout=900)
        yield pool


@pytest.fixture(scope="module")
def dispatch(workshop: Workshop) -> str:
    """Return the name of a function that sends its whole event to the runner and does not wait."""

    def send(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        payload = json.dumps(event).encode()
        workshop.lambda_.invoke(FunctionName=RUNNER, InvocationType="Event", TenantId=ALICE[1], Payload=payload)

    return workshop.function(send)


def test_a_call_comes_back_with_what_the_other_process_has_stored(
    workshop: Workshop,
    dispatch: str,
    pool: EnvironmentPool,
) -> None:
    assert workshop.run({"Call": waiting_task(dispatch)}, {"key": "alice/outcome"}) == ("SUCCEEDED", {"done": True})
    stored = boto3.client("s3").get_object(Bucket="outcomes", Key="alice/outcome")["Body"].read()
    assert stored == b"alice@example.com"
    assert list(pool.pids()) == [ALICE]


def test_an_environment_that_dies_is_missed_by_its_heartbeat_and_the_next_call_works(
    workshop: Workshop,
    dispatch: str,
    pool: EnvironmentPool,
    tmp_path: Path,
) -> None:
    execution = workshop.start({"Call": waiting_task(dispatch, heartbeat=2)}, {"hang": str(tmp_path / "pid")})
    deadline = time.monotonic() + 10
    while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(pool.pids()[ALICE], signal.SIGKILL)
    assert workshop.end(execution)[0] == "FAILED"
    assert workshop.run({"Call": waiting_task(dispatch)}, {"key": "again"})[0] == "SUCCEEDED"


def test_an_answer_can_be_waited_for(workshop: Workshop, pool: EnvironmentPool) -> None:
    assert pool
    answer = workshop.lambda_.invoke(FunctionName=RUNNER, TenantId="_satchel", Payload=b'{"input": {"list": 1}}')
    assert answer["Payload"].read() == b'{"tools": []}'


def test_a_runner_is_not_invoked_without_a_tenant(workshop: Workshop, pool: EnvironmentPool) -> None:
    assert pool
    answer = cast("dict[str, Any]", workshop.lambda_.invoke(FunctionName=RUNNER))
    assert answer["FunctionError"] == "Unhandled"
    assert b"tenant" in answer["Payload"].read()

"""A tool call from a state machine: through Lambda in this process to an environment's process, and back."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import boto3
import pytest

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.runners.context import LambdaContext
from local.emulator.runners.functions import RunnerFunction
from local.emulator.runners.pool import EnvironmentPool
from tests.integration.emulator.cloud_driver import CloudDriver, waiting_task

RUNNER = "run-tool-test"
ALICE = (RUNNER, "alice@example.com")


@pytest.fixture(scope="module")
def pool(cloud: LocalCloud, driver: CloudDriver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EnvironmentPool]:
    runner = RunnerFunction(
        name=RUNNER,
        target="tests.integration.emulator.handlers.aws_calls:call",
        settings={**cloud.environ, "BUCKET": "outcomes"},
    )
    resources.create_bucket("outcomes", {})
    with EnvironmentPool([runner], log_dir=tmp_path_factory.mktemp("logs")) as pool:
        resources.create_function(RUNNER, pool.handler(RUNNER), role=driver.role, timeout=900)
        yield pool


@pytest.fixture(scope="module")
def dispatch(driver: CloudDriver) -> str:
    """Create a function that invokes the runner with its event, asynchronously. Return its name."""

    def send(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        payload = json.dumps(event).encode()
        driver.lambda_.invoke(FunctionName=RUNNER, InvocationType="Event", TenantId=ALICE[1], Payload=payload)

    return driver.function(send)


def test_call_succeeds_and_the_other_process_stores_the_outcome(
    driver: CloudDriver,
    dispatch: str,
    pool: EnvironmentPool,
) -> None:
    assert driver.run({"Call": waiting_task(dispatch)}, {"key": "alice/outcome"}) == ("SUCCEEDED", {"done": True})
    stored = boto3.client("s3").get_object(Bucket="outcomes", Key="alice/outcome")["Body"].read()
    assert stored == b"alice@example.com"
    assert list(pool.pids()) == [ALICE]


def test_killed_environment_fails_the_call_by_heartbeat_and_the_next_call_works(
    driver: CloudDriver,
    dispatch: str,
    pool: EnvironmentPool,
    tmp_path: Path,
) -> None:
    execution = driver.start({"Call": waiting_task(dispatch, heartbeat=2)}, {"hang": str(tmp_path / "pid")})
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(pool.pids()[ALICE], signal.SIGKILL)
    while ALICE in pool.pids() and time.monotonic() < deadline:
        time.sleep(0.005)  # the next call must not get this environment
    assert driver.wait(execution)[0] == "FAILED"
    assert driver.run({"Call": waiting_task(dispatch)}, {"key": "again"})[0] == "SUCCEEDED"


def test_synchronous_invocation_returns_the_result(driver: CloudDriver, pool: EnvironmentPool) -> None:
    assert pool
    response = driver.lambda_.invoke(FunctionName=RUNNER, TenantId="_satchel", Payload=b'{"input": {"list": 1}}')
    assert response["Payload"].read() == b'{"tools": []}'


def test_runner_cannot_be_invoked_without_a_tenant(driver: CloudDriver, pool: EnvironmentPool) -> None:
    assert pool
    response = cast("dict[str, Any]", driver.lambda_.invoke(FunctionName=RUNNER))
    assert response["FunctionError"] == "Unhandled"
    assert b"tenant" in response["Payload"].read()

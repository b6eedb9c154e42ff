import threading
from collections.abc import Iterator

import pytest
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker

from local.emulator.aws.moto_patches.patching import original
from tests.integration.emulator.cloud_driver import CloudDriver, waiting_task


@pytest.fixture
def unblocked(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Block executions after they are listed and before they start, until the event is set."""
    event = threading.Event()
    start = original(ExecutionWorker, "_get_evaluation_entrypoint")

    def wait_and_start(self: ExecutionWorker) -> object:
        event.wait(100)
        return start(self)

    monkeypatch.setattr(ExecutionWorker, "_get_evaluation_entrypoint", wait_and_start)
    yield event
    event.set()


def test_execution_that_has_not_started_can_be_stopped(driver: CloudDriver, unblocked: threading.Event) -> None:
    execution = driver.start({"Over": {"Type": "Succeed"}})
    assert driver.status(execution) == "RUNNING"
    driver.states.stop_execution(executionArn=execution)
    unblocked.set()
    assert driver.wait(execution) == ("ABORTED", None)


def test_execution_that_has_not_started_does_not_block_callbacks_of_others(
    driver: CloudDriver, unblocked: threading.Event
) -> None:
    older_machine = driver.machine(
        {"Over": {"Type": "Succeed"}}
    )  # moto checks the executions of the older machine first
    name, tokens = driver.token_queue()
    unblocked.set()
    execution = driver.start({"Wait": waiting_task(name)})
    token = tokens.get(timeout=60)
    unblocked.clear()
    driver.execute(older_machine)
    driver.states.send_task_heartbeat(taskToken=token)
    driver.states.send_task_success(taskToken=token, output="1")
    assert driver.wait(execution) == ("SUCCEEDED", 1)

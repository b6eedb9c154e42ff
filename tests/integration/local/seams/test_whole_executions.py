import threading
from collections.abc import Iterator

import pytest
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker

from local.aws.seams.patching import original
from tests.integration.local.workshop import Workshop, waiting_task


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Hold executions at the moment when they are listed and have not begun, until the event is set."""
    go_on = threading.Event()
    begin = original(ExecutionWorker, "_get_evaluation_entrypoint")

    def wait_and_begin(self: ExecutionWorker) -> object:
        go_on.wait(10)
        return begin(self)

    monkeypatch.setattr(ExecutionWorker, "_get_evaluation_entrypoint", wait_and_begin)
    yield go_on
    go_on.set()


def test_an_execution_that_has_not_begun_can_be_stopped(workshop: Workshop, held: threading.Event) -> None:
    execution = workshop.start({"Over": {"Type": "Succeed"}})
    assert workshop.status(execution) == "RUNNING"
    workshop.states.stop_execution(executionArn=execution)
    held.set()
    assert workshop.end(execution) == ("ABORTED", None)


def test_callbacks_get_past_an_execution_that_has_not_begun(workshop: Workshop, held: threading.Event) -> None:
    in_front = workshop.machine({"Over": {"Type": "Succeed"}})  # the older machine's executions are looked at first
    name, tokens = workshop.token_taker()
    held.set()
    execution = workshop.start({"Wait": waiting_task(name)})
    token = tokens.get(timeout=5)
    held.clear()
    workshop.execute(in_front)
    workshop.states.send_task_heartbeat(taskToken=token)
    workshop.states.send_task_success(taskToken=token, output="1")
    assert workshop.end(execution) == ("SUCCEEDED", 1)

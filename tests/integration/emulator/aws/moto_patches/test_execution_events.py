import json
from collections.abc import Iterator, Mapping
from queue import Empty, Queue
from typing import Any

import pytest
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication

from local.emulator.aws.moto_patches import execution_events
from tests.integration.emulator.cloud_driver import CloudDriver, waiting_task

Events = Queue[Mapping[str, Any]]


@pytest.fixture
def events() -> Iterator[Events]:
    events: Events = Queue()
    execution_events.set_listener(events.put)
    yield events
    execution_events.set_listener(None)


def test_event_of_an_aborted_execution_has_eventbridges_format(driver: CloudDriver, events: Events) -> None:
    name, tokens = driver.token_queue()
    execution = driver.start({"Wait": waiting_task(name)}, {"turn_id": "t1"})
    tokens.get(timeout=60)
    driver.states.stop_execution(executionArn=execution, cause="cancelled")
    event = events.get(timeout=60)
    assert (event["source"], event["detail-type"]) == ("aws.states", "Step Functions Execution Status Change")
    detail = event["detail"]
    described = driver.states.describe_execution(executionArn=execution)
    assert detail["executionArn"] == execution
    assert detail["stateMachineArn"] == described["stateMachineArn"]
    assert (detail["name"], detail["status"]) == (described["name"], "ABORTED")
    assert json.loads(detail["input"]) == {"turn_id": "t1"}
    assert json.dumps(event)


@pytest.mark.parametrize(
    ("state", "machine", "status"),
    [
        ({"Type": "Fail", "Error": "E", "Cause": "C"}, {}, "FAILED"),
        ({"Type": "Wait", "Seconds": 20, "End": True}, {"TimeoutSeconds": 1}, "TIMED_OUT"),
    ],
)
def test_failed_and_timed_out_executions_are_reported(
    driver: CloudDriver,
    events: Events,
    state: dict[str, object],
    machine: dict[str, object],
    status: str,
) -> None:
    driver.run({"Only": state}, **machine)
    assert events.get(timeout=60)["detail"]["status"] == status


def test_successful_execution_is_not_reported(driver: CloudDriver, events: Events) -> None:
    driver.run({"Over": {"Type": "Succeed"}})
    driver.run({"Over": {"Type": "Fail"}})
    assert events.get(timeout=60)["detail"]["status"] == "FAILED"
    with pytest.raises(Empty):
        events.get_nowait()


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        ({"Type": "Pass", "Result": 5, "End": True}, (5, None, None)),
        ({"Type": "Fail", "Error": "E", "Cause": "C"}, (None, "E", "C")),
    ],
)
def test_outcome_is_stored_before_the_status_says_that_the_execution_has_ended(
    driver: CloudDriver, monkeypatch: pytest.MonkeyPatch, state: dict[str, object], outcome: tuple[object, ...]
) -> None:
    stored: Queue[tuple[object, ...]] = Queue()
    terminate = execution_events._terminated  # noqa: SLF001  (the moment before the change of the status)

    def look(self: BaseExecutionWorkerCommunication) -> None:
        execution = self.execution
        stored.put((execution.exec_status, (execution.output, execution.error, execution.cause)))
        terminate(self)

    monkeypatch.setattr(execution_events, "_terminated", look)
    driver.run({"Only": state})

    assert stored.get(timeout=60) == (ExecutionStatus.RUNNING, outcome)

import json
from collections.abc import Iterator, Mapping
from queue import Empty, Queue
from typing import Any

import pytest

from local.aws.seams import status_changes
from tests.integration.local.workshop import Workshop, waiting_task

Events = Queue[Mapping[str, Any]]


@pytest.fixture
def events() -> Iterator[Events]:
    events: Events = Queue()
    status_changes.listen(events.put)
    yield events
    status_changes.listen(None)


def test_an_aborted_execution_is_reported_as_eventbridge_would(workshop: Workshop, events: Events) -> None:
    name, tokens = workshop.token_taker()
    execution = workshop.start({"Wait": waiting_task(name)}, {"turn_id": "t1"})
    tokens.get(timeout=5)
    workshop.states.stop_execution(executionArn=execution, cause="cancelled")
    event = events.get(timeout=5)
    assert (event["source"], event["detail-type"]) == ("aws.states", "Step Functions Execution Status Change")
    detail = event["detail"]
    described = workshop.states.describe_execution(executionArn=execution)
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
def test_so_is_one_that_failed_or_took_too_long(
    workshop: Workshop,
    events: Events,
    state: dict[str, object],
    machine: dict[str, object],
    status: str,
) -> None:
    workshop.run({"Only": state}, **machine)
    assert events.get(timeout=5)["detail"]["status"] == status


def test_success_is_not_news(workshop: Workshop, events: Events) -> None:
    workshop.run({"Over": {"Type": "Succeed"}})
    workshop.run({"Over": {"Type": "Fail"}})
    assert events.get(timeout=5)["detail"]["status"] == "FAILED"
    with pytest.raises(Empty):
        events.get_nowait()

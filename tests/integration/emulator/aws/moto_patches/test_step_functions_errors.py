import time
from contextlib import suppress

import pytest

from local.emulator.aws.moto_patches.step_functions_executions import join_threads
from tests.integration.emulator.cloud_driver import CloudDriver, State, States, map_state, task, waiting_task


def start_task_catching(driver: CloudDriver, name: str, *, heartbeat: int, timeout: int) -> tuple[str, str]:
    """Start a task that catches only the error ``name``. Return the execution and the task's token."""
    function, tokens = driver.token_queue()
    catch = [{"ErrorEquals": [name], "Next": "Caught"}]
    states = {
        "Wait": waiting_task(function, heartbeat=heartbeat, timeout=timeout, Catch=catch),
        "Caught": {"Type": "Pass", "End": True},
    }
    execution = driver.start(states)
    return execution, tokens.get(timeout=60)


def test_missed_heartbeats_raise_states_heartbeat_timeout(driver: CloudDriver) -> None:
    execution, _ = start_task_catching(driver, "States.HeartbeatTimeout", heartbeat=1, timeout=30)
    status, output = driver.wait(execution)
    assert (status, output["Error"]) == ("SUCCEEDED", "States.HeartbeatTimeout")


def test_too_long_task_with_heartbeats_raises_states_timeout_and_ends_its_thread(driver: CloudDriver) -> None:
    execution, token = start_task_catching(driver, "States.Timeout", heartbeat=10, timeout=11)
    with suppress(driver.states.exceptions.InvalidToken, driver.states.exceptions.TaskTimedOut):  # the task has ended
        while driver.status(execution) == "RUNNING":
            driver.states.send_task_heartbeat(taskToken=token)
            time.sleep(0.2)
    status, output = driver.wait(execution)
    assert (status, output["Error"]) == ("SUCCEEDED", "States.Timeout")
    assert join_threads(5) == 0  # well before the next heartbeat would be due


CATCH = [{"ErrorEquals": ["States.ALL"], "Next": "Caught"}]
CAUGHT: State = {"Type": "Pass", "End": True}


@pytest.fixture(scope="module")
def large(driver: CloudDriver) -> str:
    """Create a function whose result exceeds the size limit of a state, and return its name."""
    return driver.function(lambda _event, _context: "x" * (256 << 10))


def test_data_limit_exceeded_is_not_caught_by_states_all(driver: CloudDriver, large: str) -> None:
    states = {"Large": task(large, Catch=CATCH, Next="Caught"), "Caught": CAUGHT}
    assert driver.run(states)[0] == "FAILED"


def test_data_limit_exceeded_in_a_map_is_not_caught_by_states_all(driver: CloudDriver, large: str) -> None:
    each = {key: value for key, value in map_state({"Large": task(large)}).items() if key != "End"}
    states = {"All": {**each, "Catch": CATCH, "Next": "Caught"}, "Caught": CAUGHT}
    assert driver.run(states, {"items": [1]})[0] == "FAILED"


def test_path_without_a_value_is_not_caught_by_states_all(driver: CloudDriver, large: str) -> None:
    parameters = {"FunctionName": large, "Payload.$": "$.absent"}
    states = {"Nowhere": task(large, Parameters=parameters, Catch=CATCH, Next="Caught"), "Caught": CAUGHT}
    assert driver.run(states)[0] == "FAILED"


def test_handler_error_is_caught_by_states_all(driver: CloudDriver) -> None:
    def fail(_event: object, _context: object) -> None:
        raise KeyError("x")

    states = {"Fails": task(driver.function(fail), Catch=CATCH, Next="Caught"), "Caught": CAUGHT}
    assert driver.run(states)[0] == "SUCCEEDED"


def test_caught_failure_is_not_logged(driver: CloudDriver, caplog: pytest.LogCaptureFixture) -> None:
    failing = map_state({"Fail": {"Type": "Fail", "Error": "E"}})
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "Over"}]
    states: States = {"All": {**failing, "Catch": catch}, "Over": {"Type": "Succeed"}}
    assert driver.run(states, {"items": [1]})[0] == "SUCCEEDED"
    assert caplog.text == ""

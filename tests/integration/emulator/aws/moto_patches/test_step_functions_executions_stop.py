import threading
import time
from typing import Any

from local.emulator.aws.moto_patches.step_functions_executions import join_threads
from local.emulator.runners.context import LambdaContext
from tests.integration.emulator.cloud_driver import CloudDriver, map_state, task, waiting_task


def start_waiting_tasks(driver: CloudDriver, count: int, **machine: object) -> str:
    """Start an execution with ``count`` waiting tasks in a Map, and return its ARN."""
    name, tokens = driver.token_queue()
    states = {"All": map_state({"Wait": waiting_task(name)})}
    execution = driver.start(states, {"items": list(range(count))}, **machine)
    for _ in range(count):
        tokens.get(timeout=60)
    return execution


def test_stop_ends_waiting_tasks_in_a_map(driver: CloudDriver) -> None:
    execution = start_waiting_tasks(driver, 3)
    started = time.monotonic()
    driver.states.stop_execution(executionArn=execution)
    assert driver.wait(execution)[0] == "ABORTED"
    assert time.monotonic() - started < 10


def test_machine_timeout_ends_waiting_tasks_and_threads(driver: CloudDriver) -> None:
    before = threading.active_count()
    execution = start_waiting_tasks(driver, 3, TimeoutSeconds=10)
    assert driver.wait(execution)[0] == "TIMED_OUT"
    deadline = time.monotonic() + 60
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_stop_during_a_function_ends_as_aborted(driver: CloudDriver) -> None:
    running, release = threading.Event(), threading.Event()

    def work(_event: object, _context: LambdaContext) -> None:
        running.set()
        release.wait(20)

    execution = driver.start({"Work": task(driver.function(work), Next="Over"), "Over": {"Type": "Succeed"}})
    assert running.wait(60)
    driver.states.stop_execution(executionArn=execution)
    release.set()
    assert driver.wait(execution)[0] == "ABORTED"


def test_catch_does_not_continue_a_stopped_execution(driver: CloudDriver) -> None:
    continued = threading.Event()
    name, tokens = driver.token_queue()
    after = driver.function(lambda _event, _context: continued.set())
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "After"}]
    execution = driver.start({"Wait": waiting_task(name, Catch=catch), "After": task(after)})
    tokens.get(timeout=60)
    driver.states.stop_execution(executionArn=execution)
    assert driver.wait(execution)[0] == "ABORTED"
    assert not continued.is_set()


def test_failed_iteration_of_a_map_aborts_the_other_iterations(driver: CloudDriver) -> None:
    tokens: dict[int, str] = {}
    invoked = threading.Semaphore(0)

    def put_token(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        tokens[event["input"]] = event["token"]
        invoked.release()

    wait = waiting_task(driver.function(put_token), Catch=[{"ErrorEquals": ["States.Timeout"], "Next": "Later"}])
    later = driver.function(lambda _event, _context: tokens.clear())
    execution = driver.start({"All": map_state({"Wait": wait, "Later": task(later)})}, {"items": [0, 1, 2]})
    for _ in range(3):
        assert invoked.acquire(timeout=60)
    driver.states.send_task_failure(taskToken=tokens[1], error="Failed", cause="")
    assert driver.wait(execution)[0] == "FAILED"
    assert join_threads(30) == 0  # well before the next heartbeat would be due
    assert len(tokens) == 3  # no state follows
    types = [event["type"] for event in driver.states.get_execution_history(executionArn=execution)["events"]]
    assert (types.count("MapIterationFailed"), types.count("MapIterationAborted")) == (1, 2)

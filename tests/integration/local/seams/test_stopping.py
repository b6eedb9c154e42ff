import threading
import time

from local.runners.context import LambdaContext
from tests.integration.local.workshop import Workshop, mapped, task, waiting_task


def waiting(workshop: Workshop, count: int, **machine: object) -> str:
    """Start an execution whose ``count`` tasks all wait within a Map, and return its ARN."""
    name, tokens = workshop.token_taker()
    states = {"All": mapped({"Wait": waiting_task(name)})}
    execution = workshop.start(states, {"items": list(range(count))}, **machine)
    for _ in range(count):
        tokens.get(timeout=5)
    return execution


def test_stopping_reaches_tasks_that_wait_for_their_tokens_inside_a_map(workshop: Workshop) -> None:
    execution = waiting(workshop, 3)
    started = time.monotonic()
    workshop.states.stop_execution(executionArn=execution)
    assert workshop.end(execution)[0] == "ABORTED"
    assert time.monotonic() - started < 10


def test_the_time_limit_of_a_machine_leaves_nothing_waiting(workshop: Workshop) -> None:
    before = threading.active_count()
    execution = waiting(workshop, 3, TimeoutSeconds=1)
    assert workshop.end(execution)[0] == "TIMED_OUT"
    deadline = time.monotonic() + 2
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_an_execution_that_is_stopped_while_a_function_runs_is_aborted_and_not_failed(workshop: Workshop) -> None:
    running, release = threading.Event(), threading.Event()

    def work(_event: object, _context: LambdaContext) -> None:
        running.set()
        release.wait(20)

    execution = workshop.start({"Work": task(workshop.function(work), Next="Over"), "Over": {"Type": "Succeed"}})
    assert running.wait(5)
    workshop.states.stop_execution(executionArn=execution)
    release.set()
    assert workshop.end(execution)[0] == "ABORTED"


def test_a_catch_does_not_take_a_stopped_execution_any_further(workshop: Workshop) -> None:
    went_on = threading.Event()
    name, tokens = workshop.token_taker()
    after = workshop.function(lambda _event, _context: went_on.set())
    catch = [{"ErrorEquals": ["States.ALL"], "Next": "After"}]
    execution = workshop.start({"Wait": waiting_task(name, Catch=catch), "After": task(after)})
    tokens.get(timeout=5)
    workshop.states.stop_execution(executionArn=execution)
    assert workshop.end(execution)[0] == "ABORTED"
    assert not went_on.is_set()

import threading
import time
from typing import Any

import pytest

from local.emulator.runners.context import LambdaContext
from tests.integration.emulator.cloud_driver import CloudDriver, States, waiting_task


def test_success_sent_by_the_invoked_function_is_not_lost(driver: CloudDriver) -> None:
    def send_success(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        driver.states.send_task_success(taskToken=event["token"], output='{"early": true}')

    state = waiting_task(driver.function(send_success), heartbeat=10, timeout=50)
    assert driver.run({"Wait": state}) == ("SUCCEEDED", {"early": True})


def test_callback_during_the_invocation_ends_the_task_at_once(driver: CloudDriver) -> None:
    may_return = threading.Event()

    def send_success(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        driver.states.send_task_success(taskToken=event["token"], output="1")
        may_return.wait(20)

    execution = driver.start({"Wait": waiting_task(driver.function(send_success))})
    assert driver.wait(execution) == ("SUCCEEDED", 1)
    may_return.set()


def test_stop_during_the_invocation_ends_the_execution_at_once(driver: CloudDriver) -> None:
    started, may_return = threading.Event(), threading.Event()

    def wait(_event: object, _context: LambdaContext) -> None:
        started.set()
        may_return.wait(20)

    execution = driver.start({"Wait": waiting_task(driver.function(wait))})
    assert started.wait(60)
    driver.states.stop_execution(executionArn=execution)
    assert driver.wait(execution)[0] == "ABORTED"
    may_return.set()


def test_failed_invocation_fails_the_task_with_its_error(driver: CloudDriver) -> None:
    def fail(_event: object, _context: LambdaContext) -> None:
        raise KeyError("a bug")

    catch = [{"ErrorEquals": ["KeyError"], "ResultPath": "$.failure", "Next": "Over"}]
    states: States = {"Wait": waiting_task(driver.function(fail), Catch=catch), "Over": {"Type": "Succeed"}}
    status, output = driver.run(states, {})
    assert (status, output["failure"]["Error"]) == ("SUCCEEDED", "KeyError")
    assert "a bug" in output["failure"]["Cause"]


def test_retry_has_a_new_token_and_its_success_ends_the_task(driver: CloudDriver) -> None:
    tokens: list[str] = []

    def fail_once(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        tokens.append(event["token"])
        if len(tokens) == 1:
            raise KeyError("busy")
        with pytest.raises(driver.states.exceptions.TaskTimedOut):
            driver.states.send_task_success(taskToken=tokens[0], output="1")
        driver.states.send_task_success(taskToken=event["token"], output="2")

    retry = [{"ErrorEquals": ["KeyError"], "IntervalSeconds": 1, "MaxAttempts": 3}]
    assert driver.run({"Wait": waiting_task(driver.function(fail_once), Retry=retry)}) == ("SUCCEEDED", 2)
    assert len(set(tokens)) == len(tokens) == 2


def test_heartbeat_before_the_task_waits_is_accepted(driver: CloudDriver) -> None:
    def send_heartbeat_and_success(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
        driver.states.send_task_heartbeat(taskToken=event["token"])
        driver.states.send_task_success(taskToken=event["token"], output="1")

    state = waiting_task(driver.function(send_heartbeat_and_success), heartbeat=10, timeout=50)
    assert driver.run({"Wait": state}) == ("SUCCEEDED", 1)


def test_heartbeats_keep_a_task_alive_beyond_its_heartbeat_timeout(driver: CloudDriver) -> None:
    name, tokens = driver.token_queue()
    execution = driver.start({"Wait": waiting_task(name, heartbeat=8)})
    token = tokens.get(timeout=60)
    for _ in range(9):
        time.sleep(1)  # the interpreter's timers cannot be mocked
        driver.states.send_task_heartbeat(taskToken=token)
    driver.states.send_task_success(taskToken=token, output="2")
    assert driver.wait(execution) == ("SUCCEEDED", 2)


def test_timed_out_task_rejects_heartbeats_and_results(driver: CloudDriver) -> None:
    name, tokens = driver.token_queue()
    catch = [{"ErrorEquals": ["States.HeartbeatTimeout", "States.Timeout"], "Next": "Second"}]
    states = {"First": waiting_task(name, heartbeat=1, Catch=catch), "Second": waiting_task(name)}
    execution = driver.start(states)
    first, second = tokens.get(timeout=60), tokens.get(timeout=60)
    with pytest.raises(driver.states.exceptions.TaskTimedOut):
        driver.states.send_task_heartbeat(taskToken=first)
    with pytest.raises(driver.states.exceptions.TaskTimedOut):
        driver.states.send_task_success(taskToken=first, output="1")
    driver.states.send_task_success(taskToken=second, output="2")
    assert driver.wait(execution) == ("SUCCEEDED", 2)


def test_result_can_be_sent_only_once(driver: CloudDriver) -> None:
    name, tokens = driver.token_queue()
    states = {"First": waiting_task(name, Next="Second"), "Second": waiting_task(name)}
    execution = driver.start(states)
    first = tokens.get(timeout=60)
    driver.states.send_task_success(taskToken=first, output="1")
    tokens.get(timeout=60)
    with pytest.raises(driver.states.exceptions.TaskTimedOut):
        driver.states.send_task_success(taskToken=first, output="1")
    driver.states.stop_execution(executionArn=execution)


def test_catch_gets_the_error_and_the_cause(driver: CloudDriver) -> None:
    name, tokens = driver.token_queue()
    catch = [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "Over"}]
    states: States = {"Wait": waiting_task(name, Catch=catch), "Over": {"Type": "Succeed"}}
    execution = driver.start(states, {"input": 1})
    driver.states.send_task_failure(taskToken=tokens.get(timeout=60), error="E_TOOL", cause="it broke")
    assert driver.wait(execution) == ("SUCCEEDED", {"input": 1, "failure": {"Error": "E_TOOL", "Cause": "it broke"}})

import gc
import time
import weakref

from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local.emulator.aws.cloud import ACCOUNT, REGION
from tests.integration.emulator.cloud_driver import CloudDriver

MAX_ENDED = 50


def test_environment_of_an_old_ended_execution_is_freed(driver: CloudDriver) -> None:
    machine = driver.machine({"Over": {"Type": "Succeed"}})
    old = _run(driver, machine)
    environment = _environment(old)

    newer = [_run(driver, machine) for _ in range(MAX_ENDED + 1)]

    deadline = time.monotonic() + 60  # the last threads may still be at their end
    while environment() is not None and time.monotonic() < deadline:
        gc.collect()
    assert environment() is None
    assert driver.states.describe_execution(executionArn=old)["status"] == "SUCCEEDED"
    assert driver.states.get_execution_history(executionArn=old)["events"] == []
    assert driver.states.get_execution_history(executionArn=newer[-1])["events"]


def _run(driver: CloudDriver, machine: str) -> str:
    execution = driver.execute(machine)
    driver.wait(execution)
    return execution


def _environment(arn: str) -> "weakref.ref[object]":
    machines = stepfunctions_parser_backends[ACCOUNT][REGION].state_machines
    [worker] = [
        vars(each)["exec_worker"] for machine in machines for each in machine.executions if each.execution_arn == arn
    ]
    return weakref.ref(worker.env)

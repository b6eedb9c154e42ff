"""Makes small functions and state machines, and runs them."""

import json
import time
import uuid
from collections.abc import Mapping
from queue import Queue
from typing import TYPE_CHECKING, Any

import boto3

from local.aws import resources
from local.runners.context import Handler, LambdaContext

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_stepfunctions import SFNClient

INVOKE = "arn:aws:states:::lambda:invoke"
State = Mapping[str, object]
States = Mapping[str, State]


def task(function: str, **more: object) -> State:
    """Return a Task state that invokes ``function`` with its whole input, and ends unless it has a ``Next``."""
    parameters = {"FunctionName": function, "Payload.$": "$"}
    last = {} if "Next" in more else {"End": True}
    return {"Type": "Task", "Resource": INVOKE, "Parameters": parameters, **last, **more}


def waiting_task(function: str, *, heartbeat: int = 30, timeout: int = 60, **more: object) -> State:
    """Return a Task state that gives ``function`` a token and waits for it to be sent back."""
    parameters = {"FunctionName": function, "Payload": {"token.$": "$$.Task.Token", "input.$": "$"}}
    waiting = {"Resource": f"{INVOKE}.waitForTaskToken", "HeartbeatSeconds": heartbeat, "TimeoutSeconds": timeout}
    return task(function, **(waiting | {"Parameters": parameters} | more))


def mapped(states: States) -> State:
    """Return a Map over ``$.items`` of the states."""
    processor = {"ProcessorConfig": {"Mode": "INLINE"}, "StartAt": next(iter(states)), "States": states}
    return {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": processor, "End": True}


class Workshop:
    """Everything that it makes has a new name. It needs a running cloud."""

    def __init__(self) -> None:
        self.role = resources.create_role(_name())
        self.lambda_: LambdaClient = boto3.client("lambda")
        self.states: SFNClient = boto3.client("stepfunctions")

    def function(self, handler: Handler, timeout: float = 10) -> str:
        """Return the name of a new function."""
        name = _name()
        resources.create_function(name, handler, role=self.role, timeout=timeout)
        return name

    def token_taker(self) -> tuple[str, "Queue[str]"]:
        """Return the name of a new function for ``waiting_task``, and a queue of the tokens that it was given."""
        tokens: Queue[str] = Queue()

        def take(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
            tokens.put(event["token"])

        return self.function(take), tokens

    def machine(self, states: States, **machine: object) -> str:
        """Return the ARN of a new machine that begins with the first of ``states``."""
        definition = {"StartAt": next(iter(states)), "States": states, **machine}
        return resources.create_state_machine(_name(), json.dumps(definition), {}, role=self.role)

    def execute(self, machine: str, event: object = None) -> str:
        """Start a machine and return the execution's ARN."""
        text = json.dumps({} if event is None else event)
        return self.states.start_execution(stateMachineArn=machine, name=_name(), input=text)["executionArn"]

    def start(self, states: States, event: object = None, **machine: object) -> str:
        """Make a machine, start it, and return the execution's ARN."""
        return self.execute(self.machine(states, **machine), event)

    def status(self, execution: str) -> str:
        """Return what the execution is doing now."""
        return self.states.describe_execution(executionArn=execution)["status"]

    def end(self, execution: str, within: float = 10) -> tuple[str, Any]:
        """Wait for an execution and return its status and what it gave."""
        deadline = time.monotonic() + within
        while self.status(execution) == "RUNNING":
            assert time.monotonic() < deadline, "the execution still runs"
            time.sleep(0.005)
        description = self.states.describe_execution(executionArn=execution)
        return description["status"], json.loads(description.get("output", "null"))

    def run(self, states: States, event: object = None, **machine: object) -> tuple[str, Any]:
        """Make a machine, start it, wait for it, and return its status and what it gave."""
        return self.end(self.start(states, event, **machine))


def _name() -> str:
    return f"n{uuid.uuid4().hex[:12]}"

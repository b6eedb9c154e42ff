"""Creates small functions and state machines, and runs them."""

import json
import time
import uuid
from collections.abc import Mapping
from queue import Queue
from typing import TYPE_CHECKING, Any

import boto3

from local.emulator.aws import resources
from local.emulator.runners.context import Handler, LambdaContext

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_stepfunctions import SFNClient

INVOKE = "arn:aws:states:::lambda:invoke"
State = Mapping[str, object]
States = Mapping[str, State]


def task(function: str, **fields: object) -> State:
    """Return a Task state that invokes ``function`` with its input. It is the last state unless it has a ``Next``."""
    parameters = {"FunctionName": function, "Payload.$": "$"}
    end = {} if "Next" in fields else {"End": True}
    return {"Type": "Task", "Resource": INVOKE, "Parameters": parameters, **end, **fields}


def waiting_task(function: str, *, heartbeat: int = 100, timeout: int = 200, **fields: object) -> State:
    """Return a Task state that passes a task token to ``function`` and waits for the callback."""
    parameters = {"FunctionName": function, "Payload": {"token.$": "$$.Task.Token", "input.$": "$"}}
    callback = {"Resource": f"{INVOKE}.waitForTaskToken", "HeartbeatSeconds": heartbeat, "TimeoutSeconds": timeout}
    return task(function, **(callback | {"Parameters": parameters} | fields))


def map_state(states: States) -> State:
    """Return a Map state that runs ``states`` for each of ``$.items``."""
    processor = {"ProcessorConfig": {"Mode": "INLINE"}, "StartAt": next(iter(states)), "States": states}
    return {"Type": "Map", "ItemsPath": "$.items", "ItemProcessor": processor, "End": True}


class CloudDriver:
    """Creates resources, each with a new name, in the running cloud."""

    def __init__(self) -> None:
        self.role = resources.create_role(_name())
        self.lambda_: LambdaClient = boto3.client("lambda")
        self.states: SFNClient = boto3.client("stepfunctions")

    def function(self, handler: Handler, timeout: float = 60) -> str:
        """Create a function and return its name."""
        name = _name()
        resources.create_function(name, handler, role=self.role, timeout=timeout)
        return name

    def token_queue(self) -> tuple[str, "Queue[str]"]:
        """Create a function for ``waiting_task``. Return its name and a queue of the task tokens that it gets."""
        tokens: Queue[str] = Queue()

        def put_token(event: Any, _context: LambdaContext) -> None:  # noqa: ANN401  (a payload of any shape)
            tokens.put(event["token"])

        return self.function(put_token), tokens

    def machine(self, states: States, **machine: object) -> str:
        """Create a state machine that starts with the first of ``states``, and return its ARN."""
        definition = {"StartAt": next(iter(states)), "States": states, **machine}
        return resources.create_state_machine(_name(), json.dumps(definition), role=self.role)

    def execute(self, machine: str, event: object = None) -> str:
        """Start an execution of a machine and return its ARN."""
        text = json.dumps({} if event is None else event)
        return self.states.start_execution(stateMachineArn=machine, name=_name(), input=text)["executionArn"]

    def start(self, states: States, event: object = None, **machine: object) -> str:
        """Create a machine, start an execution and return its ARN."""
        return self.execute(self.machine(states, **machine), event)

    def status(self, execution: str) -> str:
        """Return the execution's status."""
        return self.states.describe_execution(executionArn=execution)["status"]

    def wait(self, execution: str, timeout: float = 60) -> tuple[str, Any]:
        """Wait for the end of an execution and return its status and output."""
        deadline = time.monotonic() + timeout
        while self.status(execution) == "RUNNING":
            assert time.monotonic() < deadline, "the execution is still running"
            time.sleep(0.005)
        description = self.states.describe_execution(executionArn=execution)
        return description["status"], json.loads(description.get("output", "null"))

    def run(self, states: States, event: object = None, **machine: object) -> tuple[str, Any]:
        """Create a machine, run an execution to its end, and return its status and output."""
        return self.wait(self.start(states, event, **machine))


def _name() -> str:
    return f"n{uuid.uuid4().hex[:12]}"

"""Turns through the deployed state machine with the real handlers, run by moto's interpreter in this process.

The model and the tool server are fakes (``fakes.py``). Retries and the timeouts of the state machine are short.
"""

import json
import os
import secrets
import sys
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl

from infra import sources
from local.emulator import settings
from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.lambda_host import RETRY_PAUSES, Function
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.functions import create_turn_machine
from local.emulator.runners.context import Handler, LambdaContext
from satchel.adapters import clients
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.bootstrap.functions import use_cases
from satchel.domain.events import FINAL_EVENTS, Event
from satchel.domain.ids import SessionId
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from satchel.services.calls import dispatch_tool
from satchel.services.turns.start_turn import TurnRequest
from satchel.services.turns.turn_events import list_events
from tests.fakes.system import FakeMetrics
from tests.integration.turn.fakes import BenchServer, Script, ScriptedModel

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions.type_defs import HistoryEventTypeDef

    from satchel.ports.tool_client import ToolClient

_RETRY_SCALE = 0.02  # of the real pauses between retries
_CONFIG = {
    "bench": {"command": ["python", "main.py"], "groups": ["users"], "require_approval": ["ask"]},
    "vault": {"url": "https://vault.example/mcp", "groups": ["admins"]},
}
_RUNNER = f"{settings.RUNNER_PREFIX}bench"


@dataclass(frozen=True)
class UserSession:
    """A user in a session."""

    user: Identity
    session_id: str

    @classmethod
    def of(cls, turn: Turn) -> "UserSession":
        """Return the user and the session of a turn."""
        return cls(Identity(name=turn.user), turn.session_id)


@dataclass
class Invocation:
    """An invocation of a function. AWS bills the time from its start to its end, which is None while it runs."""

    function: str
    started: float
    ended: float | None = None

    def seconds_between(self, start: float, end: float) -> float:
        """Return the billed seconds in an interval of monotonic time."""
        return max(0.0, min(end, self.ended or end) - max(start, self.started))


class TurnDriver:
    """Starts turns, waits for their end, and reads their state. ``invocations`` are those of the states' functions."""

    def __init__(self, bench: BenchServer, model: ScriptedModel, metrics: FakeMetrics, machine: str) -> None:
        self.bench = bench
        self.model = model
        self.metrics = metrics
        self.machine = machine
        self.states = boto3.client("stepfunctions")
        self.invocations: list[Invocation] = []
        self._finished: defaultdict[str, threading.Event] = defaultdict(threading.Event)
        for function in ("think", "finish"):
            self._register(function, real_handler(function))

    def new_session(self) -> UserSession:
        """Return a new user in a new session."""
        user = Identity(name=f"u{uuid.uuid4().hex[:12]}@example.com")
        return UserSession(user, use_cases().start_session(user).session_id)

    def start(self, session: UserSession, script: Script, key: str | None = None) -> Turn:
        """Start a turn with a script for the model. ``key`` is the idempotency key."""
        return self.send(session, json.dumps(script), key)

    def send(self, session: UserSession, message: str, key: str | None = None, files: Sequence[str] = ()) -> Turn:
        """Start a turn with any message. ``files`` are names of attached files."""
        request = TurnRequest(message=message, files=list(files))
        return use_cases().start_turn(session.user, SessionId(session.session_id), request, key)

    def load(self, turn: Turn) -> Turn:
        """Return the stored turn. Unlike the API, this never ends a stuck turn."""
        stored = use_cases().ports.turns.get(turn.session_id, turn.turn_id)
        assert stored is not None
        return stored

    def events(self, turn: Turn) -> list[Event]:
        """Return all events of a turn so far."""
        events: list[Event] = []
        while page := list_events(use_cases().ports.events, turn, events[-1].seq if events else 0, 200):
            events += page
        return events

    def wait_for_end(self, turn: Turn, timeout: float = 60) -> Turn:
        """Wait for the end of a turn and its last event, without ending a stuck turn."""
        self._finished[turn.turn_id].wait(timeout)
        self.wait_until(lambda: self.load(turn).has_ended and self.events(turn)[-1].type in FINAL_EVENTS)
        return self.load(turn)

    def run(self, session: UserSession, script: Script) -> Turn:
        """Start a turn and wait for its end."""
        return self.wait_for_end(self.start(session, script))

    def response(self, turn: Turn) -> FinalResponse:
        """Return the final response that the user reads."""
        return use_cases().read_turn(Identity(name=turn.user), turn.session_id, turn.turn_id)

    def execution_arn(self, turn: Turn) -> str:
        """Return the ARN of a turn's execution."""
        return f"{self.machine.replace(':stateMachine:', ':execution:')}:{turn.turn_id}"

    def wait_for_execution(self, turn: Turn, timeout: float = 60) -> str:
        """Wait for the end of a turn's execution and return its status."""
        arn = self.execution_arn(turn)
        self.wait_until(lambda: self.states.describe_execution(executionArn=arn)["status"] != "RUNNING", timeout)
        return self.states.describe_execution(executionArn=arn)["status"]

    def history(self, turn: Turn) -> list["HistoryEventTypeDef"]:
        """Wait for the end of a turn's execution, which follows that of the turn, and return all its events."""
        self.wait_for_execution(turn)
        return self.states.get_execution_history(executionArn=self.execution_arn(turn))["events"]

    def set_timeouts(
        self, *, heartbeat: int = 60, call: int = 100, approval: int = 60, questions: int = 60, turn: int = 200
    ) -> None:
        """Change the timeouts of the state machine, in seconds. Running executions keep theirs."""
        definition = json.loads(self.states.describe_state_machine(stateMachineArn=self.machine)["definition"])
        run_tools = definition["States"]["RunTools"]
        values = {"heartbeat_seconds.$": (heartbeat, approval), "timeout_seconds.$": (call, turn)}
        for name, pair in values.items():
            value = "States.ArrayGetItem(States.Array({}, {}), $$.Map.Item.Value.approval)".format(*pair)
            assert name in run_tools["ItemSelector"]
            run_tools["ItemSelector"][name] = value
        calls = run_tools["ItemProcessor"]["States"]
        for states, suffix in ((calls, ""), (definition["States"], "Alone")):
            for name in ("Resume", "Poll"):
                states[f"{name}{suffix}"] |= {"HeartbeatSeconds": heartbeat, "TimeoutSeconds": call}
            for name in ("Wait1s", "Wait5s"):
                states[f"{name}{suffix}"]["Seconds"] = 0
            states[f"Input{suffix}"]["TimeoutSeconds"] = questions
        definition["TimeoutSeconds"] = turn
        self.states.update_state_machine(stateMachineArn=self.machine, definition=json.dumps(definition))

    @contextmanager
    def replaced(self, function: str, handler: Handler) -> Iterator[None]:
        """Replace the handler of a function (the name of a state's function, or ``run-bench`` for the runner)."""
        self._register(function, handler)
        try:
            yield
        finally:
            self._register(function, real_handler(function))

    def billed_between(self, start: float, end: float) -> dict[str, float]:
        """Return the billed seconds of each function that ran in an interval of monotonic time."""
        billed: defaultdict[str, float] = defaultdict(float)
        for invocation in list(self.invocations):
            if seconds := invocation.seconds_between(start, end):
                billed[invocation.function] += seconds
        return dict(billed)

    def _register(self, function: str, handler: Handler) -> None:
        def run(event: Any, context: LambdaContext) -> object:  # noqa: ANN401  (a payload)
            is_tool_list = event.get("action") == "list"  # always answered by the real runner
            invocation = Invocation(function, time.monotonic())
            self.invocations.append(invocation)
            try:
                result: Any = (real_handler(function) if is_tool_list else handler)(event, context)
            finally:
                invocation.ended = time.monotonic()
            if (function == "finish" and result) or (function == "think" and result.get("ended")):
                self._finished[result["turn_id"]].set()
            return result

        HOST.register(Function(f"{settings.NAME}-{function}", run, 60))

    @staticmethod
    def wait_until(condition: Callable[[], bool], timeout: float = 60) -> None:
        """Wait until a condition is true."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, "the condition did not become true in time"
            time.sleep(0.03)


def real_handler(function: str) -> Handler:
    """Return the real handler of a function."""
    folder = "run_tool" if function.startswith("run-") else function
    handler: Handler = import_module(f"functions.{folder}.handler").handler
    return handler


@contextmanager
def run_backend(folder: Path) -> Iterator[TurnDriver]:
    """Create the resources that turns need; afterwards restore the environment and clear the caches."""
    before = {name: value for name, value in os.environ.items() if name.startswith("SATCHEL_")}
    bench, model, metrics = BenchServer(), ScriptedModel(), FakeMetrics()
    with LocalCloud() as cloud, pytest.MonkeyPatch.context() as patch:
        (folder / "mcp.json").write_text(json.dumps(_CONFIG))
        os.environ |= {"SATCHEL_MCP_CONFIG": str(folder / "mcp.json"), "SATCHEL_SERVER": "bench"}
        os.environ["SATCHEL_CHAT_TITLES"] = "false"  # each request to the model is one of the turn's script
        os.environ |= settings.function_settings(80)
        os.environ["SATCHEL_SOCKET_ENDPOINT"] = cloud.endpoint_url
        patch.setattr(HOST, "retry_pauses", [pause * _RETRY_SCALE for pause in RETRY_PAUSES])
        patch.delenv("AWS_ENDPOINT_URL_S3")  # no other process uses the bucket
        _clear_caches()
        _install_fakes(patch, bench, model, folder)
        patch.setattr("satchel.bootstrap.observed.SilentMetrics", lambda: metrics)
        turns = TurnDriver(bench, model, metrics, _build())
        turns.set_timeouts()
        try:
            yield turns
        finally:
            bench.end_calls()
            _clear_caches()
            for name in [name for name in os.environ if name.startswith("SATCHEL_")]:
                del os.environ[name]
            os.environ |= before


@contextmanager
def patient_dispatch() -> Iterator[None]:
    """Let Dispatch wait for tools that a busy machine makes slow. Tools that it does not wait for take another path."""
    seconds = 300
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch_tool, "MAX_WAIT", timedelta(seconds=seconds))
        patch.setitem(vars(clients.lambda_waiting().meta.config), "read_timeout", seconds + 2)
        yield


def _build() -> str:
    resources.create_table(os.environ["SATCHEL_TABLE"], sources.load_definition("table"))
    resources.create_bucket(os.environ["SATCHEL_BUCKET"], sources.load_definition("bucket"))
    keys = json.dumps({"newest": "k1", "k1": secrets.token_urlsafe(48)})
    resources.create_secret(os.environ["SATCHEL_CAPABILITY_SECRET"], keys)
    os.environ["SATCHEL_DASHBOARD_KEYS"] = resources.create_dashboard_key()
    role = os.environ["SATCHEL_CALL_ROLE"] = resources.create_role("call")
    resources.create_function(_RUNNER, real_handler("run-bench"), role=role, timeout=60)
    os.environ["SATCHEL_STATE_MACHINE"] = create_turn_machine(role)
    return os.environ["SATCHEL_STATE_MACHINE"]


def _install_fakes(patch: pytest.MonkeyPatch, bench: BenchServer, model: ScriptedModel, folder: Path) -> None:
    patch.setattr("satchel.bootstrap.language_models.model_router", lambda: model)
    client: ToolClient = bench
    patch.setattr("satchel.bootstrap.runner.tool_client", lambda *_: client)
    patch.setattr("satchel.bootstrap.runner.older_tool_client", lambda *_: client)
    # Creating clients for the credentials of each call takes long, and moto does not restrict them.
    patch.setattr("satchel.adapters.clients.scoped_dynamodb", lambda _keys: clients.dynamodb())
    patch.setattr("satchel.adapters.clients.scoped_s3", lambda _keys: clients.s3())
    patch.setattr("satchel.bootstrap.runner.LocalWorkspaces", lambda: LocalWorkspaces(folder))
    patch.setattr(retrier_decl, "time", SimpleNamespace(sleep=lambda seconds: time.sleep(seconds * _RETRY_SCALE)))


def _clear_caches() -> None:
    """Clear the caches of all functions, as in a new process."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("satchel.bootstrap.", "functions.")) or name == "satchel.adapters.clients":
            for member in vars(module).values():
                if hasattr(member, "cache_clear"):
                    member.cache_clear()

"""Turns through the machine that is deployed, with its real handlers, in moto's interpreter and in this process.

What stands in is the model (``model.py``), the server behind the runner (``tools.py``), and time: retries come at once,
and the machine's times are as short as it can have them.
"""

import json
import os
import secrets
import sys
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from satchel.services.turns.take_turn import TurnRequest

from functions.run_tool import handler as run_tool
from infra import sources
from local.emulator import settings
from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from local.emulator.aws.lambda_host import Function
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from local.emulator.functions import create_turn_machine
from local.emulator.runners.context import Handler, LambdaContext
from satchel.adapters import clients
from satchel.adapters.workspaces import LocalWorkspaces
from satchel.bootstrap.functions import use_cases
from satchel.domain.events import ENDS, Event
from satchel.domain.ids import SessionId
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import Turn
from satchel.domain.users import Identity
from tests.fakes.metrics import FakeMetrics
from tests.integration.turn.model import Plan, PlannedModel
from tests.integration.turn.tools import Bench

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions.type_defs import HistoryEventTypeDef

BEAT_SECONDS = 0.2
_RETRY_SCALE = 0.02
_CONFIG = {
    "bench": {"command": ["python", "main.py"], "groups": ["users"], "require_approval": ["ask"]},
    "vault": {"url": "https://vault.example/mcp", "groups": ["admins"]},
}
_RUNNER = f"{settings.RUNNER_PREFIX}bench"


@dataclass(frozen=True)
class Asker:
    """Somebody in a session."""

    who: Identity
    session_id: str

    @classmethod
    def of(cls, turn: Turn) -> "Asker":
        """Return who sent a turn's message."""
        return cls(Identity(name=turn.user), turn.session_id)


class Turns:
    """Takes messages and looks at what becomes of them."""

    def __init__(self, bench: Bench, model: PlannedModel, metrics: FakeMetrics, machine: str) -> None:
        self.bench = bench
        self.model = model
        self.metrics = metrics
        self.machine = machine
        self.states = boto3.client("stepfunctions")
        self._finished: defaultdict[str, threading.Event] = defaultdict(threading.Event)
        self._register("finish", handler_of("finish"))

    def asker(self) -> Asker:
        """Return somebody new in a new session."""
        who = Identity(name=f"u{uuid.uuid4().hex[:12]}@example.com")
        return Asker(who, use_cases().start_session(who).session_id)

    def begin(self, asker: Asker, plan: Plan, key: str | None = None) -> Turn:
        """Send a message."""
        return self.say(asker, json.dumps(plan), key)

    def say(self, asker: Asker, message: str, key: str | None = None) -> Turn:
        """Send a message that is no plan, for a model that has none."""
        return use_cases().start_turn(asker.who, SessionId(asker.session_id), TurnRequest(message=message), key)

    def now(self, turn: Turn) -> Turn:
        """Return a turn as it is kept, without settling it."""
        found = use_cases().ports.turns.get(turn.session_id, turn.turn_id)
        assert found is not None
        return found

    def events(self, turn: Turn) -> list[Event]:
        """Return all events of a turn so far."""
        found: list[Event] = []
        while page := use_cases().ports.events.after(turn.turn_id, found[-1].seq if found else 0, 200):
            found += page
        return found

    def end(self, turn: Turn, within: float = 20) -> Turn:
        """Wait for the end of a turn and its last event, reading nothing that would settle it."""
        self._finished[turn.turn_id].wait(within)
        self.wait(lambda: self.now(turn).ended and self.events(turn)[-1].type in ENDS)
        return self.now(turn)

    def run(self, asker: Asker, plan: Plan) -> Turn:
        """Send a message and wait for the end of its turn."""
        return self.end(self.begin(asker, plan))

    def response(self, turn: Turn) -> FinalResponse:
        """Return what its owner reads."""
        return use_cases().read_turn(Identity(name=turn.user), turn.session_id, turn.turn_id)

    def execution(self, turn: Turn) -> str:
        """Return the ARN of a turn's execution."""
        return f"{self.machine.replace(':stateMachine:', ':execution:')}:{turn.turn_id}"

    def status(self, turn: Turn, within: float = 10) -> str:
        """Wait for the end of a turn's execution and return its status."""
        arn = self.execution(turn)
        self.wait(lambda: self.states.describe_execution(executionArn=arn)["status"] != "RUNNING", within)
        return self.states.describe_execution(executionArn=arn)["status"]

    def history(self, turn: Turn) -> list["HistoryEventTypeDef"]:
        """Return all events of a turn's execution."""
        return self.states.get_execution_history(executionArn=self.execution(turn))["events"]

    def set_times(self, *, heartbeat: int = 10, call: int = 30, approval: int = 10, turn: int = 60) -> None:
        """Give the machine other times, in seconds; executions that run keep theirs."""
        found = json.loads(self.states.describe_state_machine(stateMachineArn=self.machine)["definition"])
        calls = found["States"]["RunTools"]["ItemProcessor"]["States"]
        calls["Dispatch"] |= {"HeartbeatSeconds": heartbeat, "TimeoutSeconds": call}
        calls["Approval"]["TimeoutSeconds"] = approval
        found["TimeoutSeconds"] = turn
        self.states.update_state_machine(stateMachineArn=self.machine, definition=json.dumps(found))

    @contextmanager
    def instead(self, function: str, handler: Handler) -> Iterator[None]:
        """Have something else run as a function: of a state, by its name, or the runner's (``run-bench``)."""
        self._register(function, handler)
        try:
            yield
        finally:
            self._register(function, handler_of(function))

    def _register(self, function: str, handler: Handler) -> None:
        def run(event: Any, context: LambdaContext) -> object:  # noqa: ANN401  (a payload)
            asks_for_tools = event.get("action") == "list"  # whatever is told of tools, it is the truth
            done: Any = (handler_of(function) if asks_for_tools else handler)(event, context)
            if function == "finish" and done:
                self._finished[done["turn_id"]].set()
            return done

        HOST.register(Function(f"{settings.NAME}-{function}", run, 60))

    @staticmethod
    def wait(until: Callable[[], bool], within: float = 10) -> None:
        """Wait for something to be so."""
        deadline = time.monotonic() + within
        while not until():
            assert time.monotonic() < deadline, "it did not come to that"
            time.sleep(0.03)


def handler_of(function: str) -> Handler:
    """Return the real handler of a function."""
    folder = "run_tool" if function.startswith("run-") else function
    handler: Handler = sys.modules[f"functions.{folder}.handler"].handler
    return handler


@contextmanager
def running_turns(folder: Path) -> Iterator[Turns]:
    """Put up what turns need; everything is gone afterwards, and whatever this process remembers of it."""
    before = {name: value for name, value in os.environ.items() if name.startswith("SATCHEL_")}
    bench, model, metrics = Bench(), PlannedModel(), FakeMetrics()
    with LocalCloud() as cloud, pytest.MonkeyPatch.context() as patch:
        (folder / "mcp.json").write_text(json.dumps(_CONFIG))
        os.environ |= {"SATCHEL_MCP_CONFIG": str(folder / "mcp.json"), "SATCHEL_SERVER": "bench"}
        os.environ |= {**settings.function_settings(80), "SATCHEL_BEAT_SECONDS": str(BEAT_SECONDS)}
        os.environ["SATCHEL_SOCKET_ENDPOINT"] = cloud.endpoint_url
        patch.delenv("AWS_ENDPOINT_URL_S3")  # no other process has to reach the bucket
        _forget()
        _stand_in(patch, bench, model, folder)
        patch.setattr("satchel.bootstrap.observed.SilentMetrics", lambda: metrics)
        turns = Turns(bench, model, metrics, _build())
        turns.set_times()
        try:
            yield turns
        finally:
            _forget()
            for name in [name for name in os.environ if name.startswith("SATCHEL_")]:
                del os.environ[name]
            os.environ |= before


def _build() -> str:
    resources.create_table(os.environ["SATCHEL_TABLE"], sources.load_definition("table"))
    resources.create_bucket(os.environ["SATCHEL_BUCKET"], sources.load_definition("bucket"))
    keys = json.dumps({"newest": "k1", "k1": secrets.token_urlsafe(48)})
    resources.create_secret(os.environ["SATCHEL_CAPABILITY_SECRET"], keys)
    role = os.environ["SATCHEL_CALL_ROLE"] = resources.create_role("call")
    resources.create_function(_RUNNER, handler_of("run-bench"), role=role, timeout=60)
    os.environ["SATCHEL_STATE_MACHINE"] = create_turn_machine(role)
    return os.environ["SATCHEL_STATE_MACHINE"]


def _stand_in(patch: pytest.MonkeyPatch, bench: Bench, model: PlannedModel, folder: Path) -> None:
    patch.setattr("satchel.bootstrap.observed.set_up_logs", lambda _: None)  # logs would be all tests' of this process
    patch.setattr("satchel.bootstrap.language_models.model_router", lambda: model)
    patch.setattr("satchel.bootstrap.runner.client", lambda *_: bench)
    patch.setattr(run_tool, "client", lambda *_: bench)
    # A call's own keys reach no less here than ours, and to make clients for them takes long.
    patch.setattr("satchel.adapters.clients.scoped_dynamodb", lambda _keys: clients.dynamodb())
    patch.setattr("satchel.adapters.clients.scoped_s3", lambda _keys: clients.s3())
    patch.setattr("satchel.bootstrap.runner.LocalWorkspaces", lambda: LocalWorkspaces(folder))
    patch.setattr(retrier_decl, "time", SimpleNamespace(sleep=lambda seconds: time.sleep(seconds * _RETRY_SCALE)))


def _forget() -> None:
    """Let every function of this process be a new one."""
    for name, module in list(sys.modules.items()):
        if name.startswith("satchel.bootstrap.") or name == "satchel.adapters.clients":
            for made in vars(module).values():
                if hasattr(made, "cache_clear"):
                    made.cache_clear()

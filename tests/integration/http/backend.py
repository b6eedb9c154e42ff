"""The backend of the API under test: real use cases and adapters over moto, with a fake clock and workflow."""

import io
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cached_property

import anyio
from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from local.emulator.aws.resources import create_dashboard_key
from satchel.adapters import clients
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.kms_signer import KmsSigner
from satchel.adapters.s3_files import S3Files
from satchel.adapters.s3_uploads import S3Uploads
from satchel.adapters.signing_keys import SigningKeys
from satchel.bootstrap.aws_ports import AwsPorts
from satchel.contract import APP_MIME, Artifact, DeferredArtifact, Display
from satchel.domain.apps import AppState, state_key
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.canvas import Dashboard
from satchel.domain.conversation import AssistantMessage, ToolSpec
from satchel.domain.files import Source
from satchel.domain.ids import SessionId, TurnId, UserName, call_id, new_id
from satchel.domain.inputs import CallInput, Question
from satchel.domain.llm import ModelEntry
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.sessions import Session
from satchel.domain.steps import CallStep, TurnStep
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import CurrentIdentity, IdentityReader, identity_from_headers, keep_identity
from satchel.entrypoints.http.long_polling import Pause
from satchel.services.files.artifact_records import to_stored_file
from satchel.settings import (
    CanvasSettings,
    LimitSettings,
    LinkSettings,
    ModelSettings,
    QuotaSettings,
    Settings,
    SocketSettings,
)
from satchel.use_cases import UseCases
from tests.fakes.runners import FakeRunners
from tests.fakes.sessions import ImmediateCleanup
from tests.fakes.system import FakeClock, FakeMetrics
from tests.fakes.turns import FakeTaskCallback, FakeWorkflow
from tests.fakes.users import FakeErasureStarter
from tests.integration.aws.cloud import make_bucket, make_table
from tests.integration.aws.factories import START, make_call, make_file, make_turn
from tests.integration.aws.stored_steps import add_calls, make_round
from tests.integration.http.crashes import contained

KEYS = SigningKeys(newest="k1", keys={"k1": "n" * 64})
MAX_BODY, MAX_MESSAGE, MAX_INLINE = 6_000_000, 100_000, 4 << 20
MAX_FILE = 50 << 30
SUMMARISE = ToolSpec(
    server="report", name="summarise", description="Summarise a table.", input_schema={"type": "object"}
)
SERVERS = Registry(
    servers={
        "report": ServerEntry(command=["python"], groups=["users"], description="Reports."),
        "vault": ServerEntry(command=["python"], groups=["admins"], description="Secrets."),
        "waking": ServerEntry(command=["python"], description="Not listed yet."),
    },
)
MODELS = (
    ModelEntry(name="quick", model="fake:quick", description="For most things"),
    ModelEntry(name="careful", model="fake:careful", groups=("admins",)),
)


QUOTAS = QuotaSettings(user_requests_per_second=1_000_000)


def make_settings(quotas: QuotaSettings = QUOTAS) -> Settings:
    """Return the settings of the API under test, independent of the environment."""
    settings = Settings()
    settings.canvas = CanvasSettings(canvas_origins=("https://dash.example",))
    settings.limits = LimitSettings(
        max_body_bytes=MAX_BODY,
        max_message_bytes=MAX_MESSAGE,
        max_inline_bytes=MAX_INLINE,
        max_file_size_bytes=MAX_FILE,
    )
    settings.links = LinkSettings(capability_secret="none", public_url="http://api.example")
    settings.models = ModelSettings(model="quick", models=MODELS)
    settings.quotas = quotas
    settings.sockets = SocketSettings(socket_url="wss://sockets.example/ws")
    return settings


@asynccontextmanager
async def short_pauses(_turn_id: TurnId) -> AsyncIterator[Pause]:
    """Provide pauses of 30 ms, so that tests of waiting requests do not wait for seconds."""
    yield lambda _seconds: anyio.sleep(0.03)


class Backend(AwsPorts):
    """The real adapters over moto. Clock, workflow, runners, task callback and metrics are fakes."""

    clock: FakeClock
    store: S3Files
    workflow: FakeWorkflow
    turn_starter: FakeWorkflow
    callback: FakeTaskCallback
    runners: FakeRunners
    metrics: FakeMetrics
    erasure_starter: FakeErasureStarter
    dashboard_signer: KmsSigner

    def __init__(self, quotas: QuotaSettings = QUOTAS) -> None:
        settings = make_settings(quotas)
        super().__init__(settings)
        self.table = Table(clients.dynamodb.__wrapped__(), make_table())
        self.store = S3Files(clients.s3.__wrapped__(), make_bucket())
        self.parts = S3Uploads(self.store.client, self.store.bucket)
        self.clock = FakeClock(START)
        self.metrics = FakeMetrics()
        self.registry = SERVERS
        self.keys = KEYS
        self.signer = JwtSigner(lambda: self.keys, self.clock)
        self.dashboard_signer = KmsSigner(clients.kms.__wrapped__, (create_dashboard_key(),))
        self.workflow = self.turn_starter = FakeWorkflow()
        self.callback = FakeTaskCallback()
        self.runners = FakeRunners({})
        self.read_offer = self.runners.read_offer
        self.erasure_starter = FakeErasureStarter()
        self.cleanup_starter = ImmediateCleanup(self.sessions, lambda: self.use_cases.clean_up_session)
        self.use_cases = UseCases(ports=self, settings=settings)
        self.closing = False
        self.tool_lists.save(
            "report",
            SERVERS.servers["report"].config_hash(),
            fresh_tool_list(ToolListing(tools=[SUMMARISE], isolation_level="process"), self.clock.now()),
        )

    def app(
        self,
        read_identity: IdentityReader = identity_from_headers,
        find_current: CurrentIdentity = keep_identity,
    ) -> FastAPI:
        return create_app(self.use_cases, read_identity, lambda: self.closing, short_pauses, find_current)

    @cached_property
    def local_app(self) -> FastAPI:
        return self.app()

    def client_for(self, user: str, groups: str = "users") -> TestClient:
        """Return a client that is signed in as this user."""
        return make_client(self.local_app, {"X-Satchel-User": user, "X-Satchel-Groups": groups})

    def request_approval(self, user: UserName, session_id: str, turn_id: str) -> str:
        """Let the first call of a turn wait for approval. Return the URL of the decision."""
        call = Call(
            call_id=call_id(TurnId(turn_id), 0, 0),
            turn_id=turn_id,
            session_id=session_id,
            user=user,
            tool="report.summarise",
            arguments="{}",
            ref="m-1",
            round=0,
            index=0,
        )
        add_calls(self.table, self.store, [call])
        self.use_cases.ask_approval(call, "waiting")
        return f"/api/sessions/{session_id}/turns/{turn_id}/calls/{call.call_id}/approval"

    def open_app(self, user: UserName, session_id: str, turn_id: str) -> str:
        """Store an app that the first call of a turn has opened. Return the key of its file."""
        call = call_id(TurnId(turn_id), 0, 0)
        state = AppState(uri="ui://report/page", result={"content": []})
        self.store.put(state_key(user, call), io.BytesIO(state.model_dump_json().encode()), "application/json")
        fields = {"origin": call, "mime": APP_MIME, "source": Source.GENERATED}
        app = make_file(user, SessionId(session_id), "report.app.html", **fields)
        return self.files.save(app).file_key

    def request_input(self, turn_id: str) -> None:
        """Let the first call of a turn ask the user to open a link. The question's id is ``1-0``."""
        questions = CallInput(
            call_id=call_id(TurnId(turn_id), 0, 0),
            turn_id=TurnId(turn_id),
            tool="report.summarise",
            round=1,
            questions=[Question(key="consent", mode="url", message="Sign in", url="https://sign-in.example")],
            task_token="waiting",
            expires_at=self.clock.now() + timedelta(hours=1),
        )
        self.use_cases.ports.inputs.ask(questions)

    def open_dashboard(self, user: UserName, session_id: str, canvas_id: str = "monitor-42") -> str:
        """Store a dashboard that a tool opened. Return its id."""
        call = call_id(TurnId(new_id("t", self.clock.now(), os.urandom(10))), 0, 0)
        self.dashboards.save(
            Dashboard(
                canvas_id=canvas_id,
                user=user,
                session_id=session_id,
                call_id=call,
                url="https://dash.example/view",
                opened_at=self.clock.now(),
            )
        )
        return canvas_id

    def complete_turn(self, user: UserName, session_id: str, turn_id: str, text: str = "done") -> None:
        """End a turn with an answer, as the functions think and finish do."""
        turn = self.turns.get(SessionId(session_id), TurnId(turn_id))
        assert turn is not None
        self.steps.save_round(turn, make_round(0, AssistantMessage(text=text)))
        self.use_cases.finish_turn(TurnStep(user=user, session_id=session_id, turn_id=turn_id, round=1))
        self.workflow.lose_execution(TurnId(turn_id))


def make_client(app: ASGIApp, headers: dict[str, str] | None = None) -> TestClient:
    """Return a client that returns server errors as responses and does not follow redirects."""
    return TestClient(contained(app), raise_server_exceptions=False, follow_redirects=False, headers=headers)


def record_file(
    backend: Backend, session: Session, fields: dict[str, object], *, deferred: bool, temporary: bool = False
) -> Call:
    """Store a file as a runner does, and record the tool result."""
    turn = make_turn(session)
    call = make_call(turn)
    add_calls(backend.table, backend.store, [call])
    model = DeferredArtifact if deferred else Artifact
    stored = to_stored_file(session.user, call.call_id, 0, model.model_validate({"path": "draft"} | fields))
    backend.store.put(stored.key, io.BytesIO(b"draft"), stored.artifact.mime)
    display = Display(storage_action="temporary") if temporary else None
    report = RunnerReport(files=[stored], display=display)
    backend.reports.save(call, report)
    ids = call.model_dump(include={"user", "session_id", "turn_id", "call_id"})
    backend.use_cases.record_tool_result(CallStep(**ids))
    return call

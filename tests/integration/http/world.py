"""The API over moto: real adapters and use cases, a workflow that ends turns when a test says so, time that stands."""

import os
from datetime import timedelta
from functools import cached_property

from fastapi import FastAPI
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from satchel.adapters import clients
from satchel.adapters.dynamodb.approvals import DynamoApprovals
from satchel.adapters.dynamodb.audit import DynamoAuditTrail
from satchel.adapters.dynamodb.calls import DynamoCalls
from satchel.adapters.dynamodb.dashboards import DynamoDashboards
from satchel.adapters.dynamodb.erasing import DynamoErasures, DynamoUserRemains
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.going import DynamoGoingFiles, DynamoSessionRemains
from satchel.adapters.dynamodb.links import DynamoSharedLinks, DynamoStandings
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.sockets import DynamoTickets
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import DynamoToolLists
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.dynamodb.uploads import DynamoUploads
from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.s3_files import S3Files
from satchel.adapters.s3_uploads import S3Uploads
from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.calls import Call
from satchel.domain.canvas import Dashboard
from satchel.domain.conversation import AssistantMessage, ToolSpec
from satchel.domain.ids import call_id, new_id
from satchel.domain.models import ModelEntry, Models
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.steps import CallStep, TurnStep
from satchel.domain.tool_lists import answered
from satchel.domain.uploads import PART_BYTES
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import IdentityReader, from_headers
from satchel.entrypoints.http.services import About, Services
from satchel.ports.going import Clearing
from satchel.services.calls.keep_audit import KeepAudit
from satchel.services.calls.read_audit import ReadAudit
from satchel.services.connections.issue_ticket import IssueTicket
from satchel.services.files.download import Download
from satchel.services.files.keep_file import KeepFile
from satchel.services.files.mint_links import MintLinks
from satchel.services.files.open_link import OpenLink
from satchel.services.files.read_files import ReadFiles
from satchel.services.files.remove_file import RemoveFile
from satchel.services.files.remove_files import RemoveFiles
from satchel.services.files.share_links import ReadLinks, RevokeLinks, ShareFile
from satchel.services.files.upload_file import UploadFile
from satchel.services.files.upload_parts import AbortUpload, BeginUpload, CompleteUpload, ReadUploads, SignParts
from satchel.services.sessions.clear_session import ClearSession
from satchel.services.sessions.erase_user import AskErasure
from satchel.services.sessions.sessions import ChangeSession, EndSession, ReadSessions, StartSession
from satchel.services.tools.list_tools import ListTools
from satchel.services.turns.act_in_canvas import ActInCanvas
from satchel.services.turns.ask_approval import AskApproval
from satchel.services.turns.cancel_turn import CancelTurn
from satchel.services.turns.decide_approval import DecideApproval
from satchel.services.turns.finish_turn import FinishTurn
from satchel.services.turns.read_turn import ReadTurn
from satchel.services.turns.settle_turn import SettleTurn
from satchel.services.turns.take_turn import TakeTurn
from tests.fakes.erasing import FakeErasing
from tests.fakes.going import ClearingAtOnce
from tests.fakes.metrics import FakeMetrics
from tests.fakes.workflow import FakeTaskCallback
from tests.integration.aws.cloud import make_bucket, make_table
from tests.integration.aws.makers import TravelClock
from tests.integration.http.workflow import FakeWorkflow

KEYS = SigningKeys(newest="k1", keys={"k1": "n" * 64})
MOST_BODY, MOST_MESSAGE, MOST_INLINE = 6_000_000, 100_000, 4 << 20
MOST_FILE = 50 << 30
SUMMARISE = ToolSpec(
    server="report", name="summarise", description="Summarise a table.", input_schema={"type": "object"}
)
SERVERS = Registry(
    servers={
        "report": ServerEntry(command=["python"], groups=["users"], description="Reports."),
        "vault": ServerEntry(command=["python"], groups=["admins"], description="Secrets."),
        "waking": ServerEntry(command=["python"], description="Not asked yet."),
    },
)
MODELS = Models(
    "quick",
    (
        ModelEntry(name="quick", model="fake:quick", description="For most things"),
        ModelEntry(name="careful", model="fake:careful", groups=("admins",)),
    ),
)
ABOUT = About(
    models=MODELS,
    socket_url="wss://sockets.example/ws",
    isolation_level=lambda: "process",
    flags={"persist_files_across_sessions": True, "canvas_origins": ["https://dash.example"]},
    limits={
        "body_bytes": MOST_BODY,
        "message_bytes": MOST_MESSAGE,
        "inline_bytes": MOST_INLINE,
        "file_bytes": MOST_FILE,
        "part_bytes": PART_BYTES,
    },
)


class World:
    """All of it, for one test module."""

    def __init__(self) -> None:
        self.clock = TravelClock()
        table = Table(clients.dynamodb.__wrapped__(), make_table())
        self.sessions = DynamoSessions(table)
        self.turns = DynamoTurns(table)
        self.store = S3Files(clients.s3.__wrapped__(), make_bucket())
        self.transcript = DynamoTranscript(table, self.store)
        self.calls = DynamoCalls(table, self.store)
        self.files = DynamoFiles(table)
        self.events = DynamoEvents(table, self.clock)
        self.approvals = DynamoApprovals(table)
        self.callback = FakeTaskCallback()
        self.dashboards = DynamoDashboards(table)
        self.trail = DynamoAuditTrail(table, timedelta(days=90))
        self.tool_lists = DynamoToolLists(table)
        self.tickets = DynamoTickets(table)
        self.going = DynamoGoingFiles(table)
        self.remains = DynamoSessionRemains(table)
        self.uploads = DynamoUploads(table)
        self.shared_links = DynamoSharedLinks(table)
        self.standings = DynamoStandings(table)
        self.erasures = DynamoErasures(table)
        self.user_remains = DynamoUserRemains(table)
        self.erasing = FakeErasing()
        self.parts = S3Uploads(self.store.client, self.store.bucket)
        self.keys = KEYS
        self.metrics = FakeMetrics()
        self.signer = JwtSigner(lambda: self.keys, self.clock)
        self.finish = FinishTurn(
            self.turns, self.calls, self.transcript, self.events, self.clock, KeepAudit(self.trail), self.metrics
        )
        self.workflow = FakeWorkflow()
        self.closing = False
        self.tool_lists.put("report", SERVERS.servers["report"].config_hash(), answered([SUMMARISE], self.clock.now()))

    @cached_property
    def links(self) -> MintLinks:
        return MintLinks(self.signer, self.sessions, self.clock, public_url="http://api.example")

    @cached_property
    def clear_session(self) -> ClearSession:
        remove = RemoveFiles(self.going, self.store)
        return ClearSession(
            self.sessions, self.files, self.remains, remove, self.clock, persist_files_across_sessions=True
        )

    @cached_property
    def clearing(self) -> Clearing:
        return ClearingAtOnce(self.sessions, lambda: self.clear_session)

    @cached_property
    def services(self) -> Services:
        settle = SettleTurn(self.turns, self.workflow, self.finish, self.clock)
        read_turn = ReadTurn(
            sessions=self.sessions,
            turns=self.turns,
            calls=self.calls,
            files=self.files,
            events=self.events,
            settle=settle,
            links=self.links,
            store=self.store,
            clock=self.clock,
        )
        cancel = CancelTurn(read_turn, self.workflow, self.finish)
        read_sessions = ReadSessions(self.sessions, self.turns)
        remove = RemoveFile(self.files, self.store)
        read_files = ReadFiles(self.sessions, self.files, self.store, self.clock, MOST_INLINE)
        tools = ListTools(SERVERS, self.tool_lists)
        open_link = OpenLink(self.signer, self.standings, self.clock)
        read_uploads = ReadUploads(self.uploads, self.parts, self.clock)
        abort = AbortUpload(self.uploads, self.parts, self.store)
        return Services(
            about=ABOUT,
            list_tools=tools,
            start_session=StartSession(self.sessions, MODELS, self.clock, os.urandom),
            change_session=ChangeSession(self.sessions, MODELS),
            read_sessions=read_sessions,
            end_session=EndSession(read_sessions, self.sessions, cancel, self.clearing, self.clock),
            take_turn=TakeTurn(
                self.sessions,
                self.turns,
                self.files,
                self.events,
                self.workflow,
                settle,
                tools,
                MODELS,
                self.clock,
                os.urandom,
                MOST_MESSAGE,
            ),
            read_turn=read_turn,
            cancel_turn=cancel,
            decide_approval=DecideApproval(read_turn, self.approvals, self.events, self.callback, self.clock),
            issue_ticket=IssueTicket(self.tickets, self.clock, os.urandom),
            upload_file=UploadFile(
                self.sessions, self.files, self.store, self.clock, os.urandom, MOST_BODY, self.metrics
            ),
            begin_upload=BeginUpload(self.sessions, self.uploads, self.parts, self.clock, os.urandom, MOST_FILE),
            read_uploads=read_uploads,
            sign_parts=SignParts(self.parts, self.clock),
            complete_upload=CompleteUpload(
                read_uploads, self.sessions, self.files, self.store, abort, MOST_FILE, self.metrics
            ),
            abort_upload=abort,
            read_files=read_files,
            keep_file=KeepFile(read_files, self.going, self.store, persist_files_across_sessions=True),
            remove_file=remove,
            act_in_canvas=ActInCanvas(self.dashboards, self.sessions, self.clock, os.urandom),
            links=self.links,
            open_link=open_link,
            share_file=ShareFile(read_files, self.links, self.shared_links, self.clock, os.urandom),
            read_links=ReadLinks(self.shared_links, self.standings, self.clock),
            revoke_links=RevokeLinks(self.shared_links),
            ask_erasure=AskErasure(self.signer, self.erasures, self.erasing, self.clock),
            download=Download(open_link, KeepAudit(self.trail), self.clock, os.urandom, self.metrics),
            read_audit=ReadAudit(read_sessions, self.trail),
            store=self.store,
        )

    def app(self, read_identity: IdentityReader = from_headers) -> FastAPI:
        return create_app(self.services, read_identity, MOST_BODY, lambda: self.closing)

    @cached_property
    def local_app(self) -> FastAPI:
        return self.app()

    def person(self, user: str, groups: str = "users") -> TestClient:
        """A client that says who it is."""
        return client_of(self.local_app, {"X-Satchel-User": user, "X-Satchel-Groups": groups})

    def ask(self, user: str, session_id: str, turn_id: str) -> str:
        """Let the first call of a turn wait for its owner's word; return the address where it is said."""
        call = Call(
            call_id=call_id(turn_id, 0, 0),
            turn_id=turn_id,
            session_id=session_id,
            user=user,
            tool="report.summarise",
            arguments="{}",
            ref="m-1",
            round=0,
            index=0,
        )
        self.calls.add([call])
        ask = AskApproval(self.calls, self.approvals, self.events, self.callback, self.clock, timedelta(hours=1))
        ask(CallStep(**call.model_dump(include={"user", "session_id", "turn_id", "call_id"}), task_token="waiting"))
        return f"/api/sessions/{session_id}/turns/{turn_id}/calls/{call.call_id}/approval"

    def dashboard(self, user: str, session_id: str, canvas_id: str = "monitor-42") -> str:
        """Let a tool have opened a dashboard."""
        call = call_id(new_id("t", self.clock.now(), os.urandom(10)), 0, 0)
        self.dashboards.keep(
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

    def answer(self, user: str, session_id: str, turn_id: str, text: str = "done") -> None:
        """End a turn as Think and Finish would."""
        turn = self.turns.get(session_id, turn_id)
        assert turn is not None
        self.transcript.add_reply(turn, 0, AssistantMessage(text=text))
        self.finish(TurnStep(user=user, session_id=session_id, turn_id=turn_id, round=1))
        self.workflow.ended(turn_id)


def client_of(app: ASGIApp, headers: dict[str, str] | None = None) -> TestClient:
    """A client that shows what a server would send, also when something broke, and follows nothing by itself."""
    return TestClient(app, raise_server_exceptions=False, follow_redirects=False, headers=headers)

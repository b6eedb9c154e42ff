"""Every use case wired to fakes, as bootstrap wires it to the world."""

from datetime import timedelta

from satchel.domain.timing import Limits
from satchel.domain.tool_lists import answered
from satchel.services.calls.dispatch_tool import DispatchTool
from satchel.services.calls.keep_audit import KeepAudit
from satchel.services.calls.normalize_outcome import NormalizeOutcome
from satchel.services.calls.read_audit import ReadAudit
from satchel.services.calls.resolve_inputs import ResolveInputs
from satchel.services.connections.issue_ticket import IssueTicket
from satchel.services.connections.open_connection import ForgetConnection, OpenConnection
from satchel.services.connections.push_events import PushEvents
from satchel.services.connections.subscribe import Subscribe, Unsubscribe
from satchel.services.files.download import Download
from satchel.services.files.keep_file import KeepFile
from satchel.services.files.list_files import ListFiles
from satchel.services.files.mint_links import MintLinks
from satchel.services.files.open_link import OpenLink
from satchel.services.files.read_files import ReadFiles
from satchel.services.files.remove_file import RemoveFile
from satchel.services.files.remove_files import RemoveFiles
from satchel.services.files.share_links import RevokeLinks, ShareFile
from satchel.services.files.sweep import Sweep
from satchel.services.files.tell_files import TellFiles
from satchel.services.files.upload_file import UploadFile
from satchel.services.files.upload_parts import (
    AbortUpload,
    BeginUpload,
    CompleteUpload,
    ReadUploads,
    SignParts,
    SweepUploads,
)
from satchel.services.sessions.clear_session import ClearSession
from satchel.services.sessions.erase_user import SweepErasures
from satchel.services.sessions.sessions import ChangeSession, EndSession, ReadSessions, StartSession
from satchel.services.tools.doubt_tools import DoubtTools
from satchel.services.tools.list_tools import ListTools
from satchel.services.tools.refresh_tools import RefreshTools
from satchel.services.turns.act_in_canvas import ActInCanvas
from satchel.services.turns.ask_approval import AskApproval
from satchel.services.turns.cancel_turn import CancelTurn
from satchel.services.turns.count_tokens import CountTokens
from satchel.services.turns.decide_approval import DecideApproval
from satchel.services.turns.finish_turn import FinishTurn
from satchel.services.turns.pose_question import PoseQuestion
from satchel.services.turns.read_turn import ReadTurn
from satchel.services.turns.settle_turn import SettleTurn
from satchel.services.turns.take_turn import TakeTurn
from satchel.services.turns.think import Think
from tests.fakes.approvals import FakeApprovals
from tests.fakes.arguments import FakeArgumentChecker
from tests.fakes.audit import FakeAuditTrail
from tests.fakes.calls import FakeCalls
from tests.fakes.clock import FakeClock
from tests.fakes.dashboards import FakeDashboards
from tests.fakes.entropy import FakeEntropy
from tests.fakes.erasing import FakeErasing, FakeErasures
from tests.fakes.events import FakeEvents
from tests.fakes.file_store import FakeFileStore
from tests.fakes.files import FakeFiles
from tests.fakes.going import ClearingAtOnce, FakeGoingFiles, FakeSessionRemains
from tests.fakes.links import FakeSharedLinks, FakeStandings
from tests.fakes.metrics import FakeMetrics
from tests.fakes.model import FakeModel
from tests.fakes.runners import FakeCredentials, FakeRunners
from tests.fakes.sessions import FakeSessions
from tests.fakes.signer import FakeSigner
from tests.fakes.sockets import FakeConnections, FakeMailbox, FakeSubscriptions, FakeTickets
from tests.fakes.tool_lists import FakeToolLists
from tests.fakes.transcript import FakeTranscript
from tests.fakes.turns import FakeTurns
from tests.fakes.uploads import FakePartStore, FakeUploads
from tests.fakes.workflow import FakeTaskCallback, FakeWorkflow
from tests.unit.services.scenery import MODELS, REGISTRY, TOOLS

MOST_MESSAGE_BYTES = 1000
MOST_UPLOAD_BYTES = 1000
MOST_INPUT_BYTES = 500
MOST_FILE_BYTES = 50 << 30
MOST_INLINE_BYTES = 100
MOST_ROUNDS = 3
CONTEXT_TOKENS = 100_000
CANVAS_ORIGINS = ("https://dash.example", "http://localhost:9000")
WEB_ORIGINS = ("https://chat.example",)
APPROVAL_TIME = timedelta(hours=1)
SESSION_IDLE = timedelta(days=30)


class Wiring:
    """Everything is public: tests read the fakes."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.entropy = FakeEntropy()
        self.sessions = FakeSessions()
        self.transcript = FakeTranscript()
        self.turns = FakeTurns(self.sessions, self.transcript)
        self.calls = FakeCalls()
        self.approvals = FakeApprovals()
        self.uploads = FakeUploads()
        self.files = FakeFiles(self.uploads)
        self.events = FakeEvents(self.clock)
        self.dashboards = FakeDashboards()
        self.trail = FakeAuditTrail()
        self.metrics = FakeMetrics()
        self.store = FakeFileStore()
        self.parts = FakePartStore(self.store)
        self.signer = FakeSigner(self.clock)
        self.shared_links = FakeSharedLinks()
        self.standings = FakeStandings(self.files, self.sessions, self.shared_links)
        self.workflow = FakeWorkflow()
        self.callback = FakeTaskCallback()
        self.tickets = FakeTickets()
        self.connections = FakeConnections()
        self.subscriptions = FakeSubscriptions()
        self.mailbox = FakeMailbox()
        self.runners = FakeRunners(TOOLS)
        self.lists = FakeToolLists()
        self.model = FakeModel()
        self.registry = REGISTRY
        self.models = MODELS
        self.behaviour = ""
        self.context_tokens = CONTEXT_TOKENS
        self.most_rounds = MOST_ROUNDS
        self.persist = True
        self.erasures = FakeErasures()
        self.erasing = FakeErasing()
        self.going = FakeGoingFiles(self.files, self.sessions)
        self.remains = FakeSessionRemains(self.turns, self.events)
        self.clearing = ClearingAtOnce(self.sessions, lambda: self.clear_session)
        for server, tools in TOOLS.items():
            self.lists.put(server, REGISTRY.servers[server].config_hash(), answered(tools, self.clock.now()))

    # The use cases, as bootstrap wires them: made when they are asked for, of the fakes that there are then.

    @property
    def list_tools(self) -> ListTools:
        return ListTools(self.registry, self.lists)

    @property
    def refresh_tools(self) -> RefreshTools:
        return RefreshTools(self.registry, self.lists, self.runners, self.clock)

    @property
    def links(self) -> MintLinks:
        return MintLinks(self.signer, self.sessions, self.clock, "https://satchel.example")

    @property
    def share_file(self) -> ShareFile:
        return ShareFile(self.read_files, self.links, self.shared_links, self.clock, self.entropy)

    @property
    def revoke_links(self) -> RevokeLinks:
        return RevokeLinks(self.shared_links)

    @property
    def open_link(self) -> OpenLink:
        return OpenLink(self.signer, self.standings, self.clock)

    @property
    def download(self) -> Download:
        return Download(self.open_link, KeepAudit(self.trail), self.clock, self.entropy, self.metrics)

    @property
    def read_audit(self) -> ReadAudit:
        return ReadAudit(self.read_sessions, self.trail)

    @property
    def take_turn(self) -> TakeTurn:
        return TakeTurn(
            self.sessions,
            self.turns,
            self.files,
            self.events,
            self.workflow,
            self.settle_turn,
            self.list_tools,
            self.models,
            self.clock,
            self.entropy,
            MOST_MESSAGE_BYTES,
        )

    @property
    def tell_files(self) -> TellFiles:
        return TellFiles(self.files, self.clock, self.persist)

    @property
    def pose(self) -> PoseQuestion:
        return PoseQuestion(
            self.sessions, self.tell_files, self.list_tools, self.models, self.behaviour, self.context_tokens
        )

    @property
    def think(self) -> Think:
        return Think(
            self.turns,
            self.transcript,
            self.calls,
            self.events,
            self.pose,
            CountTokens(self.model, self.metrics),
            self.list_tools,
            self.clock,
            self.most_rounds,
        )

    @property
    def resolve_inputs(self) -> ResolveInputs:
        return ResolveInputs(self.files, self.store, self.links, self.clock, MOST_INPUT_BYTES)

    @property
    def dispatch(self) -> DispatchTool:
        return DispatchTool(
            registry=self.registry,
            turns=self.turns,
            calls=self.calls,
            approvals=self.approvals,
            events=self.events,
            tools=self.refresh_tools,
            checker=FakeArgumentChecker(),
            inputs=self.resolve_inputs,
            credentials=FakeCredentials(),
            runners=self.runners,
            list_files=ListFiles(self.files, self.clock),
            store=self.store,
            callback=self.callback,
            limits=Limits(),
        )

    @property
    def ask_approval(self) -> AskApproval:
        return AskApproval(self.calls, self.approvals, self.events, self.callback, self.clock, APPROVAL_TIME)

    @property
    def decide(self) -> DecideApproval:
        return DecideApproval(self.read_turn, self.approvals, self.events, self.callback, self.clock)

    @property
    def doubt_tools(self) -> DoubtTools:
        return DoubtTools(self.registry, self.lists)

    @property
    def normalize(self) -> NormalizeOutcome:
        return NormalizeOutcome(
            self.calls,
            self.files,
            self.transcript,
            self.events,
            self.store,
            self.clock,
            self.dashboards,
            KeepAudit(self.trail),
            self.doubt_tools,
            self.metrics,
            CANVAS_ORIGINS,
        )

    @property
    def finish(self) -> FinishTurn:
        audit = KeepAudit(self.trail)
        return FinishTurn(self.turns, self.calls, self.transcript, self.events, self.clock, audit, self.metrics)

    @property
    def settle_turn(self) -> SettleTurn:
        return SettleTurn(self.turns, self.workflow, self.finish, self.clock)

    @property
    def read_turn(self) -> ReadTurn:
        return ReadTurn(
            sessions=self.sessions,
            turns=self.turns,
            calls=self.calls,
            files=self.files,
            events=self.events,
            settle=self.settle_turn,
            links=self.links,
            store=self.store,
            clock=self.clock,
        )

    @property
    def cancel(self) -> CancelTurn:
        return CancelTurn(self.read_turn, self.workflow, self.finish)

    @property
    def start_session(self) -> StartSession:
        return StartSession(self.sessions, self.models, self.clock, self.entropy)

    @property
    def change_session(self) -> ChangeSession:
        return ChangeSession(self.sessions, self.models)

    @property
    def read_sessions(self) -> ReadSessions:
        return ReadSessions(self.sessions, self.turns)

    @property
    def remove_files(self) -> RemoveFiles:
        return RemoveFiles(self.going, self.store)

    @property
    def clear_session(self) -> ClearSession:
        return ClearSession(self.sessions, self.files, self.remains, self.remove_files, self.clock, self.persist)

    def end_session(self, *, persist: bool = True) -> EndSession:
        self.persist = persist
        return EndSession(self.read_sessions, self.sessions, self.cancel, self.clearing, self.clock)

    @property
    def sweep(self) -> Sweep:
        return Sweep(
            self.going,
            self.sessions,
            self.remove_files,
            self.sweep_uploads,
            SweepErasures(self.erasures, self.erasing, self.clock),
            self.clear_session,
            self.clock,
            SESSION_IDLE,
        )

    @property
    def keep_file(self) -> KeepFile:
        return KeepFile(self.read_files, self.going, self.store, self.persist)

    @property
    def act_in_canvas(self) -> ActInCanvas:
        return ActInCanvas(self.dashboards, self.sessions, self.clock, self.entropy)

    @property
    def issue_ticket(self) -> IssueTicket:
        return IssueTicket(self.tickets, self.clock, self.entropy)

    @property
    def open_connection(self) -> OpenConnection:
        return OpenConnection(self.tickets, self.connections, self.clock, WEB_ORIGINS)

    @property
    def forget_connection(self) -> ForgetConnection:
        return ForgetConnection(self.connections)

    @property
    def subscribe(self) -> Subscribe:
        return Subscribe(
            self.connections,
            self.sessions,
            self.turns,
            self.subscriptions,
            self.settle_turn,
            self.clock,
            self.entropy,
        )

    @property
    def unsubscribe(self) -> Unsubscribe:
        return Unsubscribe(self.subscriptions)

    @property
    def push(self) -> PushEvents:
        return PushEvents(self.subscriptions, self.connections, self.turns, self.events, self.mailbox)

    @property
    def upload_file(self) -> UploadFile:
        return UploadFile(
            self.sessions, self.files, self.store, self.clock, self.entropy, MOST_UPLOAD_BYTES, self.metrics
        )

    @property
    def begin_upload(self) -> BeginUpload:
        return BeginUpload(self.sessions, self.uploads, self.parts, self.clock, self.entropy, MOST_FILE_BYTES)

    @property
    def read_uploads(self) -> ReadUploads:
        return ReadUploads(self.uploads, self.parts, self.clock)

    @property
    def sign_parts(self) -> SignParts:
        return SignParts(self.parts, self.clock)

    @property
    def abort_upload(self) -> AbortUpload:
        return AbortUpload(self.uploads, self.parts, self.store)

    @property
    def complete_upload(self) -> CompleteUpload:
        return CompleteUpload(
            self.read_uploads, self.sessions, self.files, self.store, self.abort_upload, MOST_FILE_BYTES, self.metrics
        )

    @property
    def sweep_uploads(self) -> SweepUploads:
        return SweepUploads(self.uploads, self.abort_upload, self.clock)

    @property
    def read_files(self) -> ReadFiles:
        return ReadFiles(self.sessions, self.files, self.store, self.clock, MOST_INLINE_BYTES)

    @property
    def remove_file(self) -> RemoveFile:
        return RemoveFile(self.files, self.store)

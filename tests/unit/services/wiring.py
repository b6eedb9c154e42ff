"""Every use case wired to fakes, as bootstrap wires it to the world."""

from datetime import timedelta

from satchel.domain.timing import Limits
from satchel.domain.tool_lists import answered
from satchel.services.act_in_canvas import ActInCanvas
from satchel.services.ask_approval import AskApproval
from satchel.services.cancel_turn import CancelTurn
from satchel.services.decide_approval import DecideApproval
from satchel.services.dispatch_tool import DispatchTool
from satchel.services.download import OpenLink
from satchel.services.finish_turn import FinishTurn
from satchel.services.issue_ticket import IssueTicket
from satchel.services.list_tools import ListTools
from satchel.services.mint_links import MintLinks
from satchel.services.normalize_outcome import NormalizeOutcome
from satchel.services.open_connection import ForgetConnection, OpenConnection
from satchel.services.push_events import PushEvents
from satchel.services.read_files import ReadFiles
from satchel.services.read_turn import ReadTurn
from satchel.services.refresh_tools import RefreshTools
from satchel.services.remove_file import RemoveFile
from satchel.services.resolve_inputs import ResolveInputs
from satchel.services.sessions import EndSession, ReadSessions, StartSession
from satchel.services.settle_turn import SettleTurn
from satchel.services.subscribe import Subscribe, Unsubscribe
from satchel.services.take_turn import TakeTurn
from satchel.services.think import Think
from satchel.services.upload_file import UploadFile
from tests.fakes.approvals import FakeApprovals
from tests.fakes.arguments import FakeArgumentChecker
from tests.fakes.calls import FakeCalls
from tests.fakes.clock import FakeClock
from tests.fakes.dashboards import FakeDashboards
from tests.fakes.entropy import FakeEntropy
from tests.fakes.events import FakeEvents
from tests.fakes.file_store import FakeFileStore
from tests.fakes.files import FakeFiles
from tests.fakes.model import FakeModel
from tests.fakes.runners import FakeCredentials, FakeRunners
from tests.fakes.sessions import FakeSessions
from tests.fakes.signer import FakeSigner
from tests.fakes.sockets import FakeConnections, FakeMailbox, FakeSubscriptions, FakeTickets
from tests.fakes.tool_lists import FakeToolLists
from tests.fakes.transcript import FakeTranscript
from tests.fakes.turns import FakeTurns
from tests.fakes.workflow import FakeTaskCallback, FakeWorkflow
from tests.unit.services.scenery import REGISTRY, TOOLS

MOST_MESSAGE_BYTES = 1000
MOST_UPLOAD_BYTES = 1000
MOST_INPUT_BYTES = 500
MOST_INLINE_BYTES = 100
MOST_ROUNDS = 3
CANVAS_ORIGINS = ("https://dash.example", "http://localhost:9000")
WEB_ORIGINS = ("https://chat.example",)
APPROVAL_TIME = timedelta(hours=1)


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
        self.files = FakeFiles()
        self.events = FakeEvents(self.clock)
        self.dashboards = FakeDashboards()
        self.store = FakeFileStore()
        self.signer = FakeSigner(self.clock)
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
        return MintLinks(self.signer, self.sessions, self.clock, 840, "https://satchel.example")

    @property
    def open_link(self) -> OpenLink:
        return OpenLink(self.signer, self.files, self.sessions, self.clock)

    @property
    def take_turn(self) -> TakeTurn:
        return TakeTurn(
            self.turns,
            self.files,
            self.events,
            self.workflow,
            self.settle_turn,
            self.list_tools,
            self.clock,
            self.entropy,
            MOST_MESSAGE_BYTES,
        )

    @property
    def think(self) -> Think:
        return Think(
            self.turns,
            self.transcript,
            self.calls,
            self.files,
            self.events,
            self.model,
            self.list_tools,
            self.clock,
            MOST_ROUNDS,
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
    def normalize(self) -> NormalizeOutcome:
        return NormalizeOutcome(
            self.calls,
            self.files,
            self.transcript,
            self.events,
            self.store,
            self.clock,
            self.dashboards,
            CANVAS_ORIGINS,
        )

    @property
    def finish(self) -> FinishTurn:
        return FinishTurn(self.turns, self.calls, self.transcript, self.events, self.clock)

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
        return StartSession(self.sessions, self.clock, self.entropy)

    @property
    def read_sessions(self) -> ReadSessions:
        return ReadSessions(self.sessions, self.turns)

    def end_session(self, *, persist: bool = True) -> EndSession:
        return EndSession(self.read_sessions, self.sessions, self.files, self.cancel, self.remove_file, persist)

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
        return UploadFile(self.sessions, self.files, self.store, self.clock, self.entropy, MOST_UPLOAD_BYTES)

    @property
    def read_files(self) -> ReadFiles:
        return ReadFiles(self.sessions, self.files, self.store, self.clock, MOST_INLINE_BYTES)

    @property
    def remove_file(self) -> RemoveFile:
        return RemoveFile(self.files, self.store)

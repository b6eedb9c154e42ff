"""All ports as fakes, so that unit tests use the real composition root."""

from collections.abc import Callable

from satchel.domain.servers import Registry, ServerEntry
from satchel.ports.sessions import CleanupStarter
from tests.fakes.calls import FakeAuditTrail, FakeCalls, FakeCallTasks, FakeReports
from tests.fakes.connections import FakeConnections, FakeConnectionSender, FakeSubscriptions, FakeTickets
from tests.fakes.files import FakeFileReaper, FakeFiles, FakeUploads
from tests.fakes.links import FakeChatLinks, FakeDashboardSigner, FakeLinkStates, FakeSharedLinks, FakeSigner
from tests.fakes.llm import FakeModel
from tests.fakes.quotas import FakeQuotaCounts
from tests.fakes.requests import FakeRequestKeys
from tests.fakes.runners import FakeCredentials, FakeRunners, FakeSchemaChecker, FakeToolLists
from tests.fakes.server_sessions import FakeServerSessionRemover
from tests.fakes.sessions import FakeCleanupStarter, FakeDashboards, FakeSessions
from tests.fakes.steps import FakeSteps
from tests.fakes.storage import FakeFileStore, FakePageStore, FakePartStore
from tests.fakes.system import FakeClock, FakeEntropy, FakeMetrics
from tests.fakes.turns import (
    FakeApprovals,
    FakeEvents,
    FakeInputs,
    FakeReportedEvents,
    FakeSessionPurger,
    FakeTaskCallback,
    FakeTranscript,
    FakeTurns,
    FakeWorkflow,
)
from tests.fakes.users import FakeErasures, FakeErasureStarter, FakePersonalTokens, FakeUserPurger, FakeUserSettings


class FakePorts:
    """Implements ``ports.bundle.Ports``. Attributes have the types of the fakes, so tests can read stored data."""

    entropy: Callable[[int], bytes]
    cleanup_starter: CleanupStarter

    def __init__(self, *, registry: Registry, runners: FakeRunners) -> None:
        self.clock = FakeClock()
        self.entropy = FakeEntropy()
        self.metrics = FakeMetrics()
        self.registry = registry
        self.runners = runners
        self.read_offer = runners.read_offer
        self.model = FakeModel()
        self.sessions = FakeSessions()
        self.transcript = FakeTranscript()
        self.events = FakeEvents(self.clock)
        self.turns = FakeTurns(self.sessions, self.transcript, self.events)
        self.chat_words = self.turns
        self.calls, self.reports = FakeCalls(), FakeReports()
        self.approvals = FakeApprovals()
        self.inputs = FakeInputs()
        self.call_tasks = FakeCallTasks()
        self.reported_events = FakeReportedEvents(self.events, self.inputs)
        self.dashboards = FakeDashboards()
        self.audit_trail = FakeAuditTrail()
        self.tool_lists = FakeToolLists()
        self.request_keys = FakeRequestKeys()
        self.uploads = FakeUploads()
        self.files = FakeFiles(self.uploads)
        self.quota_counts = FakeQuotaCounts(self.sessions, self.turns, self.uploads)
        self.erasures = FakeErasures()
        self.steps = FakeSteps(
            self.clock,
            self.sessions,
            self.turns,
            self.transcript,
            self.events,
            self.reported_events,
            self.calls,
            self.reports,
            self.approvals,
            self.inputs,
            self.call_tasks,
            self.quota_counts,
            self.audit_trail,
            self.erasures,
        )
        self.shared_links = FakeSharedLinks()
        self.chat_links = FakeChatLinks()
        self.user_settings, self.personal_tokens = FakeUserSettings(), FakePersonalTokens()
        self.link_states = FakeLinkStates(self.files, self.sessions, self.shared_links)
        self.tickets, self.connections = FakeTickets(), FakeConnections()
        self.subscriptions = FakeSubscriptions()
        self.sources: str | None = None
        self.file_reaper = FakeFileReaper(self.files, self.sessions)
        self.server_session_remover = FakeServerSessionRemover()
        self.session_purger = FakeSessionPurger(self.turns, self.events)
        self.store = FakeFileStore()
        self.parts = FakePartStore(self.store)
        self.signer = FakeSigner(self.clock)
        self.dashboard_signer = FakeDashboardSigner()
        self.workflow = self.turn_starter = FakeWorkflow()
        self.callback = FakeTaskCallback()
        self.credentials = FakeCredentials()
        self.schema_checker = FakeSchemaChecker()
        self.connection_sender = FakeConnectionSender()
        self.cleanup_starter = FakeCleanupStarter()
        self.erasure_starter = FakeErasureStarter()
        self.user_purger = FakeUserPurger()
        self.page_store = FakePageStore()

    def source_version(self, _entry: ServerEntry) -> str | None:
        """Return the version of all servers' source files, which a test changes with ``sources``."""
        return self.sources

"""Every port as a fake, over which unit tests run the real composition root."""

from collections.abc import Callable

from satchel.domain.isolation import Isolation
from satchel.domain.servers import Registry
from satchel.ports.sessions import CleanupStarter
from tests.fakes.approvals import FakeApprovals
from tests.fakes.arguments import FakeArgumentChecker
from tests.fakes.audit import FakeAuditTrail
from tests.fakes.calls import FakeCalls
from tests.fakes.clock import FakeClock
from tests.fakes.dashboards import FakeDashboards
from tests.fakes.entropy import FakeEntropy
from tests.fakes.erasing import FakeErasures, FakeErasureStarter, FakeUserPurger
from tests.fakes.events import FakeEvents
from tests.fakes.file_store import FakeFileStore, FakePageStore
from tests.fakes.files import FakeFiles
from tests.fakes.going import FakeCleanupStarter, FakeFileReaper, FakeSessionPurger
from tests.fakes.links import FakeLinkStates, FakeSharedLinks
from tests.fakes.metrics import FakeMetrics
from tests.fakes.model import FakeModel
from tests.fakes.runners import FakeCredentials, FakeRunners
from tests.fakes.sessions import FakeSessions
from tests.fakes.signer import FakeSigner
from tests.fakes.sockets import FakeConnections, FakeConnectionSender, FakeSubscriptions, FakeTickets
from tests.fakes.tool_lists import FakeToolLists
from tests.fakes.transcript import FakeTranscript
from tests.fakes.turns import FakeTurns
from tests.fakes.uploads import FakePartStore, FakeUploads
from tests.fakes.workflow import FakeTaskCallback, FakeWorkflow


class FakePorts:
    """Implements ``ports.bundle.Ports``. Attributes have the types of the fakes, so that tests can read what was stored."""

    def __init__(self, *, registry: Registry, runners: FakeRunners) -> None:
        self.clock = FakeClock()
        self.entropy: Callable[[int], bytes] = FakeEntropy()
        self.metrics = FakeMetrics()
        self.isolation: Callable[[], Isolation] = Isolation
        self.registry = registry
        self.runners = runners
        self.model = FakeModel()
        self.sessions = FakeSessions()
        self.transcript = FakeTranscript()
        self.turns = FakeTurns(self.sessions, self.transcript)
        self.calls = FakeCalls()
        self.approvals = FakeApprovals()
        self.events = FakeEvents(self.clock)
        self.dashboards = FakeDashboards()
        self.audit_trail = FakeAuditTrail()
        self.tool_lists = FakeToolLists()
        self.uploads = FakeUploads()
        self.files = FakeFiles(self.uploads)
        self.shared_links = FakeSharedLinks()
        self.link_states = FakeLinkStates(self.files, self.sessions, self.shared_links)
        self.tickets = FakeTickets()
        self.connections = FakeConnections()
        self.subscriptions = FakeSubscriptions()
        self.erasures = FakeErasures()
        self.file_reaper = FakeFileReaper(self.files, self.sessions)
        self.session_purger = FakeSessionPurger(self.turns, self.events)
        self.store = FakeFileStore()
        self.parts = FakePartStore(self.store)
        self.signer = FakeSigner(self.clock)
        self.workflow = FakeWorkflow()
        self.callback = FakeTaskCallback()
        self.credentials = FakeCredentials()
        self.argument_checker = FakeArgumentChecker()
        self.connection_sender = FakeConnectionSender()
        self.cleanup_starter: CleanupStarter = FakeCleanupStarter()
        self.erasure_starter = FakeErasureStarter()
        self.user_purger = FakeUserPurger()
        self.page_store = FakePageStore()

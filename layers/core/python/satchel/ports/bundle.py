"""All ports as one bundle, from which use cases are built. To add a port, add a property here and in ``AwsPorts``."""

from collections.abc import Callable
from typing import Protocol

from satchel.domain.servers import Registry, ServerEntry
from satchel.ports.calls import AuditTrail, Calls, CallTasks, ReportedEvents, Reports
from satchel.ports.connections import Connections, ConnectionSender, Subscriptions, Tickets
from satchel.ports.files import FileReaper, Files, Uploads
from satchel.ports.links import ChatLinks, DashboardSigner, LinkStates, SharedLinks, Signer
from satchel.ports.llm import Model
from satchel.ports.quotas import QuotaCounts
from satchel.ports.requests import RequestKeys
from satchel.ports.runners import CredentialSource, OfferReader, Runners, SchemaChecker, ToolLists
from satchel.ports.sessions import ChatWords, CleanupStarter, Dashboards, ServerSessionRemover, SessionPurger, Sessions
from satchel.ports.steps import Steps
from satchel.ports.storage import FileStore, PageStore, PartStore
from satchel.ports.system import Clock, Metrics
from satchel.ports.turns import Approvals, Events, Inputs, TaskCallback, Transcript, Turns, TurnStarter, Workflow
from satchel.ports.users import Erasures, ErasureStarter, PersonalTokens, UserPurger, UserSettingsStore


class Ports(Protocol):
    """All ports of the use cases. ``AwsPorts`` contains the adapters, and ``FakePorts`` contains fakes for tests."""

    @property
    def clock(self) -> Clock: ...

    @property
    def entropy(self) -> Callable[[int], bytes]: ...

    @property
    def metrics(self) -> Metrics: ...

    @property
    def registry(self) -> Registry: ...

    @property
    def model(self) -> Model: ...

    @property
    def sessions(self) -> Sessions: ...

    @property
    def turns(self) -> Turns: ...

    @property
    def steps(self) -> Steps: ...

    @property
    def transcript(self) -> Transcript: ...

    @property
    def calls(self) -> Calls: ...

    @property
    def call_tasks(self) -> CallTasks: ...

    @property
    def quota_counts(self) -> QuotaCounts: ...

    @property
    def approvals(self) -> Approvals: ...

    @property
    def inputs(self) -> Inputs: ...

    @property
    def events(self) -> Events: ...

    @property
    def reported_events(self) -> ReportedEvents: ...

    @property
    def reports(self) -> Reports: ...

    @property
    def dashboards(self) -> Dashboards: ...

    @property
    def audit_trail(self) -> AuditTrail: ...

    @property
    def tool_lists(self) -> ToolLists: ...

    @property
    def request_keys(self) -> RequestKeys: ...

    @property
    def files(self) -> Files: ...

    @property
    def uploads(self) -> Uploads: ...

    @property
    def shared_links(self) -> SharedLinks: ...

    @property
    def chat_links(self) -> ChatLinks: ...

    @property
    def chat_words(self) -> ChatWords: ...

    @property
    def link_states(self) -> LinkStates: ...

    @property
    def tickets(self) -> Tickets: ...

    @property
    def connections(self) -> Connections: ...

    @property
    def subscriptions(self) -> Subscriptions: ...

    @property
    def erasures(self) -> Erasures: ...

    @property
    def user_settings(self) -> UserSettingsStore: ...

    @property
    def personal_tokens(self) -> PersonalTokens: ...

    @property
    def file_reaper(self) -> FileReaper: ...

    @property
    def server_session_remover(self) -> ServerSessionRemover: ...

    @property
    def session_purger(self) -> SessionPurger: ...

    @property
    def user_purger(self) -> UserPurger: ...

    @property
    def store(self) -> FileStore: ...

    @property
    def parts(self) -> PartStore: ...

    @property
    def page_store(self) -> PageStore: ...

    @property
    def signer(self) -> Signer: ...

    @property
    def dashboard_signer(self) -> DashboardSigner: ...

    @property
    def turn_starter(self) -> TurnStarter: ...

    @property
    def workflow(self) -> Workflow: ...

    @property
    def callback(self) -> TaskCallback: ...

    @property
    def runners(self) -> Runners: ...

    @property
    def source_version(self) -> Callable[[ServerEntry], str | None]: ...

    @property
    def read_offer(self) -> OfferReader: ...

    @property
    def credentials(self) -> CredentialSource: ...

    @property
    def schema_checker(self) -> SchemaChecker: ...

    @property
    def connection_sender(self) -> ConnectionSender: ...

    @property
    def cleanup_starter(self) -> CleanupStarter: ...

    @property
    def erasure_starter(self) -> ErasureStarter: ...

"""Creates each adapter for AWS when a use case first needs it.

Adapters that need an additional library, such as jwt or jsonschema, are imported only when they are created, because a
function's layers contain only the libraries that the function's use cases need.
"""

import os
from collections.abc import Callable
from datetime import timedelta
from functools import cached_property

from satchel.adapters import clients
from satchel.adapters.dynamodb.audit import DynamoAuditTrail
from satchel.adapters.dynamodb.calls import DynamoApprovals, DynamoCalls, DynamoCallTasks
from satchel.adapters.dynamodb.chat_links import DynamoChatLinks
from satchel.adapters.dynamodb.chat_words import DynamoChatWords
from satchel.adapters.dynamodb.connections import DynamoConnections, DynamoSubscriptions, DynamoTickets
from satchel.adapters.dynamodb.dashboards import DynamoDashboards
from satchel.adapters.dynamodb.events import DynamoEvents
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.inputs import DynamoInputs
from satchel.adapters.dynamodb.links import DynamoLinkStates, DynamoSharedLinks
from satchel.adapters.dynamodb.personal_tokens import DynamoPersonalTokens
from satchel.adapters.dynamodb.quotas import DynamoQuotaCounts
from satchel.adapters.dynamodb.reports import DynamoReports
from satchel.adapters.dynamodb.requests import DynamoRequestKeys
from satchel.adapters.dynamodb.retention import DynamoFileReaper, DynamoSessionPurger
from satchel.adapters.dynamodb.runner_events import DynamoReportedEvents
from satchel.adapters.dynamodb.server_sessions import DynamoServerSessionRemover
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.steps import DynamoSteps
from satchel.adapters.dynamodb.table import Table
from satchel.adapters.dynamodb.tool_lists import DynamoToolLists
from satchel.adapters.dynamodb.transcript import DynamoTranscript
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.dynamodb.uploads import DynamoUploads
from satchel.adapters.dynamodb.user_purger import DynamoUserPurger
from satchel.adapters.dynamodb.user_settings import DynamoUserSettings
from satchel.adapters.dynamodb.users import DynamoErasures
from satchel.adapters.lambda_functions import (
    LambdaCleanupStarter,
    LambdaErasureStarter,
    LambdaOfferReader,
    LambdaRunners,
    LambdaTurnStarter,
)
from satchel.adapters.s3_files import S3Files, S3Page
from satchel.adapters.s3_uploads import S3Uploads
from satchel.adapters.stepfunctions import TurnExecutions, WaitingTasks
from satchel.bootstrap.observed import metrics
from satchel.bootstrap.process import CLOCK, registry
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
from satchel.settings import Settings

_KEYS_CACHED_SECONDS = 300  # after a key rotation, processes sign with the old key for at most this time


class AwsPorts:
    """Implement ``ports.bundle.Ports`` with DynamoDB, S3, Lambda, Step Functions, Secrets Manager and STS."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    clock = cached_property[Clock](lambda _: CLOCK)

    @property
    def entropy(self) -> Callable[[int], bytes]:
        return os.urandom

    metrics = cached_property[Metrics](lambda _: metrics())

    registry = cached_property[Registry](lambda _: registry())

    @cached_property
    def model(self) -> Model:
        from satchel.adapters.llm.model_router import check_model_name
        from satchel.bootstrap.language_models import model_router

        check_model_name(self._settings.models.catalog.all[0].model)
        return model_router()

    table = cached_property[Table](lambda self: Table(clients.dynamodb(), self._settings.storage.table))
    sessions = cached_property[Sessions](lambda self: DynamoSessions(self.table))
    turns = cached_property[Turns](lambda self: DynamoTurns(self.table))
    transcript = cached_property[Transcript](lambda self: DynamoTranscript(self.table, self.store))
    calls = cached_property[Calls](lambda self: DynamoCalls(self.table, self.store))
    quota_counts = cached_property[QuotaCounts](lambda self: DynamoQuotaCounts(self.table))
    approvals = cached_property[Approvals](lambda self: DynamoApprovals(self.table))
    call_tasks = cached_property[CallTasks](lambda self: DynamoCallTasks(self.table))
    inputs = cached_property[Inputs](lambda self: DynamoInputs(self.table))
    events = cached_property[Events](lambda self: DynamoEvents(self.table, self.clock))
    reported_events = cached_property[ReportedEvents](lambda self: DynamoReportedEvents(self.table, self.clock))
    reports = cached_property[Reports](lambda self: DynamoReports(self.table, self.store))
    dashboards = cached_property[Dashboards](lambda self: DynamoDashboards(self.table))

    @cached_property
    def steps(self) -> Steps:
        return DynamoSteps(self.table, self.store, self.clock, timedelta(days=self._settings.audit.audit_days))

    @cached_property
    def audit_trail(self) -> AuditTrail:
        return DynamoAuditTrail(self.table, timedelta(days=self._settings.audit.audit_days))

    tool_lists = cached_property[ToolLists](lambda self: DynamoToolLists(self.table))
    request_keys = cached_property[RequestKeys](lambda self: DynamoRequestKeys(self.table))
    files = cached_property[Files](lambda self: DynamoFiles(self.table))
    uploads = cached_property[Uploads](lambda self: DynamoUploads(self.table))
    shared_links = cached_property[SharedLinks](lambda self: DynamoSharedLinks(self.table))
    chat_links = cached_property[ChatLinks](lambda self: DynamoChatLinks(self.table))
    chat_words = cached_property[ChatWords](lambda self: DynamoChatWords(self.table))
    link_states = cached_property[LinkStates](lambda self: DynamoLinkStates(self.table))
    tickets = cached_property[Tickets](lambda self: DynamoTickets(self.table))
    connections = cached_property[Connections](lambda self: DynamoConnections(self.table))
    subscriptions = cached_property[Subscriptions](lambda self: DynamoSubscriptions(self.table))
    erasures = cached_property[Erasures](lambda self: DynamoErasures(self.table))
    user_settings = cached_property[UserSettingsStore](lambda self: DynamoUserSettings(self.table))
    personal_tokens = cached_property[PersonalTokens](lambda self: DynamoPersonalTokens(self.table))
    file_reaper = cached_property[FileReaper](lambda self: DynamoFileReaper(self.table))
    server_session_remover = cached_property[ServerSessionRemover](lambda self: DynamoServerSessionRemover(self.table))
    session_purger = cached_property[SessionPurger](lambda self: DynamoSessionPurger(self.table))
    user_purger = cached_property[UserPurger](lambda self: DynamoUserPurger(self.table))
    store = cached_property[FileStore](lambda self: S3Files(clients.s3(), self._settings.storage.bucket))
    parts = cached_property[PartStore](lambda self: S3Uploads(clients.s3(), self._settings.storage.bucket))
    page_store = cached_property[PageStore](lambda self: S3Page(clients.s3(), self._settings.page_bucket.page_bucket))

    @cached_property
    def signer(self) -> Signer:
        from aws_lambda_powertools.utilities.parameters import SecretsProvider

        from satchel.adapters.jwt_signer import JwtSigner
        from satchel.adapters.signing_keys import SigningKeys

        provider = SecretsProvider(boto3_client=clients.secrets())
        secret = self._settings.links.capability_secret

        def load() -> SigningKeys:
            return SigningKeys.parse(str(provider.get(secret, max_age=_KEYS_CACHED_SECONDS)))

        return JwtSigner(load_keys=load, clock=self.clock)

    @cached_property
    def dashboard_signer(self) -> DashboardSigner:
        from satchel.adapters.kms_signer import KmsSigner

        return KmsSigner(clients.kms, self._settings.dashboards.dashboard_keys)

    @cached_property
    def turn_starter(self) -> TurnStarter:
        return LambdaTurnStarter(clients.lambda_(), self._settings.first_round.think_function)

    @cached_property
    def workflow(self) -> Workflow:
        return TurnExecutions(clients.stepfunctions, self._settings.workflow.state_machine)

    callback = cached_property[TaskCallback](lambda _: WaitingTasks(clients.stepfunctions()))

    @cached_property
    def runners(self) -> Runners:
        settings = self._settings.runners
        return LambdaRunners(
            client=clients.lambda_(),
            waiting_client=clients.lambda_waiting(),
            listing_client=clients.lambda_listing(),
            prefix=settings.runner_prefix,
            remote=self.registry.remote,
            remote_runner=settings.remote_runner,
        )

    @property
    def source_version(self) -> Callable[[ServerEntry], str | None]:
        if not self._settings.refresh.reload_servers:
            return _no_version
        from satchel.adapters.source_files import source_version

        return source_version

    @cached_property
    def read_offer(self) -> OfferReader:
        return LambdaOfferReader(clients.lambda_listing(), self._settings.offers.refresh_function)

    @cached_property
    def credentials(self) -> CredentialSource:
        from satchel.adapters.sts_credentials import StsCredentials

        storage = self._settings.storage
        return StsCredentials(clients.sts(), self._settings.dispatch.call_role, storage.bucket, storage.table)

    @cached_property
    def schema_checker(self) -> SchemaChecker:
        from satchel.adapters.json_schema import JsonSchemaChecker

        return JsonSchemaChecker()

    @cached_property
    def connection_sender(self) -> ConnectionSender:
        from satchel.adapters.api_gateway import ApiGatewaySender

        return ApiGatewaySender(clients.socket_api(self._settings.push.socket_endpoint))

    @cached_property
    def cleanup_starter(self) -> CleanupStarter:
        return LambdaCleanupStarter(clients.lambda_(), self._settings.cleanup.end_session_function)

    @cached_property
    def erasure_starter(self) -> ErasureStarter:
        return LambdaErasureStarter(clients.lambda_(), self._settings.erasure.erase_function)


def _no_version(_entry: ServerEntry) -> None:
    """Return None, because only a deployment changes the source files of a server."""

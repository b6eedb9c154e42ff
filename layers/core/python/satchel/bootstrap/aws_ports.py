"""Creates each adapter for AWS when a use case first needs it.

Each property imports its adapter when it is first used: a function needs only some of them, and the function's layers
contain only the libraries, such as jwt or jsonschema, that its use cases need.
"""

from __future__ import annotations

import os
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from satchel.adapters import clients
from satchel.bootstrap.observed import metrics
from satchel.bootstrap.process import CLOCK, registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from satchel.adapters.dynamodb.table import Table
    from satchel.domain.servers import Registry, ServerEntry
    from satchel.ports.calls import AuditTrail, Calls, CallTasks, ReportedEvents, Reports
    from satchel.ports.connections import Connections, ConnectionSender, Subscriptions, Tickets
    from satchel.ports.files import FileReaper, Files, Uploads
    from satchel.ports.links import ChatLinks, DashboardSigner, LinkStates, SharedLinks, Signer
    from satchel.ports.llm import Model
    from satchel.ports.quotas import QuotaCounts
    from satchel.ports.requests import RequestKeys
    from satchel.ports.runners import CredentialSource, OfferReader, Runners, SchemaChecker, ToolLists
    from satchel.ports.sessions import (
        ChatWords,
        CleanupStarter,
        Dashboards,
        ServerSessionRemover,
        SessionPurger,
        Sessions,
    )
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

    @cached_property
    def clock(self) -> Clock:
        return CLOCK

    @property
    def entropy(self) -> Callable[[int], bytes]:
        return os.urandom

    @cached_property
    def metrics(self) -> Metrics:
        return metrics()

    @cached_property
    def registry(self) -> Registry:
        return registry()

    @cached_property
    def model(self) -> Model:
        from satchel.adapters.llm.model_router import check_model_name
        from satchel.bootstrap.language_models import model_router

        check_model_name(self._settings.models.catalog.all[0].model)
        return model_router()

    @cached_property
    def table(self) -> Table:
        from satchel.adapters.dynamodb.table import Table

        return Table(clients.dynamodb(), self._settings.storage.table)

    @cached_property
    def sessions(self) -> Sessions:
        from satchel.adapters.dynamodb.sessions import DynamoSessions

        return DynamoSessions(self.table)

    @cached_property
    def turns(self) -> Turns:
        from satchel.adapters.dynamodb.turns import DynamoTurns

        return DynamoTurns(self.table)

    @cached_property
    def transcript(self) -> Transcript:
        from satchel.adapters.dynamodb.transcript import DynamoTranscript

        return DynamoTranscript(self.table, self.store)

    @cached_property
    def calls(self) -> Calls:
        from satchel.adapters.dynamodb.calls import DynamoCalls

        return DynamoCalls(self.table, self.store)

    @cached_property
    def quota_counts(self) -> QuotaCounts:
        from satchel.adapters.dynamodb.quotas import DynamoQuotaCounts

        return DynamoQuotaCounts(self.table)

    @cached_property
    def approvals(self) -> Approvals:
        from satchel.adapters.dynamodb.calls import DynamoApprovals

        return DynamoApprovals(self.table)

    @cached_property
    def call_tasks(self) -> CallTasks:
        from satchel.adapters.dynamodb.calls import DynamoCallTasks

        return DynamoCallTasks(self.table)

    @cached_property
    def inputs(self) -> Inputs:
        from satchel.adapters.dynamodb.inputs import DynamoInputs

        return DynamoInputs(self.table)

    @cached_property
    def events(self) -> Events:
        from satchel.adapters.dynamodb.events import DynamoEvents

        return DynamoEvents(self.table, self.clock)

    @cached_property
    def reported_events(self) -> ReportedEvents:
        from satchel.adapters.dynamodb.runner_events import DynamoReportedEvents

        return DynamoReportedEvents(self.table, self.clock)

    @cached_property
    def reports(self) -> Reports:
        from satchel.adapters.dynamodb.reports import DynamoReports

        return DynamoReports(self.table, self.store)

    @cached_property
    def dashboards(self) -> Dashboards:
        from satchel.adapters.dynamodb.dashboards import DynamoDashboards

        return DynamoDashboards(self.table)

    @cached_property
    def steps(self) -> Steps:
        from satchel.adapters.dynamodb.steps import DynamoSteps

        return DynamoSteps(self.table, self.store, self.clock, timedelta(days=self._settings.audit.audit_days))

    @cached_property
    def audit_trail(self) -> AuditTrail:
        from satchel.adapters.dynamodb.audit import DynamoAuditTrail

        return DynamoAuditTrail(self.table, timedelta(days=self._settings.audit.audit_days))

    @cached_property
    def tool_lists(self) -> ToolLists:
        from satchel.adapters.dynamodb.tool_lists import DynamoToolLists

        return DynamoToolLists(self.table)

    @cached_property
    def request_keys(self) -> RequestKeys:
        from satchel.adapters.dynamodb.requests import DynamoRequestKeys

        return DynamoRequestKeys(self.table)

    @cached_property
    def files(self) -> Files:
        from satchel.adapters.dynamodb.files import DynamoFiles

        return DynamoFiles(self.table)

    @cached_property
    def uploads(self) -> Uploads:
        from satchel.adapters.dynamodb.uploads import DynamoUploads

        return DynamoUploads(self.table)

    @cached_property
    def shared_links(self) -> SharedLinks:
        from satchel.adapters.dynamodb.links import DynamoSharedLinks

        return DynamoSharedLinks(self.table)

    @cached_property
    def chat_links(self) -> ChatLinks:
        from satchel.adapters.dynamodb.chat_links import DynamoChatLinks

        return DynamoChatLinks(self.table)

    @cached_property
    def chat_words(self) -> ChatWords:
        from satchel.adapters.dynamodb.chat_words import DynamoChatWords

        return DynamoChatWords(self.table)

    @cached_property
    def link_states(self) -> LinkStates:
        from satchel.adapters.dynamodb.links import DynamoLinkStates

        return DynamoLinkStates(self.table)

    @cached_property
    def tickets(self) -> Tickets:
        from satchel.adapters.dynamodb.connections import DynamoTickets

        return DynamoTickets(self.table)

    @cached_property
    def connections(self) -> Connections:
        from satchel.adapters.dynamodb.connections import DynamoConnections

        return DynamoConnections(self.table)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        from satchel.adapters.dynamodb.connections import DynamoSubscriptions

        return DynamoSubscriptions(self.table)

    @cached_property
    def erasures(self) -> Erasures:
        from satchel.adapters.dynamodb.users import DynamoErasures

        return DynamoErasures(self.table)

    @cached_property
    def user_settings(self) -> UserSettingsStore:
        from satchel.adapters.dynamodb.user_settings import DynamoUserSettings

        return DynamoUserSettings(self.table)

    @cached_property
    def personal_tokens(self) -> PersonalTokens:
        from satchel.adapters.dynamodb.personal_tokens import DynamoPersonalTokens

        return DynamoPersonalTokens(self.table)

    @cached_property
    def file_reaper(self) -> FileReaper:
        from satchel.adapters.dynamodb.retention import DynamoFileReaper

        return DynamoFileReaper(self.table)

    @cached_property
    def server_session_remover(self) -> ServerSessionRemover:
        from satchel.adapters.dynamodb.server_sessions import DynamoServerSessionRemover

        return DynamoServerSessionRemover(self.table)

    @cached_property
    def session_purger(self) -> SessionPurger:
        from satchel.adapters.dynamodb.retention import DynamoSessionPurger

        return DynamoSessionPurger(self.table)

    @cached_property
    def user_purger(self) -> UserPurger:
        from satchel.adapters.dynamodb.user_purger import DynamoUserPurger

        return DynamoUserPurger(self.table)

    @cached_property
    def store(self) -> FileStore:
        from satchel.adapters.s3_files import S3Files

        return S3Files(clients.s3(), self._settings.storage.bucket)

    @cached_property
    def parts(self) -> PartStore:
        from satchel.adapters.s3_uploads import S3Uploads

        return S3Uploads(clients.s3(), self._settings.storage.bucket)

    @cached_property
    def page_store(self) -> PageStore:
        from satchel.adapters.s3_files import S3Page

        return S3Page(clients.s3(), self._settings.page_bucket.page_bucket)

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
        from satchel.adapters.lambda_functions import LambdaTurnStarter

        return LambdaTurnStarter(clients.lambda_(), self._settings.first_round.think_function)

    @cached_property
    def workflow(self) -> Workflow:
        from satchel.adapters.stepfunctions import TurnExecutions

        return TurnExecutions(clients.stepfunctions, self._settings.workflow.state_machine)

    @cached_property
    def callback(self) -> TaskCallback:
        from satchel.adapters.stepfunctions import WaitingTasks

        return WaitingTasks(clients.stepfunctions())

    @cached_property
    def runners(self) -> Runners:
        from satchel.adapters.lambda_functions import LambdaRunners

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
        from satchel.adapters.lambda_functions import LambdaOfferReader

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
        from satchel.adapters.lambda_functions import LambdaCleanupStarter

        return LambdaCleanupStarter(clients.lambda_(), self._settings.cleanup.end_session_function)

    @cached_property
    def erasure_starter(self) -> ErasureStarter:
        from satchel.adapters.lambda_functions import LambdaErasureStarter

        return LambdaErasureStarter(clients.lambda_(), self._settings.erasure.erase_function)


def _no_version(_entry: ServerEntry) -> None:
    """Return None, because only a deployment changes the source files of a server."""

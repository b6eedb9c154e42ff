"""The composition root: create the use cases from ports and settings.

Only this module creates use cases. The Lambda functions and the local server pass the real adapters
(``bootstrap.aws_ports``), and the tests pass fakes (``tests/fakes/ports.py``). For a new use case, add a property.

Each property imports its service when it is first used: importing all services takes a quarter of a cold start.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from satchel.domain.uploads import PART_BYTES

if TYPE_CHECKING:
    from satchel.domain.llm import ModelCatalog
    from satchel.ports.bundle import Ports
    from satchel.services.apps.call_from_app import CallFromApp, ReadAppCall
    from satchel.services.apps.read_app import ReadApp
    from satchel.services.apps.read_still import ReadStill
    from satchel.services.calls.ask_approval import AskApproval
    from satchel.services.calls.audit import RecordAudit
    from satchel.services.calls.cancel_tasks import CancelTasks
    from satchel.services.calls.dispatch_tool import DispatchTool
    from satchel.services.calls.record_tool_result import RecordToolResult
    from satchel.services.calls.relay_events import RelayEvents
    from satchel.services.calls.resolve_inputs import ResolveInputs
    from satchel.services.connections.push_events import PushEvents
    from satchel.services.connections.pushed_events import PushedEvents
    from satchel.services.connections.subscriptions import (
        ForgetConnection,
        IssueTicket,
        OpenConnection,
        Subscribe,
        Unsubscribe,
    )
    from satchel.services.deployment import Deployment, PublishPage, ReadPage
    from satchel.services.files.download import Download, OpenLink
    from satchel.services.files.file_context import FileContextBuilder
    from satchel.services.files.links import MintLinks, ReadLinks, RevokeLinks, ShareFile
    from satchel.services.files.read_files import ReadFiles
    from satchel.services.files.retention import KeepFile, RemoveFile, RemoveFiles
    from satchel.services.files.storage_quota import StorageQuota
    from satchel.services.files.upload_file import UploadFile
    from satchel.services.files.upload_parts import (
        AbortUpload,
        BeginUpload,
        CompleteUpload,
        ReadUploads,
        SignParts,
    )
    from satchel.services.personal_tokens import PersonalTokenAccess
    from satchel.services.quotas import ReadQuotas
    from satchel.services.run_once import RunOnce
    from satchel.services.sessions.clean_up_session import CleanUpSession
    from satchel.services.sessions.erase_user import EraseUser, RequestErasure
    from satchel.services.sessions.import_conversation import ImportConversation
    from satchel.services.sessions.read_conversation import ReadConversation
    from satchel.services.sessions.search_chats import SearchChats
    from satchel.services.sessions.sessions import (
        ChangeSession,
        DeleteConversation,
        EndSession,
        ReadAudit,
        ReadSessions,
        StartSession,
    )
    from satchel.services.sessions.share_chat import OpenSharedChat, ReadChatLinks, ShareChat
    from satchel.services.sessions.user_settings import UserSettingsAccess
    from satchel.services.sweep import Sweep
    from satchel.services.tools.offers import RequestOffers
    from satchel.services.tools.tool_lists import ListTools, MarkToolsStale, RefreshTools, RememberAsking
    from satchel.services.turns.approvals import DecideApproval, ReadApproval
    from satchel.services.turns.build_model_request import BuildModelRequest
    from satchel.services.turns.canvas_actions import LogCanvasAction
    from satchel.services.turns.dashboard_tokens import DashboardTokens
    from satchel.services.turns.finish_turn import EndStuckTurn, FinishTurn
    from satchel.services.turns.first_round import RunFirstRound
    from satchel.services.turns.inputs import AnswerInput, AskInput
    from satchel.services.turns.rate_turn import RateTurn
    from satchel.services.turns.read_turn import CancelTurn, ReadTurn
    from satchel.services.turns.start_turn import StartTurn
    from satchel.services.turns.think import Think
    from satchel.settings import Settings


class UseCases:
    """All use cases, one property each. A use case is created at first access, from the ports and settings it needs."""

    def __init__(self, *, ports: Ports, settings: Settings) -> None:
        self.ports = ports
        self.settings = settings

    # Use cases that describe the deployment

    @cached_property
    def models(self) -> ModelCatalog:
        return self.settings.models.catalog

    @cached_property
    def deployment(self) -> Deployment:
        from satchel.services.deployment import Deployment

        limits = self.settings.limits
        return Deployment(
            models=self.models,
            socket_url=self.settings.sockets.socket_url,
            flags={
                "persist_files_across_sessions": self.settings.sessions.persist_files_across_sessions,
                "base64_size_limit_mb": limits.base64_mb_in_force,
                "canvas_origins": list(self.settings.canvas.canvas_origins),
            },
            limits={
                "body_bytes": limits.max_body_bytes,
                "message_bytes": limits.max_message_bytes,
                "inline_bytes": limits.inline_bytes,
                "file_bytes": limits.max_file_size_bytes,
                "part_bytes": PART_BYTES,
            },
        )

    @cached_property
    def publish_page(self) -> PublishPage:
        from satchel.services.deployment import PublishPage

        page = self.settings.page
        return PublishPage(self.ports.page_store, page.page_folder, page.page_config)

    @cached_property
    def read_page(self) -> ReadPage:
        from satchel.services.deployment import ReadPage

        page = self.settings.page
        return ReadPage(page.page_folder, page.page_config, self.settings.page_headers.page_headers)

    # Use cases for tool lists

    @cached_property
    def list_tools(self) -> ListTools:
        from satchel.services.tools.tool_lists import ListTools

        return ListTools(registry=self.ports.registry, lists=self.ports.tool_lists)

    @cached_property
    def request_offers(self) -> RequestOffers:
        from satchel.services.tools.offers import RequestOffers

        return RequestOffers(
            listed=self.list_tools,
            read=self.ports.read_offer,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
        )

    @cached_property
    def refresh_tools(self) -> RefreshTools:
        from satchel.services.tools.tool_lists import RefreshTools

        return RefreshTools(
            registry=self.ports.registry,
            lists=self.ports.tool_lists,
            runners=self.ports.runners,
            clock=self.ports.clock,
            max_age=timedelta(seconds=self.settings.refresh.tools_kept_seconds),
            source_version=self.ports.source_version,
        )

    @cached_property
    def mark_tools_stale(self) -> MarkToolsStale:
        from satchel.services.tools.tool_lists import MarkToolsStale

        return MarkToolsStale(registry=self.ports.registry, lists=self.ports.tool_lists)

    @cached_property
    def remember_asking(self) -> RememberAsking:
        from satchel.services.tools.tool_lists import RememberAsking

        return RememberAsking(registry=self.ports.registry, lists=self.ports.tool_lists)

    # Use cases for turns

    @cached_property
    def start_turn(self) -> StartTurn:
        from satchel.services.turns.start_turn import StartTurn

        return StartTurn(
            steps=self.ports.steps,
            turns=self.ports.turns,
            files=self.ports.files,
            starter=self.ports.turn_starter,
            end_stuck=self.end_stuck_turn,
            tools=self.list_tools,
            file_context=self.file_context,
            models=self.models,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            max_message_bytes=self.settings.limits.max_message_bytes,
            context_tokens=self.settings.think.context_tokens,
            persist_files_across_sessions=self.settings.sessions.persist_files_across_sessions,
            max_turns_per_minute=self.settings.quotas.user_turns_per_minute,
        )

    @cached_property
    def build_model_request(self) -> BuildModelRequest:
        from satchel.services.turns.build_model_request import BuildModelRequest

        return BuildModelRequest(
            models=self.models,
            store=self.ports.store,
            instructions=self.settings.think.instructions,
            context_tokens=self.settings.think.context_tokens,
        )

    @cached_property
    def think_events(self) -> PushedEvents:
        from satchel.services.connections.pushed_events import PushedEvents

        return PushedEvents(self.ports.events, self.push_events if self.settings.think.pushes_text else None)

    @cached_property
    def think(self) -> Think:
        from satchel.services.turns.build_model_request import CountTokens
        from satchel.services.turns.make_title import MakeTitle
        from satchel.services.turns.think import Think

        model = CountTokens(model=self.ports.model, metrics=self.ports.metrics)
        return Think(
            make_title=MakeTitle(
                sessions=self.ports.sessions,
                turns=self.ports.turns,
                models=self.settings.models.catalog,
                model=model,
                is_enabled=self.settings.think.chat_titles,
            ),
            turns=self.ports.turns,
            steps=self.ports.steps,
            transcript=self.ports.transcript,
            events=self.think_events,
            calls=self.ports.calls,
            build_request=self.build_model_request,
            model=model,
            tools=self.list_tools,
            clock=self.ports.clock,
            metrics=self.ports.metrics,
            max_rounds=self.settings.think.max_rounds,
        )

    @cached_property
    def run_first_round(self) -> RunFirstRound:
        from satchel.services.turns.first_round import RunFirstRound

        return RunFirstRound(
            turns=self.ports.turns,
            think=self.think,
            finish=self.finish_turn,
            workflow=self.ports.workflow,
            clock=self.ports.clock,
        )

    @cached_property
    def rate_turn(self) -> RateTurn:
        from satchel.services.turns.rate_turn import RateTurn

        return RateTurn(sessions=self.ports.sessions, turns=self.ports.turns)

    @cached_property
    def finish_turn(self) -> FinishTurn:
        from satchel.services.turns.finish_turn import FinishTurn

        return FinishTurn(
            turns=self.ports.turns,
            steps=self.ports.steps,
            calls=self.ports.calls,
            events=self.ports.events,
            reported=self.ports.reported_events,
            clock=self.ports.clock,
            audit=self.record_audit,
            metrics=self.ports.metrics,
            quota_counts=self.ports.quota_counts,
        )

    @cached_property
    def end_stuck_turn(self) -> EndStuckTurn:
        from satchel.services.turns.finish_turn import EndStuckTurn

        return EndStuckTurn(
            turns=self.ports.turns, workflow=self.ports.workflow, finish=self.finish_turn, clock=self.ports.clock
        )

    @cached_property
    def read_turn(self) -> ReadTurn:
        from satchel.services.turns.read_turn import ReadTurn

        return ReadTurn(
            sessions=self.ports.sessions,
            turns=self.ports.turns,
            calls=self.ports.calls,
            files=self.ports.files,
            events=self.ports.events,
            inputs=self.ports.inputs,
            end_stuck=self.end_stuck_turn,
            links=self.mint_links,
            dashboard_tokens=self.dashboard_tokens,
            store=self.ports.store,
            clock=self.ports.clock,
        )

    @cached_property
    def dashboard_tokens(self) -> DashboardTokens:
        from satchel.services.turns.dashboard_tokens import DashboardTokens

        return DashboardTokens(
            sessions=self.ports.sessions,
            signer=self.ports.dashboard_signer,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            issuer=self.settings.links.public_url,
        )

    @cached_property
    def cancel_turn(self) -> CancelTurn:
        from satchel.services.turns.read_turn import CancelTurn

        return CancelTurn(read=self.read_turn, workflow=self.ports.workflow, finish=self.finish_turn)

    @cached_property
    def ask_approval(self) -> AskApproval:
        from satchel.services.calls.ask_approval import AskApproval

        return AskApproval(
            approvals=self.ports.approvals,
            events=self.ports.events,
            callback=self.ports.callback,
            clock=self.ports.clock,
            timeout=timedelta(seconds=self.settings.approvals.approval_seconds),
        )

    @cached_property
    def read_approval(self) -> ReadApproval:
        from satchel.services.turns.approvals import ReadApproval

        return ReadApproval(read_turn=self.read_turn, calls=self.ports.calls, approvals=self.ports.approvals)

    @cached_property
    def decide_approval(self) -> DecideApproval:
        from satchel.services.turns.approvals import DecideApproval

        return DecideApproval(
            read_turn=self.read_turn,
            calls=self.ports.calls,
            approvals=self.ports.approvals,
            events=self.ports.events,
            callback=self.ports.callback,
            clock=self.ports.clock,
        )

    @cached_property
    def ask_input(self) -> AskInput:
        from satchel.services.turns.inputs import AskInput

        return AskInput(
            calls=self.ports.calls,
            inputs=self.ports.inputs,
            events=self.ports.events,
            reports=self.ports.reports,
            callback=self.ports.callback,
            clock=self.ports.clock,
            timeout=timedelta(seconds=self.settings.inputs.input_seconds),
        )

    @cached_property
    def answer_input(self) -> AnswerInput:
        from satchel.services.turns.inputs import AnswerInput

        return AnswerInput(
            read_turn=self.read_turn,
            inputs=self.ports.inputs,
            events=self.ports.events,
            callback=self.ports.callback,
            clock=self.ports.clock,
        )

    @cached_property
    def log_canvas_action(self) -> LogCanvasAction:
        from satchel.services.turns.canvas_actions import LogCanvasAction

        return LogCanvasAction(
            dashboards=self.ports.dashboards,
            sessions=self.ports.sessions,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
        )

    # Use cases for tool calls

    @cached_property
    def dispatch_tool(self) -> DispatchTool:
        from satchel.services.calls.dispatch_tool import DispatchTool
        from satchel.services.files.file_context import ListFiles

        return DispatchTool(
            registry=self.ports.registry,
            steps=self.ports.steps,
            events=self.ports.events,
            tools=self.refresh_tools,
            checker=self.ports.schema_checker,
            inputs=self.resolve_inputs,
            ask_approval=self.ask_approval,
            credentials=self.ports.credentials,
            runners=self.ports.runners,
            list_files=ListFiles(
                files=self.ports.files,
                clock=self.ports.clock,
                persist_files_across_sessions=self.settings.sessions.persist_files_across_sessions,
            ),
            reports=self.ports.reports,
            record=self.record_tool_result,
            callback=self.ports.callback,
            questions=self.ports.inputs,
            tasks=self.ports.call_tasks,
            cancel_tasks=self.cancel_tasks,
            clock=self.ports.clock,
            limits=self.settings.timing.limits,
            max_running_calls=self.settings.quotas.user_running_calls,
        )

    @cached_property
    def cancel_tasks(self) -> CancelTasks:
        from satchel.services.calls.cancel_tasks import CancelTasks

        return CancelTasks(
            calls=self.ports.calls,
            tasks=self.ports.call_tasks,
            runners=self.ports.runners,
            sessions=self.ports.server_session_remover,
        )

    @cached_property
    def resolve_inputs(self) -> ResolveInputs:
        from satchel.services.calls.resolve_inputs import ResolveInputs

        return ResolveInputs(
            files=self.ports.files,
            store=self.ports.store,
            links=self.mint_links,
            clock=self.ports.clock,
            max_input_bytes=self.settings.limits.max_input_bytes,
            persist_files_across_sessions=self.settings.sessions.persist_files_across_sessions,
        )

    @cached_property
    def record_tool_result(self) -> RecordToolResult:
        from satchel.domain.attachments import DOCUMENTS_SERVER
        from satchel.services.calls.record_tool_result import RecordToolResult

        return RecordToolResult(
            steps=self.ports.steps,
            files=self.ports.files,
            events=self.ports.events,
            store=self.ports.store,
            clock=self.ports.clock,
            dashboards=self.ports.dashboards,
            relay=self.relay_events,
            mark_tools_stale=self.mark_tools_stale,
            remember_asking=self.remember_asking,
            metrics=self.ports.metrics,
            storage=self.storage_quota,
            canvas_origins=self.settings.canvas.canvas_origins,
            reads_documents=DOCUMENTS_SERVER in self.ports.registry.servers,
        )

    @cached_property
    def relay_events(self) -> RelayEvents:
        from satchel.services.calls.relay_events import RelayEvents

        return RelayEvents(
            reported=self.ports.reported_events,
            calls=self.ports.calls,
            inputs=self.ports.inputs,
            clock=self.ports.clock,
            input_bound=timedelta(seconds=self.settings.inputs.input_in_call_seconds),
        )

    @cached_property
    def record_audit(self) -> RecordAudit:
        from satchel.services.calls.audit import RecordAudit

        return RecordAudit(self.ports.audit_trail)

    @cached_property
    def read_audit(self) -> ReadAudit:
        from satchel.services.sessions.sessions import ReadAudit

        return ReadAudit(sessions=self.read_sessions, trail=self.ports.audit_trail)

    @cached_property
    def run_once(self) -> RunOnce:
        from satchel.services.run_once import RunOnce

        return RunOnce(self.ports.request_keys, self.ports.clock, self.ports.entropy)

    # Use cases for sessions and users

    @cached_property
    def start_session(self) -> StartSession:
        from satchel.services.sessions.sessions import StartSession

        return StartSession(
            sessions=self.ports.sessions,
            user_settings=self.ports.user_settings,
            models=self.models,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            max_open=self.settings.quotas.user_open_sessions,
        )

    @cached_property
    def user_settings(self) -> UserSettingsAccess:
        from satchel.services.sessions.user_settings import UserSettingsAccess

        return UserSettingsAccess(store=self.ports.user_settings, clock=self.ports.clock)

    @cached_property
    def personal_tokens(self) -> PersonalTokenAccess:
        from satchel.services.personal_tokens import PersonalTokenAccess

        return PersonalTokenAccess(store=self.ports.personal_tokens, clock=self.ports.clock, entropy=self.ports.entropy)

    @cached_property
    def change_session(self) -> ChangeSession:
        from satchel.services.sessions.sessions import ChangeSession

        return ChangeSession(sessions=self.ports.sessions, models=self.models)

    @cached_property
    def read_sessions(self) -> ReadSessions:
        from satchel.services.sessions.sessions import ReadSessions

        return ReadSessions(
            sessions=self.ports.sessions, turns=self.ports.turns, inputs=self.ports.inputs, clock=self.ports.clock
        )

    @cached_property
    def end_session(self) -> EndSession:
        from satchel.services.sessions.sessions import EndSession

        return EndSession(
            read=self.read_sessions,
            sessions=self.ports.sessions,
            cancel=self.cancel_turn,
            cleanup=self.ports.cleanup_starter,
            clock=self.ports.clock,
        )

    @cached_property
    def clean_up_session(self) -> CleanUpSession:
        from satchel.services.sessions.clean_up_session import CleanUpSession, EndServerSessions

        return CleanUpSession(
            end_server_sessions=EndServerSessions(
                registry=self.ports.registry,
                runners=self.ports.runners,
                sessions=self.ports.server_session_remover,
            ),
            sessions=self.ports.sessions,
            files=self.ports.files,
            purger=self.ports.session_purger,
            remove=self.remove_files,
            store=self.ports.store,
            clock=self.ports.clock,
            persist_files_across_sessions=self.settings.sessions.persist_files_across_sessions,
        )

    @cached_property
    def delete_conversation(self) -> DeleteConversation:
        from satchel.services.sessions.sessions import DeleteConversation

        return DeleteConversation(
            end=self.end_session, sessions=self.ports.sessions, cleanup=self.ports.cleanup_starter
        )

    @cached_property
    def read_conversation(self) -> ReadConversation:
        from satchel.services.sessions.read_conversation import ReadConversation

        return ReadConversation(
            read_session=self.read_sessions,
            read_turn=self.read_turn,
            approvals=self.ports.approvals,
            inputs=self.ports.inputs,
        )

    @cached_property
    def search_chats(self) -> SearchChats:
        from satchel.services.sessions.search_chats import SearchChats

        return SearchChats(sessions=self.ports.sessions, index=self.ports.chat_words, turns=self.ports.turns)

    @cached_property
    def import_conversation(self) -> ImportConversation:
        from satchel.services.sessions.import_conversation import ImportConversation

        return ImportConversation(
            start=self.start_session,
            turns=self.ports.turns,
            models=self.models,
            clock=self.ports.clock,
            max_message_bytes=self.settings.limits.max_message_bytes,
        )

    @cached_property
    def read_quotas(self) -> ReadQuotas:
        from satchel.services.quotas import ReadQuotas

        return ReadQuotas(counts=self.ports.quota_counts, quotas=self.settings.quotas.quotas, clock=self.ports.clock)

    @cached_property
    def request_erasure(self) -> RequestErasure:
        from satchel.services.sessions.erase_user import RequestErasure

        return RequestErasure(
            signer=self.ports.signer,
            erasures=self.ports.erasures,
            starter=self.ports.erasure_starter,
            clock=self.ports.clock,
        )

    @cached_property
    def erase_user(self) -> EraseUser:
        from satchel.services.sessions.erase_user import EraseUser

        return EraseUser(
            erasures=self.ports.erasures,
            purger=self.ports.user_purger,
            sessions=self.ports.sessions,
            turns=self.ports.turns,
            files=self.ports.files,
            remove=self.remove_files,
            uploads=self.ports.uploads,
            abort=self.abort_upload,
            store=self.ports.store,
            workflow=self.ports.workflow,
            clock=self.ports.clock,
        )

    @cached_property
    def sweep(self) -> Sweep:
        from satchel.services.files.upload_parts import SweepUploads
        from satchel.services.sessions.erase_user import SweepErasures
        from satchel.services.sweep import Sweep

        return Sweep(
            reaper=self.ports.file_reaper,
            sessions=self.ports.sessions,
            turns=self.ports.turns,
            end_stuck=self.end_stuck_turn,
            remove=self.remove_files,
            uploads=SweepUploads(uploads=self.ports.uploads, abort=self.abort_upload, clock=self.ports.clock),
            erasures=SweepErasures(
                erasures=self.ports.erasures, starter=self.ports.erasure_starter, clock=self.ports.clock
            ),
            clean_up=self.clean_up_session,
            clock=self.ports.clock,
            idle=timedelta(hours=self.settings.sessions.session_idle_hours),
        )

    # Use cases for files

    @cached_property
    def upload_file(self) -> UploadFile:
        from satchel.services.files.upload_file import UploadFile

        return UploadFile(
            sessions=self.ports.sessions,
            files=self.ports.files,
            store=self.ports.store,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            max_bytes=self.settings.limits.max_body_bytes,
            metrics=self.ports.metrics,
            storage=self.storage_quota,
        )

    @cached_property
    def begin_upload(self) -> BeginUpload:
        from satchel.services.files.upload_parts import BeginUpload

        return BeginUpload(
            sessions=self.ports.sessions,
            uploads=self.ports.uploads,
            parts=self.ports.parts,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            max_bytes=self.settings.limits.max_file_size_bytes,
            abort=self.abort_upload,
            storage=self.storage_quota,
            max_uploads=self.settings.quotas.user_uploads,
        )

    @cached_property
    def storage_quota(self) -> StorageQuota:
        from satchel.services.files.storage_quota import StorageQuota

        return StorageQuota(files=self.ports.files, uploads=self.ports.uploads, quotas=self.settings.quotas.quotas)

    @cached_property
    def read_uploads(self) -> ReadUploads:
        from satchel.services.files.upload_parts import ReadUploads

        return ReadUploads(uploads=self.ports.uploads, parts=self.ports.parts, clock=self.ports.clock)

    @cached_property
    def sign_parts(self) -> SignParts:
        from satchel.services.files.upload_parts import SignParts

        return SignParts(parts=self.ports.parts, clock=self.ports.clock)

    @cached_property
    def abort_upload(self) -> AbortUpload:
        from satchel.services.files.upload_parts import AbortUpload

        return AbortUpload(uploads=self.ports.uploads, parts=self.ports.parts, store=self.ports.store)

    @cached_property
    def complete_upload(self) -> CompleteUpload:
        from satchel.services.files.upload_parts import CompleteUpload

        return CompleteUpload(
            read=self.read_uploads,
            sessions=self.ports.sessions,
            files=self.ports.files,
            store=self.ports.store,
            abort=self.abort_upload,
            max_bytes=self.settings.limits.max_file_size_bytes,
            metrics=self.ports.metrics,
        )

    @cached_property
    def read_app(self) -> ReadApp:
        from satchel.services.apps.read_app import ReadApp

        return ReadApp(read=self.read_files, calls=self.ports.calls, tools=self.list_tools, store=self.ports.store)

    @cached_property
    def read_still(self) -> ReadStill:
        from satchel.services.apps.read_still import ReadStill

        return ReadStill(calls=self.ports.calls, store=self.ports.store, signer=self.ports.signer)

    @cached_property
    def call_from_app(self) -> CallFromApp:
        from satchel.services.apps.call_from_app import CallFromApp

        return CallFromApp(
            read=self.read_app,
            turns=self.ports.turns,
            starter=self.ports.turn_starter,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            max_per_minute=self.settings.quotas.user_app_calls_per_minute,
            max_bytes=self.settings.limits.max_message_bytes,
        )

    @cached_property
    def read_app_call(self) -> ReadAppCall:
        from satchel.services.apps.call_from_app import ReadAppCall

        return ReadAppCall(read_turn=self.read_turn, calls=self.ports.calls, store=self.ports.store)

    @cached_property
    def read_files(self) -> ReadFiles:
        from satchel.services.files.read_files import ReadFiles

        return ReadFiles(
            sessions=self.ports.sessions,
            files=self.ports.files,
            store=self.ports.store,
            clock=self.ports.clock,
            max_inline_bytes=self.settings.limits.inline_bytes,
        )

    @cached_property
    def file_context(self) -> FileContextBuilder:
        from satchel.services.files.file_context import FileContextBuilder

        return FileContextBuilder(
            files=self.ports.files,
            clock=self.ports.clock,
            persist_files_across_sessions=self.settings.sessions.persist_files_across_sessions,
        )

    @cached_property
    def keep_file(self) -> KeepFile:
        from satchel.services.files.retention import KeepFile

        return KeepFile(
            read=self.read_files,
            reaper=self.ports.file_reaper,
            store=self.ports.store,
            persist_files_across_sessions=self.settings.sessions.persist_files_across_sessions,
        )

    @cached_property
    def remove_file(self) -> RemoveFile:
        from satchel.services.files.retention import RemoveFile

        return RemoveFile(files=self.ports.files, store=self.ports.store)

    @cached_property
    def remove_files(self) -> RemoveFiles:
        from satchel.services.files.retention import RemoveFiles

        return RemoveFiles(files=self.ports.files, reaper=self.ports.file_reaper, store=self.ports.store)

    # Use cases for download links

    @cached_property
    def mint_links(self) -> MintLinks:
        from satchel.services.files.links import MintLinks

        return MintLinks(
            signer=self.ports.signer,
            sessions=self.ports.sessions,
            clock=self.ports.clock,
            public_url=self.settings.links.public_url,
            tool_url=self.settings.links.tool_url or self.settings.links.public_url,
        )

    @cached_property
    def open_link(self) -> OpenLink:
        from satchel.services.files.download import OpenLink

        return OpenLink(signer=self.ports.signer, link_states=self.ports.link_states, clock=self.ports.clock)

    @cached_property
    def download(self) -> Download:
        from satchel.services.files.download import Download

        return Download(
            open_link=self.open_link,
            audit=self.record_audit,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            metrics=self.ports.metrics,
        )

    @cached_property
    def share_file(self) -> ShareFile:
        from satchel.services.files.links import ShareFile

        return ShareFile(
            read=self.read_files,
            mint=self.mint_links,
            links=self.ports.shared_links,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
        )

    @cached_property
    def read_links(self) -> ReadLinks:
        from satchel.services.files.links import ReadLinks

        return ReadLinks(links=self.ports.shared_links, link_states=self.ports.link_states, clock=self.ports.clock)

    @cached_property
    def revoke_links(self) -> RevokeLinks:
        from satchel.services.files.links import RevokeLinks

        return RevokeLinks(self.ports.shared_links)

    @cached_property
    def share_chat(self) -> ShareChat:
        from satchel.services.sessions.share_chat import ShareChat

        return ShareChat(
            read_session=self.read_sessions,
            links=self.ports.chat_links,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
            public_url=self.settings.links.public_url,
        )

    @cached_property
    def read_chat_links(self) -> ReadChatLinks:
        from satchel.services.sessions.share_chat import ReadChatLinks

        return ReadChatLinks(links=self.ports.chat_links, sessions=self.ports.sessions, clock=self.ports.clock)

    @cached_property
    def open_shared_chat(self) -> OpenSharedChat:
        from satchel.services.sessions.share_chat import OpenSharedChat

        return OpenSharedChat(
            links=self.ports.chat_links,
            sessions=self.ports.sessions,
            turns=self.ports.turns,
            read_turn=self.read_turn,
            clock=self.ports.clock,
        )

    # Use cases for WebSocket connections

    @cached_property
    def issue_ticket(self) -> IssueTicket:
        from satchel.services.connections.subscriptions import IssueTicket

        return IssueTicket(tickets=self.ports.tickets, clock=self.ports.clock, entropy=self.ports.entropy)

    @cached_property
    def open_connection(self) -> OpenConnection:
        from satchel.services.connections.subscriptions import OpenConnection

        return OpenConnection(
            tickets=self.ports.tickets,
            connections=self.ports.connections,
            clock=self.ports.clock,
            origins=self.settings.origins.web_origins,
        )

    @cached_property
    def forget_connection(self) -> ForgetConnection:
        from satchel.services.connections.subscriptions import ForgetConnection

        return ForgetConnection(self.ports.connections)

    @cached_property
    def subscribe(self) -> Subscribe:
        from satchel.services.connections.subscriptions import Subscribe

        return Subscribe(
            connections=self.ports.connections,
            sessions=self.ports.sessions,
            turns=self.ports.turns,
            subscriptions=self.ports.subscriptions,
            end_stuck=self.end_stuck_turn,
            clock=self.ports.clock,
            entropy=self.ports.entropy,
        )

    @cached_property
    def unsubscribe(self) -> Unsubscribe:
        from satchel.services.connections.subscriptions import Unsubscribe

        return Unsubscribe(self.ports.subscriptions)

    @cached_property
    def push_events(self) -> PushEvents:
        from satchel.services.connections.push_events import PushEvents

        return PushEvents(
            subscriptions=self.ports.subscriptions,
            connections=self.ports.connections,
            turns=self.ports.turns,
            events=self.ports.events,
            sender=self.ports.connection_sender,
        )

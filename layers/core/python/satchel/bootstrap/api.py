"""What the API is made of."""

import os
from collections.abc import Callable
from functools import lru_cache

from fastapi import FastAPI

from satchel.adapters import clients
from satchel.adapters.lambda_clearing import LambdaClearing, LambdaErasing
from satchel.adapters.stepfunctions import TurnExecutions, WaitingTasks
from satchel.bootstrap.isolation import isolation
from satchel.bootstrap.links import links, signer
from satchel.bootstrap.metrics import metrics
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK, storage
from satchel.domain.models import Models
from satchel.domain.uploads import PART_BYTES
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import from_claims, from_headers
from satchel.entrypoints.http.services import About, Services
from satchel.services.calls.keep_audit import KeepAudit
from satchel.services.calls.read_audit import ReadAudit
from satchel.services.connections.issue_ticket import IssueTicket
from satchel.services.files.download import Download
from satchel.services.files.keep_file import KeepFile
from satchel.services.files.open_link import OpenLink
from satchel.services.files.read_files import ReadFiles
from satchel.services.files.remove_file import RemoveFile
from satchel.services.files.share_links import ReadLinks, RevokeLinks, ShareFile
from satchel.services.files.upload_file import UploadFile
from satchel.services.files.upload_parts import AbortUpload, BeginUpload, CompleteUpload, ReadUploads, SignParts
from satchel.services.sessions.erase_user import AskErasure
from satchel.services.sessions.sessions import ChangeSession, EndSession, ReadSessions, StartSession
from satchel.services.tools.list_tools import ListTools
from satchel.services.turns.act_in_canvas import ActInCanvas
from satchel.services.turns.cancel_turn import CancelTurn
from satchel.services.turns.decide_approval import DecideApproval
from satchel.services.turns.finish_turn import FinishTurn
from satchel.services.turns.read_turn import ReadTurn
from satchel.services.turns.settle_turn import SettleTurn
from satchel.services.turns.take_turn import TakeTurn
from satchel.settings import (
    ApiSettings,
    CanvasSettings,
    ClearingSettings,
    ErasingSettings,
    LimitSettings,
    ModelSettings,
    SessionSettings,
    SocketSettings,
    WorkflowSettings,
)


@lru_cache
def services() -> Services:
    """Return the use cases, wired."""
    kept, limits, models = storage(), LimitSettings(), ModelSettings().choice
    workflow = TurnExecutions(clients.stepfunctions(), WorkflowSettings().state_machine)
    waiting = WaitingTasks(clients.stepfunctions())
    audit = KeepAudit(kept.audit)
    finish = FinishTurn(kept.turns, kept.calls, kept.transcript, kept.events, CLOCK, audit, metrics())
    settle = SettleTurn(kept.turns, workflow, finish, CLOCK)
    read_turn = ReadTurn(
        kept.sessions, kept.turns, kept.calls, kept.files, kept.events, settle, links(), kept.store, CLOCK
    )
    cancel = CancelTurn(read_turn, workflow, finish)
    read_sessions = ReadSessions(kept.sessions, kept.turns)
    remove = RemoveFile(kept.files, kept.store)
    tools = ListTools(registry(), kept.tool_lists)
    open_link = OpenLink(signer(), kept.standings, CLOCK)
    erasing = LambdaErasing(clients.lambda_(), ErasingSettings().erase_function)
    clearing = LambdaClearing(clients.lambda_(), ClearingSettings().end_session_function)
    read_files = ReadFiles(kept.sessions, kept.files, kept.store, CLOCK, limits.inline_bytes)
    persist = SessionSettings().persist_files_across_sessions
    most_file = limits.max_file_size_bytes
    read_uploads = ReadUploads(kept.uploads, kept.parts, CLOCK)
    abort = AbortUpload(kept.uploads, kept.parts, kept.store)
    return Services(
        about=_about(models, limits),
        list_tools=tools,
        start_session=StartSession(kept.sessions, models, CLOCK, os.urandom),
        change_session=ChangeSession(kept.sessions, models),
        read_sessions=read_sessions,
        end_session=EndSession(read_sessions, kept.sessions, cancel, clearing, CLOCK),
        take_turn=TakeTurn(
            kept.sessions,
            kept.turns,
            kept.files,
            kept.events,
            workflow,
            settle,
            tools,
            models,
            CLOCK,
            os.urandom,
            limits.max_message_bytes,
        ),
        read_turn=read_turn,
        cancel_turn=cancel,
        decide_approval=DecideApproval(read_turn, kept.approvals, kept.events, waiting, CLOCK),
        issue_ticket=IssueTicket(kept.tickets, CLOCK, os.urandom),
        upload_file=UploadFile(
            kept.sessions, kept.files, kept.store, CLOCK, os.urandom, limits.max_body_bytes, metrics()
        ),
        begin_upload=BeginUpload(kept.sessions, kept.uploads, kept.parts, CLOCK, os.urandom, most_file),
        read_uploads=read_uploads,
        sign_parts=SignParts(kept.parts, CLOCK),
        complete_upload=CompleteUpload(
            read_uploads, kept.sessions, kept.files, kept.store, abort, most_file, metrics()
        ),
        abort_upload=abort,
        read_files=read_files,
        keep_file=KeepFile(read_files, kept.going, kept.store, persist),
        remove_file=remove,
        act_in_canvas=ActInCanvas(kept.dashboards, kept.sessions, CLOCK, os.urandom),
        links=links(),
        open_link=open_link,
        share_file=ShareFile(read_files, links(), kept.shared_links, CLOCK, os.urandom),
        read_links=ReadLinks(kept.shared_links, kept.standings, CLOCK),
        revoke_links=RevokeLinks(kept.shared_links),
        ask_erasure=AskErasure(signer(), kept.erasures, erasing, CLOCK),
        download=Download(open_link, audit, CLOCK, os.urandom, metrics()),
        read_audit=ReadAudit(read_sessions, kept.audit),
        store=kept.store,
    )


def _about(models: Models, limits: LimitSettings) -> About:
    return About(
        models=models,
        socket_url=SocketSettings().socket_url,
        isolation_level=lambda: isolation().level,
        flags={
            "persist_files_across_sessions": SessionSettings().persist_files_across_sessions,
            "base64_size_limit_mb": limits.base64_size_limit_mb,
            "canvas_origins": list(CanvasSettings().canvas_origins),
        },
        limits={
            "body_bytes": limits.max_body_bytes,
            "message_bytes": limits.max_message_bytes,
            "inline_bytes": limits.inline_bytes,
            "file_bytes": limits.max_file_size_bytes,
            "part_bytes": PART_BYTES,
        },
    )


def build(closing: Callable[[], bool] = lambda: False) -> FastAPI:
    """Return the application of this process."""
    settings = ApiSettings()
    if settings.auth == "local" and "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        raise RuntimeError(
            "SATCHEL_AUTH=local believes any header: it is for a loopback server, never for a deployment"
        )
    read_identity = from_headers if settings.auth == "local" else from_claims(settings.identity_claim)
    return create_app(services(), read_identity, LimitSettings().max_body_bytes, closing)

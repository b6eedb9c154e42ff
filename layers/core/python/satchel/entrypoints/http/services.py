"""The use cases that the API calls, as one bundle that bootstrap fills."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request

from satchel.domain.isolation import Level
from satchel.domain.models import Models
from satchel.ports.file_store import FileStore
from satchel.services.calls.read_audit import ReadAudit
from satchel.services.connections.issue_ticket import IssueTicket
from satchel.services.files.download import Download
from satchel.services.files.keep_file import KeepFile
from satchel.services.files.mint_links import MintLinks
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
from satchel.services.turns.read_turn import ReadTurn
from satchel.services.turns.take_turn import TakeTurn


@dataclass(frozen=True)
class About:
    """What /api/config tells. ``socket_url`` is where connections are opened; the level is looked for when asked."""

    models: Models
    socket_url: str
    isolation_level: Callable[[], Level]
    flags: dict[str, Any]
    limits: dict[str, int]


@dataclass(frozen=True)
class Services:
    """All of them."""

    about: About
    list_tools: ListTools
    start_session: StartSession
    change_session: ChangeSession
    read_sessions: ReadSessions
    end_session: EndSession
    take_turn: TakeTurn
    read_turn: ReadTurn
    cancel_turn: CancelTurn
    decide_approval: DecideApproval
    issue_ticket: IssueTicket
    upload_file: UploadFile
    begin_upload: BeginUpload
    read_uploads: ReadUploads
    sign_parts: SignParts
    complete_upload: CompleteUpload
    abort_upload: AbortUpload
    read_files: ReadFiles
    keep_file: KeepFile
    remove_file: RemoveFile
    act_in_canvas: ActInCanvas
    links: MintLinks
    open_link: OpenLink
    share_file: ShareFile
    read_links: ReadLinks
    revoke_links: RevokeLinks
    ask_erasure: AskErasure
    download: Download
    read_audit: ReadAudit
    store: FileStore


def bundle(request: Request) -> Services:
    """Return the services of the application that serves this request."""
    services: Services = request.app.state.services
    return services


Use = Annotated[Services, Depends(bundle)]

"""What was done in a session: the tools that were called, the files that were fetched."""

from fastapi import APIRouter

from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.models import AuditPage, Cursor, Limit
from satchel.entrypoints.http.paths import SessionPath
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.services import Use

router = APIRouter(tags=["sessions"])

_READ = examples.shown(200, examples.AUDIT) | responses(403, 404, 422)


@router.get("/api/sessions/{session_id}/audit", responses=_READ)
def read_audit(who: Who, use: Use, session_id: SessionPath, limit: Limit = 50, cursor: Cursor = None) -> AuditPage:
    """Read which tools were called and which files were fetched by their links, newest first; secrets are left out."""
    page = use.read_audit(who, session_id, limit, cursor)
    return AuditPage(entries=page.items, cursor=page.cursor)

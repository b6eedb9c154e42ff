"""Tools."""

from fastapi import APIRouter

from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.models import ServerStatus, Tools, ToolServer
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.services import Use
from satchel.services.tools.list_tools import ServerTools

router = APIRouter(tags=["tools"])


@router.get("/api/tools", responses=examples.shown(200, examples.TOOLS) | responses(403))
def tools(who: Who, use: Use) -> Tools:
    """List the servers and tools that the person's groups may use."""
    return Tools(
        servers=[
            ToolServer(
                name=server.name,
                description=server.description,
                status=_status(server),
                reason=server.failure,
                tools=server.tools or [],
            )
            for server in use.list_tools(who.groups)
        ],
    )


def _status(server: ServerTools) -> ServerStatus:
    if server.failure is not None:
        return "unavailable"
    return "starting" if server.tools is None else "ready"

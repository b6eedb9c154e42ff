"""Health and configuration.

Tools.
"""

from fastapi import APIRouter

import satchel
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.schemas.about import Config, Health, ModelOut, ServerStatus, SizeLimits, Tools, ToolServer
from satchel.services.tools.tool_lists import ServerTools

router = APIRouter()


@router.get("/api/health", tags=["about"], responses=examples.shown(200, examples.HEALTH))
def health() -> Health:
    """Say that the server is alive, and which version it is. Needs no sign-in."""
    return Health(version=satchel.__version__)


@router.get("/api/config", tags=["about"], responses=examples.shown(200, examples.CONFIG) | responses(403))
def config(who: Who, use_cases: InjectedUseCases) -> Config:
    """Say who is asking, and what this deployment does and allows."""
    about, models = use_cases.deployment, use_cases.deployment.models.visible_to(who.groups)
    return Config(
        user=who.name,
        groups=sorted(who.groups),
        model=models[0].name if models else None,
        models=[ModelOut(name=entry.name, description=entry.description) for entry in models],
        socket_url=about.socket_url,
        isolation_level=about.isolation_level(),
        flags=about.flags,
        limits=SizeLimits.model_validate(about.limits),
    )


@router.get("/api/tools", tags=["tools"], responses=examples.shown(200, examples.TOOLS) | responses(403))
def tools(who: Who, use_cases: InjectedUseCases) -> Tools:
    """List the servers and tools that the person's groups may use_cases."""
    return Tools(
        servers=[
            ToolServer(
                name=server.name,
                description=server.description,
                status=_status(server),
                reason=server.failure,
                tools=server.tools or [],
            )
            for server in use_cases.list_tools(who.groups)
        ],
    )


def _status(server: ServerTools) -> ServerStatus:
    if server.failure is not None:
        return "unavailable"
    return "starting" if server.tools is None else "ready"

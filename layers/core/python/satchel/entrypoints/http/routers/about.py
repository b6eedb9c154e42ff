"""Routes that describe the deployment: health, configuration, tools, public keys."""

from fastapi import APIRouter, Response

import satchel
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import InjectedUseCases
from satchel.entrypoints.http.schemas.about import (
    Config,
    Health,
    JsonWebKeySet,
    ModelOut,
    Prompts,
    Resources,
    ServerStatus,
    SizeLimits,
    Tools,
    ToolServer,
)
from satchel.services.tools.tool_lists import ServerTools

router = APIRouter()

_KEYS_CACHED_SECONDS = 300
_RESOURCES_PER_PAGE = 100


@router.get("/api/health", tags=["about"], responses=examples.responses(200, examples.HEALTH))
def health() -> Health:
    """Return the version of Satchel that is running. Needs no sign-in."""
    return Health(version=satchel.__version__)


@router.get("/.well-known/jwks.json", tags=["about"], responses=examples.responses(200, examples.PUBLIC_KEYS))
def public_keys(response: Response, use_cases: InjectedUseCases) -> JsonWebKeySet:
    """Return the public keys that verify the tokens of dashboards. Needs no sign-in. Caches may keep it."""
    response.headers["Cache-Control"] = f"public, max-age={_KEYS_CACHED_SECONDS}"
    return JsonWebKeySet(keys=use_cases.dashboard_tokens.public_keys())


@router.get("/api/config", tags=["about"], responses=examples.responses(200, examples.CONFIG, 403))
def config(user: CurrentUser, use_cases: InjectedUseCases) -> Config:
    """Return the signed-in user, the models that the user may choose, and the deployment's settings and limits."""
    deployment = use_cases.deployment
    models = deployment.models.visible_to(user.groups)
    return Config(
        user=user.name,
        groups=sorted(user.groups),
        model=models[0].name if models else None,
        models=[ModelOut(name=model.name, description=model.description) for model in models],
        socket_url=deployment.socket_url,
        isolation_level=use_cases.list_tools.isolation_level(user.groups),
        flags=deployment.flags,
        limits=SizeLimits.model_validate(deployment.limits),
    )


@router.get("/api/tools", tags=["tools"], responses=examples.responses(200, examples.TOOLS, 403))
def tools(user: CurrentUser, use_cases: InjectedUseCases) -> Tools:
    """List the MCP servers and tools that the signed-in user may use."""
    return Tools(
        servers=[
            ToolServer(
                name=server.name,
                title=server.title,
                description=server.description,
                status=_status(server),
                reason=server.failure,
                since=server.since,
                isolation_level=server.isolation_level,
                tools=server.tools or [],
            )
            for server in use_cases.list_tools(user.groups)
        ],
    )


@router.get("/api/resources", tags=["tools"], responses=examples.responses(200, examples.RESOURCES, 403, 422))
def resources(
    user: CurrentUser, use_cases: InjectedUseCases, server: str | None = None, cursor: str | None = None
) -> Resources:
    """List the resources of the MCP servers that the signed-in user may use, or of one ``server``, in pages of 100."""
    offers = use_cases.list_tools.offers(user.groups)
    found = [each for each in offers.resources if server in {None, each.server}]
    start = next((index for index, each in enumerate(found) if f"{each.server} {each.uri}" == cursor), -1) + 1
    page = found[start : start + _RESOURCES_PER_PAGE]
    more = start + _RESOURCES_PER_PAGE < len(found)
    return Resources(
        resources=page,
        templates=[] if cursor else [each for each in offers.templates if server in {None, each.server}],
        cursor=f"{page[-1].server} {page[-1].uri}" if more else None,
    )


@router.get("/api/prompts", tags=["tools"], responses=examples.responses(200, examples.PROMPTS, 403))
def prompts(user: CurrentUser, use_cases: InjectedUseCases) -> Prompts:
    """List the prompts of the MCP servers that the signed-in user may use."""
    return Prompts(prompts=use_cases.list_tools.offers(user.groups).prompts)


def _status(server: ServerTools) -> ServerStatus:
    if server.failure is not None:
        return "unavailable"
    return "starting" if server.is_starting else "ready"

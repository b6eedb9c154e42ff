"""Routes that describe the deployment: health, configuration, tools, public keys."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

import satchel
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import InjectedUseCases
from satchel.entrypoints.http.schemas.about import (
    Completion,
    CompletionRequest,
    Config,
    Flags,
    Health,
    JsonWebKeySet,
    ModelOut,
    PromptMessage,
    PromptRequest,
    Prompts,
    ResourceContent,
    ResourceRequest,
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
_Server = Annotated[str | None, Query(description="Only resources of this server.")]
_ResourceCursor = Annotated[str | None, Query(description="The `cursor` of the previous page.")]


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
        flags=Flags.model_validate(deployment.flags),
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
    user: CurrentUser, use_cases: InjectedUseCases, server: _Server = None, cursor: _ResourceCursor = None
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


@router.post(
    "/api/prompts",
    tags=["tools"],
    responses=examples.responses(200, examples.PROMPT_MESSAGE, 400, 403, 404, 413, 422, 503),
)
def get_prompt(body: PromptRequest, user: CurrentUser, use_cases: InjectedUseCases) -> PromptMessage:
    """Return the message of a prompt. Nothing is sent: the client shows the text, and uploads and attaches the files.

    If the prompt is a dialog, each part begins with its role. A server that is not running may need some seconds to
    start; if it needs more than 25, the response is 503, and a repeated request soon succeeds.
    """
    answer = use_cases.request_offers.prompt(user, body.server, body.name, body.arguments)
    return PromptMessage(text=answer.text, files=answer.files)


@router.post(
    "/api/prompts/completion",
    tags=["tools"],
    responses=examples.responses(200, examples.COMPLETION, 400, 403, 404, 413, 422, 503),
)
def complete_argument(body: CompletionRequest, user: CurrentUser, use_cases: InjectedUseCases) -> Completion:
    """Return values for an argument of a prompt, or none if the server does not complete arguments."""
    values = use_cases.request_offers.complete(user, body.server, body.name, body.argument, body.arguments)
    return Completion(values=values)


@router.post(
    "/api/resources",
    tags=["tools"],
    responses=examples.responses(200, examples.RESOURCE_CONTENT, 400, 403, 404, 413, 422, 503),
)
def read_resource(body: ResourceRequest, user: CurrentUser, use_cases: InjectedUseCases) -> ResourceContent:
    """Return the content of a listed resource. Nothing is stored: the client uploads and attaches the files."""
    return ResourceContent(files=use_cases.request_offers.resource(user, body.server, body.uri).files)


def _status(server: ServerTools) -> ServerStatus:
    if server.failure is not None:
        return "unavailable"
    return "starting" if server.is_starting else "ready"

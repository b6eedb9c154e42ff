"""Create the FastAPI application, which Mangum serves on Lambda and uvicorn serves locally."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

import satchel
from satchel.entrypoints.http import problems
from satchel.entrypoints.http.body_limit import BodyLimit
from satchel.entrypoints.http.compression import Compression
from satchel.entrypoints.http.identity import IdentityReader
from satchel.entrypoints.http.long_polling import Watch, watch_nothing
from satchel.entrypoints.http.request_rates import RequestRates
from satchel.entrypoints.http.routers import about, downloads, files, links, me, sessions, turns, uploads
from satchel.use_cases import UseCases

PUBLIC_PATHS = {"/.well-known/jwks.json", "/api/health", "/api/files/download/{file_key}"}
"""The paths that clients can request without signing in."""

OPENAPI_PATH = "/api/openapi.json"


def create_app(
    use_cases: UseCases,
    read_identity: IdentityReader,
    closing: Callable[[], bool] = lambda: False,
    watch: Watch = watch_nothing,
) -> FastAPI:
    """Return the application. ``closing`` returns True when the server is about to stop; long polls then end early.

    ``watch`` can tell long polls when a turn changes. Without it, they read the turn once a second.
    """
    app = FastAPI(
        title="Satchel",
        version=satchel.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=OPENAPI_PATH,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.use_cases = use_cases
    app.state.read_identity = read_identity
    app.state.closing = closing
    app.state.watch = watch
    app.state.request_rates = RequestRates(use_cases.settings.quotas.user_requests_per_second)
    routers = [module.router for module in (about, sessions, turns, downloads, uploads, files, links, me)]
    for router in routers:
        app.include_router(router)
    problems.install_error_handlers(app, [route for router in routers for route in router.routes])
    app.add_middleware(BodyLimit, max_bytes=use_cases.settings.limits.max_body_bytes)
    app.add_middleware(Compression)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]  # as FastAPI's documentation says
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document: FastAPI's own, plus the schema of error responses and the sign-in method."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, routes=app.routes, description=_DESCRIPTION)
        components = schema.setdefault("components", {})
        components.setdefault("schemas", {})["Problem"] = problems.Problem.model_json_schema()
        for unused in ("HTTPValidationError", "ValidationError"):
            components["schemas"].pop(unused, None)
        components["securitySchemes"] = {"signIn": {"type": "http", "scheme": "bearer"}}
        for path, operations in schema["paths"].items():
            for operation in operations.values():
                operation["security"] = [] if path in PUBLIC_PATHS else [{"signIn": []}]
        _restore_examples(schema, app.state.all_routes)
        app.openapi_schema = schema
    return app.openapi_schema


def _restore_examples(schema: dict[str, Any], routes: Sequence[BaseRoute]) -> None:
    """Restore the null values in the schema's response examples, which FastAPI removes."""
    for route in routes:
        if not isinstance(route, APIRoute):
            continue
        for method, (status, declared) in product(route.methods or (), route.responses.items()):
            response = schema["paths"][route.path][method.lower()]["responses"][str(status)]
            for media_type, content in declared.get("content", {}).items():
                if "example" in content:
                    response["content"][media_type]["example"] = content["example"]


_DESCRIPTION = (
    "Chat with tools on MCP servers. Every error is application/problem+json with a stable `error_code`. "
    "Lists are returned in pages: repeat the request with the returned `cursor` until it is null."
)

"""Create the FastAPI application, which Mangum serves on Lambda and uvicorn serves locally."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

import satchel
from satchel.domain.users import Identity
from satchel.entrypoints.http import problems
from satchel.entrypoints.http.body_limit import BodyLimit
from satchel.entrypoints.http.compression import Compression
from satchel.entrypoints.http.identity import CurrentIdentity, IdentityReader, keep_identity
from satchel.entrypoints.http.long_polling import Watch, watch_nothing
from satchel.entrypoints.http.personal_tokens import PersonalTokens
from satchel.entrypoints.http.public_paths import OPENAPI_PATH
from satchel.entrypoints.http.request_rates import RequestRates
from satchel.entrypoints.http.routers import (
    about,
    apps,
    chat_links,
    conversations,
    downloads,
    files,
    links,
    me,
    sessions,
    tokens,
    turns,
    uploads,
)
from satchel.use_cases import UseCases


def create_app(
    use_cases: UseCases,
    read_identity: IdentityReader,
    closing: Callable[[], bool] = lambda: False,
    watch: Watch = watch_nothing,
    find_current: CurrentIdentity = keep_identity,
) -> FastAPI:
    """Return the application. ``closing`` returns True when the server is about to stop; long polls then end early.

    ``watch`` can tell long polls when a turn changes. Without it, they read the turn once a second.
    ``find_current`` returns the user of a personal token as the user is now, or None if the user has no account.
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

    def check_token(text: str) -> Identity | None:
        identity = use_cases.personal_tokens.check(text)
        return find_current(identity) if identity else None

    app.state.use_cases = use_cases
    app.state.read_identity = read_identity
    app.state.closing = closing
    app.state.watch = watch
    app.state.request_rates = RequestRates(use_cases.settings.quotas.user_requests_per_second)
    modules = (about, sessions, conversations, turns, apps, downloads, uploads, files, links, chat_links, me, tokens)
    routers = [module.router for module in modules]
    for router in routers:
        app.include_router(router)
    problems.install_error_handlers(app, [route for router in routers for route in router.routes])
    app.add_middleware(BodyLimit, max_bytes=use_cases.settings.limits.max_body_bytes)
    app.add_middleware(Compression)
    app.add_middleware(PersonalTokens, check=check_token)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]  # as FastAPI's documentation says
    return app


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        from satchel.entrypoints.http.document import openapi_document  # noqa: PLC0415  (see the module)

        app.openapi_schema = openapi_document(app.routes, app.state.all_routes)
    return app.openapi_schema

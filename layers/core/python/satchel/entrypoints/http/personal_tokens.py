"""Middleware that verifies personal tokens.

A gateway in front of the API verifies sign-ins, but does not know personal tokens. The deployment's gateway refuses
them, except below ``/api/by-token``, where it verifies nothing: so the API accepts only personal tokens there. A local
server's gateway lets requests with a personal token through, at both addresses.
"""

from collections.abc import Callable

from anyio.to_thread import run_sync
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.domain.personal_tokens import PREFIX
from satchel.domain.users import Identity
from satchel.entrypoints.http.problems import problem_response
from satchel.entrypoints.http.public_paths import BY_TOKEN_PATH, is_public

TOKEN_IDENTITY = "satchel.token_identity"  # noqa: S105  (the key in the ASGI scope)

TokenCheck = Callable[[str], Identity | None]


def personal_token(scope: Scope) -> str | None:
    """Return the personal token of a request, unverified, or None if the request has none."""
    values = [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == b"authorization"]
    if len(values) != 1:
        return None
    scheme, _, token = values[0].partition(" ")
    token = token.strip()
    return token if scheme.lower() == "bearer" and token.startswith(PREFIX) else None


class PersonalTokens:
    """ASGI middleware that lets requests with a valid personal token act as the token's user.

    It answers 401 to other personal tokens, and to requests below ``BY_TOKEN_PATH`` without one unless their path is
    public. ``check`` returns the user of a token, or None.
    """

    def __init__(self, app: ASGIApp, check: TokenCheck) -> None:
        self._app = app
        self._check = check

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward the request with the user in the scope, or respond with 401."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        token, is_by_token = personal_token(scope), scope["path"].startswith(f"{BY_TOKEN_PATH}/")
        if token is None and not is_by_token:
            await self._app(scope, receive, send)
            return
        identity = await run_sync(self._check, token) if token else None
        if identity is None and (token or not is_public(scope)):
            response = problem_response(
                401, "E_UNAUTHORIZED", "The personal token is missing or wrong, has expired or was revoked."
            )
            response.headers["WWW-Authenticate"] = "Bearer"
            await response(scope, receive, send)
            return
        path = scope["path"].removeprefix(BY_TOKEN_PATH) if is_by_token else scope["path"]
        raw = path.encode() if is_by_token else scope.get("raw_path")
        await self._app({**scope, "path": path, "raw_path": raw, TOKEN_IDENTITY: identity}, receive, send)

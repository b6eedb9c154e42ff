"""The paths of operations that clients can request without signing in."""

from starlette.routing import compile_path
from starlette.types import Scope

OPENAPI_PATH = "/api/openapi.json"
BY_TOKEN_PATH = "/api/by-token"  # noqa: S105  (a path)
"""All operations are also below this path, for programs with a personal token."""

PUBLIC_PATHS = {"/.well-known/jwks.json", "/api/health", "/api/files/download/{file_key}", "/api/shared-chat"}
"""The public operations in the OpenAPI document, which is public, too: it contains no data of users."""

_READING = {"GET", "HEAD"}
_PUBLIC = [compile_path(path)[0] for path in sorted(PUBLIC_PATHS | {OPENAPI_PATH})]


def is_public(scope: Scope) -> bool:
    """Return True if the request reads a public path. Other methods can reach other routes under the same path."""
    path = scope["path"].removeprefix(BY_TOKEN_PATH)
    return scope["method"] in _READING and any(pattern.match(path) for pattern in _PUBLIC)

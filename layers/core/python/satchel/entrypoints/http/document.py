"""The OpenAPI document: FastAPI's own, completed with what the routes do not say themselves.

Imported when the document is requested, because the texts are of no use to other requests.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

import satchel
from satchel.entrypoints.http import problems
from satchel.entrypoints.http.property_texts import DESCRIPTIONS, OPEN_VOCABULARIES
from satchel.entrypoints.http.public_paths import BY_TOKEN_PATH, PUBLIC_PATHS

Json = dict[str, Any]

MAY_BE_ABSENT = {"FileInfo"}
"""The responses that omit what they do not know. Every other response has all properties; unknown ones are null."""

_SCHEMAS = "#/components/schemas/"
_INFO: Json = {
    "contact": {"name": "The operator of this server"},
    "license_info": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
}
_DESCRIPTION = """Chat with tools on MCP servers.

- Errors of the API are `application/problem+json` with a stable `error_code`. A deployment's gateway answers 401
  itself, and 413, 429, 500 and 503 if a request does not reach the API: as `application/json` with only a `message`.
- Wait for `Retry-After`, or a second if a 429, 502, 503 or 504 has none, before you repeat a request.
- Lists are returned in pages: repeat the request with the returned `cursor` until it is null.
- Times are RFC 3339 in UTC, such as `2026-01-31T12:00:00Z`. Responses have all of their properties, null if there is no
  value; only `info` of a file omits what is unknown.
- Programs use a personal token (`POST /api/me/tokens`) with the server `/api/by-token`. It can do what its user can,
  except managing tokens and erasing the user.
- Links within the API are paths, for example `download_url`. Links for others (`url`, `socket_url`) are absolute.
- A repeated `DELETE` of a session, conversation, file, upload, link or token answers 204 again. `DELETE` of a turn
  cancels it.
- Operations with the header `Idempotency-Key` can be repeated with the same key for a day, and create nothing twice.
  Another request with that key is refused with 409.
- `GET` of a session, a file and the settings returns an `ETag`, which names what can be changed in them. With it in
  `If-Match`, a change is refused with 412 if another request changed that meanwhile. The content of a version stays.
- Unknown fields in a request's body are refused with 422. Unknown query parameters are ignored.
- A response may get new properties, and an open vocabulary (`x-extensible-enum`) new values, at any time.
"""
_TAGS = {
    "about": "The deployment, its health and its public keys.",
    "tools": "The MCP servers with their tools, resources and prompts.",
    "sessions": "Sessions (conversations) and their audit log.",
    "conversations": "Whole conversations: read, import, delete for good.",
    "turns": "Turns: a message of the user and its answer, with tool calls, approvals and questions.",
    "files": "The user's files: upload, list, read, keep, delete.",
    "links": "Shared links to files and conversations.",
    "apps": "Pages of MCP servers that show results of their tools.",
    "canvas": "Dashboards that tools show.",
    "sockets": "Tickets of WebSocket connections.",
    "me": "The signed-in user.",
}
_SIGN_IN = {
    "type": "http",
    "scheme": "bearer",
    "description": "The ID token (not the access token) of the deployment's OpenID provider, a local server's key, or a"
    " personal token, with the server `/api/by-token`.",
}
_NEVER_ANSWERED_BY_THE_GATEWAY = {"400", "403", "404", "409", "412", "416", "422"}
_GATEWAY_ERROR: Json = {
    "type": "object",
    "description": "An error of the gateway in front of the API, which the request did not reach.",
    "required": ["message"],
    "properties": {"message": {"type": "string", "description": "The reason, for example `Unauthorized`."}},
}
_ANY_VALUE: list[Json] = [
    {"type": "object", "additionalProperties": True},
    {"type": "array", "items": {}},
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "null"},
]


def openapi_document(routes: Sequence[BaseRoute], all_routes: Sequence[BaseRoute]) -> Json:
    """Return the document. ``routes`` are the application's, ``all_routes`` those of its routers."""
    document = get_openapi(
        title="Satchel",
        version=satchel.__version__,
        routes=routes,
        description=_DESCRIPTION,
        tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
        servers=[
            {"url": "/", "description": "The server that returned this document."},
            {"url": BY_TOKEN_PATH, "description": "The same server, for programs with a personal token."},
        ],
        **_INFO,
    )
    components = document["components"]
    schemas = components["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas |= {"Problem": problems.Problem.model_json_schema(), "GatewayError": _GATEWAY_ERROR}
    components["securitySchemes"] = {"signIn": _SIGN_IN}
    for path, operations in document["paths"].items():
        for operation in operations.values():
            _complete_operation(operation, is_public=path in PUBLIC_PATHS)
    _restore_examples(document, all_routes)
    requests, responses = schema_names(document)
    for name, schema in schemas.items():
        complete_schema(name, schema, is_response=name in responses - requests)
    return document


def _complete_operation(operation: Json, *, is_public: bool) -> None:
    """Add the sign-in, and the errors that every operation can have."""
    operation["security"] = [] if is_public else [{"signIn": []}]
    statuses = (429, 500, 503) if is_public else (401, 403, 429, 500, 503)
    for status, response in problems.problem_responses(*statuses, signs_in=False).items():
        operation["responses"].setdefault(str(status), response)
    for status, response in operation["responses"].items():
        if status >= "400" and status not in _NEVER_ANSWERED_BY_THE_GATEWAY:
            content = {"schema": {"$ref": f"{_SCHEMAS}GatewayError"}, "example": {"message": response["description"]}}
            response["content"]["application/json"] = content
    operation["responses"] = dict(sorted(operation["responses"].items()))
    for parameter in operation.get("parameters", []):
        parameter["schema"].pop("title", None)


def _restore_examples(document: Json, routes: Sequence[BaseRoute]) -> None:
    """Restore the null values in the document's response examples, which FastAPI removes."""
    for route in routes:
        if not isinstance(route, APIRoute):
            continue
        for method, (status, declared) in product(route.methods or (), route.responses.items()):
            response = document["paths"][route.path][method.lower()]["responses"][str(status)]
            for media_type, content in declared.get("content", {}).items():
                if "example" in content:
                    response["content"][media_type]["example"] = content["example"]


def complete_schema(name: str, schema: Json, *, is_response: bool) -> None:
    """Describe the properties, and require all properties of a response."""
    properties: dict[str, Json] = schema.get("properties", {})
    if is_response and properties and name not in MAY_BE_ABSENT:
        schema["required"] = list(properties)
    for key, value in properties.items():
        _complete_property(f"{name}.{key}", value)
    for part in subschemas(schema):
        part.pop("title", None)
        part.pop("default", None)  # generators make a property with a default required, in requests too


def _complete_property(path: str, schema: Json) -> None:
    name = path.partition(".")[2]
    if "description" not in schema and (text := DESCRIPTIONS.get(path) or DESCRIPTIONS.get(name)):
        schema["description"] = text
    if values := OPEN_VOCABULARIES.get(path):
        _text_part(schema)["x-extensible-enum"] = list(values)
        schema["description"] += " An open vocabulary: other values are possible."
    if not schema.keys() & {"type", "anyOf", "oneOf", "$ref", "enum", "const"}:
        schema["anyOf"] = [{**kind} for kind in _ANY_VALUE]


def _text_part(schema: Json) -> Json:
    """Return the part of a text or null that is the text."""
    return next((part for part in schema.get("anyOf", []) if part.get("type") == "string"), schema)


def subschemas(schema: Json) -> Iterator[Json]:
    """Yield a schema and all schemas in it, without references."""
    yield schema
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, []):
            yield from subschemas(part)
    for part in schema.get("properties", {}).values():
        yield from subschemas(part)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from subschemas(schema[key])


def schema_names(document: Json) -> tuple[set[str], set[str]]:
    """Return the names of the schemas that requests contain, and of those that responses contain."""
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    schemas: Mapping[str, Json] = document["components"]["schemas"]
    requests = reachable([operation.get("requestBody") for operation in operations], schemas)
    return requests, reachable([operation["responses"] for operation in operations], schemas)


def reachable(parts: object, schemas: Mapping[str, Json]) -> set[str]:
    """Return the names of the schemas to which parts of the document refer, directly or through other schemas."""
    found: set[str] = set()
    todo = list(_references(parts))
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += _references(schemas[name])
    return found


def _references(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            yield reference.removeprefix(_SCHEMAS)
        for inner in part.values():
            yield from _references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _references(inner)

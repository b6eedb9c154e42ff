"""The OpenAPI document is valid and complete. test_schemathesis compares the API with the document."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.testclient import TestClient

from satchel.entrypoints.http.document import MAY_BE_ABSENT, schema_names, subschemas
from satchel.entrypoints.http.identity import identity_from_claims
from satchel.entrypoints.http.property_texts import DESCRIPTIONS, OPEN_VOCABULARIES
from tests.integration.http.backend import Backend, make_client
from tests.integration.http.operations import DOCUMENT, OPERATIONS, Operation

PUBLIC = {
    "GET /.well-known/jwks.json",
    "GET /api/health",
    "GET /api/files/download/{file_key}",
    "GET /api/shared-chat",
    "HEAD /api/files/download/{file_key}",
}
PROBLEM = {"application/problem+json": {"$ref": "#/components/schemas/Problem"}}
GATEWAY_ERROR = {"application/json": {"$ref": "#/components/schemas/GatewayError"}}
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
IMPORTED = {"ImportRequest", "ImportedTurn", "ImportedCall", "ImportedFile", "ImportedError"}
"""The parts of a conversation to import. They may have what reading a conversation returns, so they ignore the rest."""

every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)


def validator(schema: object) -> Draft202012Validator:
    """Return a validator that resolves references to the document's components."""
    return Draft202012Validator({"$defs": {"it": schema}, "$ref": "#/$defs/it", "components": DOCUMENT["components"]})


def examples(part: Any) -> Iterator[object]:  # noqa: ANN401  (a schema, a parameter or a media type)
    if "example" in part:
        yield part["example"]
    values = part.get("examples", [])
    yield from values if isinstance(values, list) else [example["value"] for example in values.values()]


def schemas(part: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  (any part of the document)
    """Yield all schemas with examples, at any depth."""
    if isinstance(part, dict):
        if isinstance(part.get("examples"), list):
            yield part
        for inner in part.values():
            yield from schemas(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from schemas(inner)


def test_document_is_valid_openapi() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    assert [error.message for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_document_needs_no_sign_in(backend: Backend) -> None:
    response = make_client(backend.local_app, {"X-Satchel-User": "../x"}).get("/api/openapi.json")

    assert response.status_code == 200
    assert response.json() == DOCUMENT


def test_document_has_exactly_the_expected_operations() -> None:
    assert sorted(operation.label for operation in OPERATIONS) == [
        "DELETE /api/chat-links/{chat_link_id}",
        "DELETE /api/conversations/{session_id}",
        "DELETE /api/files/uploads/{upload_id}",
        "DELETE /api/files/{file_key}",
        "DELETE /api/links",
        "DELETE /api/links/{link_id}",
        "DELETE /api/me",
        "DELETE /api/me/tokens/{token_id}",
        "DELETE /api/sessions/{session_id}",
        "DELETE /api/sessions/{session_id}/turns/{turn_id}",
        "GET /.well-known/jwks.json",
        "GET /api/apps/{app_key}",
        "GET /api/chat-links",
        "GET /api/config",
        "GET /api/conversations",
        "GET /api/conversations/{session_id}",
        "GET /api/files",
        "GET /api/files/download/{file_key}",
        "GET /api/files/uploads",
        "GET /api/files/uploads/{upload_id}",
        "GET /api/files/{file_key}",
        "GET /api/files/{file_key}/versions",
        "GET /api/health",
        "GET /api/links",
        "GET /api/me",
        "GET /api/me/settings",
        "GET /api/me/tokens",
        "GET /api/prompts",
        "GET /api/resources",
        "GET /api/sessions",
        "GET /api/sessions/{session_id}",
        "GET /api/sessions/{session_id}/app-calls/{app_turn_id}",
        "GET /api/sessions/{session_id}/audit",
        "GET /api/sessions/{session_id}/turns/{turn_id}",
        "GET /api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/app",
        "GET /api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval",
        "GET /api/sessions/{session_id}/turns/{turn_id}/events",
        "GET /api/shared-chat",
        "GET /api/tools",
        "HEAD /api/files/download/{file_key}",
        "PATCH /api/sessions/{session_id}",
        "POST /api/apps/{app_key}/calls",
        "POST /api/canvas/{canvas_id}/actions",
        "POST /api/conversations",
        "POST /api/files",
        "POST /api/files/content",
        "POST /api/files/uploads",
        "POST /api/files/uploads/{upload_id}/complete",
        "POST /api/files/uploads/{upload_id}/parts",
        "POST /api/files/{file_key}/keep",
        "POST /api/files/{file_key}/link",
        "POST /api/me/tokens",
        "POST /api/prompts",
        "POST /api/prompts/completion",
        "POST /api/resources",
        "POST /api/sessions",
        "POST /api/sessions/{session_id}/links",
        "POST /api/sessions/{session_id}/turns",
        "POST /api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval",
        "POST /api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/input",
        "POST /api/ws-ticket",
        "PUT /api/me/settings",
        "PUT /api/sessions/{session_id}/turns/{turn_id}/rating",
    ]


def test_every_reference_has_a_schema_and_every_schema_a_reference() -> None:
    def references(part: object) -> Iterator[str]:
        if isinstance(part, dict):
            yield from (str(value) for name, value in part.items() if name == "$ref")
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        for each in inner:
            yield from references(each)

    known = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    assert set(references(DOCUMENT)) == known


def test_every_tag_is_described() -> None:
    used = {tag for operation in OPERATIONS for tag in operation.spec["tags"]}
    assert {tag["name"] for tag in DOCUMENT["tags"]} == used
    assert all(tag["description"] for tag in DOCUMENT["tags"])


def test_no_schema_is_in_requests_and_in_responses() -> None:
    requests, responses = schema_names(DOCUMENT)
    assert requests & responses == set()


def test_responses_require_all_properties() -> None:
    _, responses = schema_names(DOCUMENT)
    optional = {
        name: set(SCHEMAS[name].get("properties", {})) - set(SCHEMAS[name].get("required", ())) for name in responses
    }
    assert {name for name, names in optional.items() if names} == MAY_BE_ABSENT


def test_requests_refuse_unknown_properties() -> None:
    requests, _ = schema_names(DOCUMENT)
    objects = {name for name in requests if "properties" in SCHEMAS[name]}
    assert {name for name in objects if SCHEMAS[name].get("additionalProperties") is not False} == IMPORTED
    assert {name for name in IMPORTED if SCHEMAS[name]["additionalProperties"] is not True} == set()


def test_no_property_has_a_default() -> None:
    """Generators would make it required in requests, and optional in responses."""
    assert [name for name, schema in SCHEMAS.items() for part in subschemas(schema) if "default" in part] == []


def test_every_property_has_a_type_and_a_description() -> None:
    properties = {
        f"{name}.{key}": part for name, each in SCHEMAS.items() for key, part in each.get("properties", {}).items()
    }
    typed = {"type", "anyOf", "oneOf", "$ref", "enum", "const"}

    assert {path for path, part in properties.items() if not part.get("description")} == set()
    assert {path for path, part in properties.items() if not part.keys() & typed} == set()
    assert DESCRIPTIONS.keys() - properties.keys() - {path.partition(".")[2] for path in properties} == set()
    assert OPEN_VOCABULARIES.keys() - properties.keys() == set()


def test_operation_ids_are_unique() -> None:
    names = [operation.spec["operationId"] for operation in OPERATIONS]

    assert len(set(names)) == len(names)


@every_operation
class TestEveryOperation:
    def test_operation_has_id_summary_description_and_tags(self, operation: Operation) -> None:
        assert operation.spec["operationId"].isidentifier()
        assert operation.spec["summary"]
        assert operation.spec["description"].endswith(".")
        assert operation.spec["tags"]

    def test_every_parameter_is_described(self, operation: Operation) -> None:
        parameters = operation.spec.get("parameters", [])
        assert [each["name"] for each in parameters if not each.get("description", "").endswith(".")] == []

    def test_operation_needs_sign_in_unless_it_is_public(self, operation: Operation) -> None:
        assert operation.spec["security"] == ([] if operation.label in PUBLIC else [{"signIn": []}])

    def test_successful_response_has_a_schema_and_an_example(self, operation: Operation) -> None:
        successes = {status: response for status, response in operation.spec["responses"].items() if status < "300"}

        assert successes
        for status, response in successes.items():
            if status == "204" or operation.method == "head":
                assert "content" not in response
            elif "download" in operation.path:
                assert response["content"].keys() == {"application/octet-stream", "*/*"}
            else:
                [(kind, content)] = response["content"].items()
                assert kind == "application/json"
                assert "$ref" in content["schema"]
                assert list(examples(content)) != []

    def test_operation_declares_its_possible_errors(self, operation: Operation) -> None:
        problems = {status: response for status, response in operation.spec["responses"].items() if status >= "400"}
        expected = {"429", "500", "503"}
        if operation.label not in PUBLIC:
            expected |= {"401", "403"}
        if "{" in operation.path:
            expected.add("404")
        if operation.spec.get("parameters"):
            expected.add("422")
        if "requestBody" in operation.spec:
            expected |= {"400", "413", "422"}

        assert expected <= problems.keys()
        for status, response in problems.items():
            assert response["description"]
            kinds = PROBLEM | (GATEWAY_ERROR if status in {"401", "413", "429", "500", "503"} else {})
            assert {kind: content["schema"] for kind, content in response["content"].items()} == kinds
            assert ("Retry-After" in response.get("headers", {})) == (status in {"429", "503"})

    def test_examples_match_their_schemas(self, operation: Operation) -> None:
        body = operation.spec.get("requestBody", {}).get("content", {})
        responses = [response.get("content", {}) for response in operation.spec["responses"].values()]
        media_types = [media_type for content in (body, *responses) for media_type in content.values()]

        for media_type in media_types:
            for example in examples(media_type):
                assert [error.message for error in validator(media_type["schema"]).iter_errors(example)] == []


def test_examples_inside_schemas_match_them() -> None:
    schemas_with_examples = list(schemas(DOCUMENT))

    assert schemas_with_examples
    for schema in schemas_with_examples:
        for example in schema["examples"]:
            assert [error.message for error in validator(schema).iter_errors(example)] == []


def test_example_ids_are_valid_ids(backend: Backend, http: TestClient) -> None:
    """A request with ids copied from the document is not rejected because of their format."""
    del backend
    parameters = [parameter for operation in OPERATIONS for parameter in operation.spec.get("parameters", [])]
    ids = {p["name"]: p["schema"]["examples"][0] for p in parameters if p["in"] == "path"}

    assert ids.keys() == {
        "session_id",
        "turn_id",
        "call_id",
        "file_key",
        "app_key",
        "app_turn_id",
        "upload_id",
        "link_id",
        "chat_link_id",
        "token_id",
        "canvas_id",
    }
    assert http.get(f"/api/sessions/{ids['session_id']}").json()["error_code"] == "E_SESSION_NOT_FOUND"
    assert http.get(f"/api/files/{ids['file_key']}").json()["error_code"] == "E_FILE_NOT_FOUND"
    assert http.delete(f"/api/links/{ids['link_id']}").status_code == 204
    assert http.delete(f"/api/me/tokens/{ids['token_id']}").status_code == 204
    response = http.post(f"/api/canvas/{ids['canvas_id']}/actions", json={"action": "a"})
    assert response.json()["error_code"] == "E_CANVAS_NOT_FOUND"


def test_bearer_token_signs_in_to_local_and_deployed_servers(backend: Backend) -> None:
    scheme = DOCUMENT["components"]["securitySchemes"]["signIn"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    assert backend.app(identity_from_claims("email")).openapi() == DOCUMENT

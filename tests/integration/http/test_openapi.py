"""The document itself: a valid OpenAPI 3.1 that keeps nothing back. Whether it is true, test_schemathesis asks."""

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.testclient import TestClient

from satchel.entrypoints.http.identity import from_claims
from tests.integration.http.operations import DOCUMENT, OPERATIONS, Operation
from tests.integration.http.world import World, client_of

OPEN = {"GET /api/health", "GET /api/files/download/{file_key}", "HEAD /api/files/download/{file_key}"}
PROBLEM = {"application/problem+json": {"$ref": "#/components/schemas/Problem"}}
every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)


def validator(schema: object) -> Draft202012Validator:
    """References of the document's schemas lead into the document."""
    return Draft202012Validator({"$defs": {"it": schema}, "$ref": "#/$defs/it", "components": DOCUMENT["components"]})


def examples(part: Any) -> Iterator[object]:  # noqa: ANN401  (a schema, a parameter or a medium)
    if "example" in part:
        yield part["example"]
    given = part.get("examples", [])
    yield from given if isinstance(given, list) else [example["value"] for example in given.values()]


def schemas(part: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  (any part of the document)
    """All schemas that hold examples, however deep."""
    if isinstance(part, dict):
        if isinstance(part.get("examples"), list):
            yield part
        for inner in part.values():
            yield from schemas(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from schemas(inner)


def test_it_is_valid() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    assert [error.message for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_it_is_served_to_everybody(world: World) -> None:
    answer = client_of(world.local_app, {"X-Satchel-User": "../x"}).get("/api/openapi.json")

    assert answer.status_code == 200
    assert answer.json() == DOCUMENT


def test_it_describes_what_the_design_names() -> None:
    assert sorted(operation.label for operation in OPERATIONS) == [
        "DELETE /api/files/uploads/{upload_id}",
        "DELETE /api/files/{file_key}",
        "DELETE /api/links",
        "DELETE /api/links/{link_id}",
        "DELETE /api/me",
        "DELETE /api/sessions/{session_id}",
        "DELETE /api/sessions/{session_id}/turns/{turn_id}",
        "GET /api/config",
        "GET /api/files",
        "GET /api/files/download/{file_key}",
        "GET /api/files/uploads",
        "GET /api/files/uploads/{upload_id}",
        "GET /api/files/{file_key}",
        "GET /api/health",
        "GET /api/links",
        "GET /api/me",
        "GET /api/sessions",
        "GET /api/sessions/{session_id}",
        "GET /api/sessions/{session_id}/audit",
        "GET /api/sessions/{session_id}/turns/{turn_id}",
        "GET /api/sessions/{session_id}/turns/{turn_id}/events",
        "GET /api/tools",
        "HEAD /api/files/download/{file_key}",
        "PATCH /api/sessions/{session_id}",
        "POST /api/canvas/{canvas_id}/actions",
        "POST /api/files",
        "POST /api/files/uploads",
        "POST /api/files/uploads/{upload_id}/complete",
        "POST /api/files/uploads/{upload_id}/parts",
        "POST /api/files/{file_key}/keep",
        "POST /api/files/{file_key}/link",
        "POST /api/sessions",
        "POST /api/sessions/{session_id}/turns",
        "POST /api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval",
        "POST /api/ws-ticket",
    ]


def test_every_reference_leads_somewhere() -> None:
    def references(part: object) -> Iterator[str]:
        if isinstance(part, dict):
            yield from (str(value) for name, value in part.items() if name == "$ref")
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        for one in inner:
            yield from references(one)

    known = {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}
    assert set(references(DOCUMENT)) == known


def test_names_of_operations_are_their_own() -> None:
    names = [operation.said["operationId"] for operation in OPERATIONS]

    assert len(set(names)) == len(names)


@every_operation
class TestEveryOperation:
    def test_says_what_it_does(self, operation: Operation) -> None:
        assert operation.said["operationId"].isidentifier()
        assert operation.said["summary"]
        assert operation.said["description"].endswith(".")
        assert operation.said["tags"]

    def test_asks_for_sign_in_unless_it_is_open(self, operation: Operation) -> None:
        assert operation.said["security"] == ([] if operation.label in OPEN else [{"signIn": []}])

    def test_shows_what_it_answers(self, operation: Operation) -> None:
        good = {status: said for status, said in operation.said["responses"].items() if status < "300"}

        assert good
        for status, said in good.items():
            if status == "204" or operation.method == "head":
                assert "content" not in said
            elif "download" in operation.path:
                assert said["content"] == {"*/*": {"schema": {}}}
            else:
                [(kind, medium)] = said["content"].items()
                assert kind == "application/json"
                assert "$ref" in medium["schema"]
                assert list(examples(medium)) != []

    def test_names_the_errors_that_it_may_come_to(self, operation: Operation) -> None:
        bad = {status: said for status, said in operation.said["responses"].items() if status >= "400"}
        expected = set()
        if operation.label not in OPEN:
            expected.add("403")
        if "{" in operation.path:
            expected.add("404")
        if operation.said.get("parameters"):
            expected.add("422")
        if "requestBody" in operation.said:
            expected |= {"400", "413", "422"}

        assert expected <= bad.keys()
        for said in bad.values():
            assert said["description"]
            assert {kind: medium["schema"] for kind, medium in said["content"].items()} == PROBLEM

    def test_gives_examples_that_fit_their_schemas(self, operation: Operation) -> None:
        body = operation.said.get("requestBody", {}).get("content", {})
        answers = [said.get("content", {}) for said in operation.said["responses"].values()]
        media = [medium for content in (body, *answers) for medium in content.values()]

        for medium in media:
            for example in examples(medium):
                assert [error.message for error in validator(medium["schema"]).iter_errors(example)] == []


def test_examples_inside_schemas_fit_them() -> None:
    found = list(schemas(DOCUMENT))

    assert found
    for schema in found:
        for example in schema["examples"]:
            assert [error.message for error in validator(schema).iter_errors(example)] == []


def test_examples_of_ids_are_ids(world: World, http: TestClient) -> None:
    """One that is copied from the document is looked up, not refused for its form."""
    del world
    parameters = [parameter for operation in OPERATIONS for parameter in operation.said.get("parameters", [])]
    ids = {p["name"]: p["schema"]["examples"][0] for p in parameters if p["in"] == "path"}

    assert ids.keys() == {"session_id", "turn_id", "call_id", "file_key", "upload_id", "link_id", "canvas_id"}
    assert http.get(f"/api/sessions/{ids['session_id']}").json()["error_code"] == "E_SESSION_NOT_FOUND"
    assert http.get(f"/api/files/{ids['file_key']}").json()["error_code"] == "E_FILE_NOT_FOUND"
    assert http.delete(f"/api/links/{ids['link_id']}").json()["error_code"] == "E_LINK_NOT_FOUND"
    acted = http.post(f"/api/canvas/{ids['canvas_id']}/actions", json={"action": "a"})
    assert acted.json()["error_code"] == "E_CANVAS_NOT_FOUND"


def test_how_one_signs_in_depends_on_where_it_runs(world: World) -> None:
    deployed = world.app(from_claims("email")).openapi()

    assert DOCUMENT["components"]["securitySchemes"] == {
        "signIn": {"type": "apiKey", "in": "header", "name": "x-satchel-user"},
    }
    assert deployed["components"]["securitySchemes"] == {"signIn": {"type": "http", "scheme": "bearer"}}
    assert deployed["paths"] == DOCUMENT["paths"]

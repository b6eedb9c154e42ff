"""Requests generated from the OpenAPI document never get a 5xx, and all responses match the document."""

from typing import TYPE_CHECKING, Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from satchel.domain.ids import UserName
from tests.integration.http.api_client import ApiClient
from tests.integration.http.backend import Backend
from tests.integration.http.operations import OPERATIONS, Operation

if TYPE_CHECKING:
    from schemathesis import Case

    AnyCase = Case[Any]

CHECKS: list[Any] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
MAX_EXAMPLES = 20
MODES = [
    (operation, mode)
    for operation in OPERATIONS
    for mode in GenerationMode
    # a request without parameters and body cannot be invalid
    if mode is GenerationMode.POSITIVE or operation.spec.get("parameters") or "requestBody" in operation.spec
]


@pytest.fixture(scope="module")
def schema(module_backend: Backend) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_asgi("/api/openapi.json", module_backend.local_app)


@pytest.fixture
def existing_ids(backend: Backend, user: UserName, api: ApiClient) -> dict[str, str]:
    """Ids of existing resources, so that not all requests end with "not found"."""
    backend.workflow.on_start = backend.complete_turn
    session_id = api.create_session()
    uploaded = api.upload("a.csv", session_id=session_id)
    return {
        "user": user,
        "session_id": session_id,
        "turn_id": api.start_turn(session_id),
        "file_key": uploaded["file_key"],
        "canvas_id": backend.open_dashboard(user, session_id),
        "token": uploaded["download_url"].partition("token=")[2],
    }


def use_existing_ids(case: "AnyCase", existing_ids: dict[str, str]) -> None:
    """Replace the ids in a request by existing ones."""
    for parameters in (case.path_parameters, case.query):
        if parameters:
            parameters.update({name: value for name, value in existing_ids.items() if name in parameters})


@pytest.mark.parametrize(
    ("operation", "mode"), MODES, ids=[f"{operation.label} {mode.value}" for operation, mode in MODES]
)
def test_generated_requests_get_only_documented_responses(
    schema: schemathesis.BaseSchema, existing_ids: dict[str, str], operation: Operation, mode: GenerationMode
) -> None:
    api_operation = cast("Any", schema)[operation.path][operation.method.upper()]

    @seed(20260301)
    @settings(max_examples=MAX_EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(
        case=api_operation.as_strategy(generation_mode=mode),
        with_existing_ids=st.booleans(),
        signed_in=st.integers(0, 4),
    )
    def send(case: "AnyCase", with_existing_ids: bool, signed_in: int) -> None:  # noqa: FBT001  (hypothesis passes it)
        if with_existing_ids:
            use_existing_ids(case, existing_ids)
        if signed_in:
            case.headers["x-satchel-user"] = existing_ids["user"]
        case.call_and_validate(checks=CHECKS)

    send()

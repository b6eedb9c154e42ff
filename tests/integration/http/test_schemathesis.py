"""Requests that nobody thought of, made from the OpenAPI document: none is a 5xx, every answer is a described one."""

from typing import TYPE_CHECKING, Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tests.integration.http.desk import Desk
from tests.integration.http.operations import OPERATIONS, Operation
from tests.integration.http.world import World

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
EXAMPLES = 20
MODES = [
    (operation, mode)
    for operation in OPERATIONS
    for mode in GenerationMode
    # nothing can be wrong with a request that takes nothing
    if mode is GenerationMode.POSITIVE or operation.said.get("parameters") or "requestBody" in operation.said
]


@pytest.fixture(scope="module")
def schema(made: World) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_asgi("/api/openapi.json", made.local_app)


@pytest.fixture
def known(world: World, user: str, desk: Desk) -> dict[str, str]:
    """Ids that mean something, so that requests get further than «not found»."""
    world.workflow.on_start = world.answer
    session_id = desk.session()
    uploaded = desk.upload("a.csv", session_id=session_id)
    return {
        "user": user,
        "session_id": session_id,
        "turn_id": desk.turn(session_id),
        "file_key": uploaded["file_key"],
        "canvas_id": world.dashboard(user, session_id),
        "token": uploaded["download_url"].partition("token=")[2],
    }


def aim(case: "AnyCase", known: dict[str, str]) -> None:
    """Put ids that are there into a request, and nothing else."""
    for given_ids in (case.path_parameters, case.query):
        if given_ids:
            given_ids.update({name: value for name, value in known.items() if name in given_ids})


@pytest.mark.parametrize(
    ("operation", "mode"), MODES, ids=[f"{operation.label} {mode.value}" for operation, mode in MODES]
)
def test_every_answer_is_one_that_the_document_describes(
    schema: schemathesis.BaseSchema, known: dict[str, str], operation: Operation, mode: GenerationMode
) -> None:
    found = cast("Any", schema)[operation.path][operation.method.upper()]

    @seed(20260301)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=found.as_strategy(generation_mode=mode), aimed=st.booleans(), signed_in=st.integers(0, 4))
    def send(case: "AnyCase", aimed: bool, signed_in: int) -> None:  # noqa: FBT001  (hypothesis gives it)
        if aimed:
            aim(case, known)
        if signed_in:
            case.headers["x-satchel-user"] = known["user"]
        case.call_and_validate(checks=CHECKS)

    send()

"""Published servers for Node and Python run in their functions with their layers alone, without a network."""

import json
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from infra.sources import FUNCTIONS
from satchel.domain.ids import UserName
from tests.infra.templates import Stacks
from tests.lambda_runtime import layers
from tests.lambda_runtime.environment import AWS_URL, Code, Environment
from tests.lambda_runtime.runtime_api import invocation
from tests.refused_calls.aws_stub import aws_stub
from tests.unit.services.orders import order

pytestmark = [pytest.mark.synth, pytest.mark.timeout(600)]
SECONDS = 120.0
BUCKET = "files"
USER = UserName("eve@example.com")


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder that the functions' user can read, on the file system of the built layers."""
    folder = layers.BUILT / f"run-{uuid.uuid4().hex[:8]}"
    folder.mkdir(parents=True)
    yield folder
    layers.remove(folder)


def opt_folder(name: str, scratch: Path) -> Path:
    """Return the content of ``/opt`` for the function that runs a server."""
    used = layers.layers_of_foreign_server(name)
    assert len(used) <= 5, "Lambda's limit"
    layers.merge([layers.build(each) for each in used], scratch / "opt")
    return scratch / "opt"


def list_and_call(stacks: Stacks, scratch: Path, name: str, tool: str, arguments: dict[str, Any]) -> tuple[Any, Any]:
    """Return the list of the server's tools and the report of a call, by a function without a network."""
    template = {key: value.strip("{}") for key, value in stacks.environment("Runcalculator").items()}
    of_aws = {"AWS_ENDPOINT_URL": AWS_URL, "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1"}
    credentials = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    variables = {**template, "SATCHEL_SERVER": name, "SATCHEL_BUCKET": BUCKET, **of_aws, **credentials}
    soon = datetime.now(UTC) + timedelta(seconds=SECONDS)
    call = order().model_copy(update={"user": USER, "tool": tool, "arguments": arguments, "waits_until": soon})
    code = Code(name, FUNCTIONS / "run_tool", opt_folder(name, scratch), variables)
    environment = Environment(code, scratch / "log", offline=True)
    try:
        with aws_stub(environment.aws_listener):
            listed = environment.invoke(invocation({"action": "list", "server": name}, arn="arn", seconds=SECONDS))
            event = {"server": name, **call.model_dump(mode="json")}
            ended: Any = environment.invoke(invocation(event, arn="arn", seconds=SECONDS, tenant_id=USER))
            return listed, ended["answer"]["report"]
    finally:
        environment.close()


def test_npx_server_lists_and_answers_from_its_layers_without_a_network(stacks: Stacks, scratch: Path) -> None:
    listed, report = list_and_call(stacks, scratch, "everything", "get-sum", {"a": 40, "b": 2})

    assert {"echo", "get-sum"} <= {tool["name"] for tool in listed["tools"]}
    assert "42" in json.dumps(report["results"]), report


def test_node_program_imports_its_locked_packages_without_a_network(stacks: Stacks, scratch: Path) -> None:
    listed, report = list_and_call(stacks, scratch, "plain", "version", {})

    assert [tool["name"] for tool in listed["tools"]] == ["version"]
    assert "v24." in json.dumps(report["results"]), report


def test_uvx_server_lists_and_answers_from_its_layers_without_a_network(stacks: Stacks, scratch: Path) -> None:
    listed, report = list_and_call(stacks, scratch, "time", "get_current_time", {"timezone": "UTC"})

    assert {tool["name"] for tool in listed["tools"]} == {"get_current_time", "convert_time"}
    assert "UTC" in json.dumps(report["results"]), report

"""Resources and prompts of servers: listed with the tools, and read into files."""

import os
from collections.abc import Iterator

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.contract import normalize
from satchel.domain.resources import Offers, Prompt, PromptArgument, ResourceTemplate
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, ToolEvent, ToolResult
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, TIMEOUT


def start(program: str, loop: EventLoop) -> McpToolClient:
    entry = ServerEntry(command=["python", str(SERVER_PROGRAMS / program)])
    return McpToolClient("linking", entry, loop, os.environ)


@pytest.fixture(scope="module")
def client(loop: EventLoop) -> Iterator[McpToolClient]:
    client = start("linking_server.py", loop)
    yield client
    client.close()


@pytest.fixture(scope="module")
def offers(client: McpToolClient) -> Offers:
    return client.list_all()[1]


def read(client: McpToolClient, uri: str) -> ToolEvent | None:
    with client.call("read_resource", {"uri": uri}, None, writes=False, method="resources/read") as running:
        return running.receive(TIMEOUT)


def test_resources_and_templates_are_listed(offers: Offers) -> None:
    listed = {each.uri: (each.server, each.name, each.mime) for each in offers.resources}

    assert list(listed) == ["demo://text/1", "demo://blob/1", "demo://large"]  # two pages
    assert listed["demo://text/1"] == ("linking", "text", "text/plain")
    assert [(each.uri_template, each.mime) for each in offers.templates] == [("demo://reports/{year}", "text/csv")]
    assert isinstance(offers.templates[0], ResourceTemplate)


def test_prompts_are_listed_with_their_arguments(offers: Offers) -> None:
    [prompt] = offers.prompts

    assert prompt.model_copy(update={"arguments": []}) == Prompt(
        server="linking", name="compare", title="Compare years", description="Compares two years."
    )
    assert [(each.name, each.required) for each in prompt.arguments] == [("year", True), ("other", False)]
    assert isinstance(prompt.arguments[0], PromptArgument)


def test_server_with_resources_gets_a_tool_that_reads_them(client: McpToolClient) -> None:
    reader = client.list_all()[0][-1]

    assert (reader.full_name, reader.method, reader.may_destroy) == ("linking.read_resource", "resources/read", False)
    assert "demo://reports/{year}" in reader.description


@pytest.mark.parametrize(
    ("uri", "name", "body"),
    [("demo://text/1", "text-1.txt", b"first"), ("demo://reports/2026", "reports-2026.csv", b"year\n2026")],
)
def test_resource_is_read_into_a_file(client: McpToolClient, uri: str, name: str, body: bytes) -> None:
    result = read(client, uri)

    assert isinstance(result, ToolResult)
    [file] = normalize(result.raw).artifacts
    assert (file.name, file.inline_bytes()) == (name, body)


def test_missing_resource_is_an_error_of_the_call(client: McpToolClient) -> None:
    failure = read(client, "demo://missing")

    assert isinstance(failure, CallFailure)
    assert not failure.crashed


def test_server_without_resources_gets_no_further_tool(loop: EventLoop) -> None:
    client = start("described_tools.py", loop)
    tools, offers = client.list_all()
    client.close()

    assert "read_resource" not in {tool.name for tool in tools}
    assert offers == Offers()

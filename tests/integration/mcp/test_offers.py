"""Resources and prompts of servers: listed with the tools, and read into files."""

import os
from collections.abc import Iterator

import pytest

from satchel.adapters.event_loop import EventLoop
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.system_clock import SystemClock
from satchel.contract import normalize
from satchel.domain.resources import OfferAnswer, OfferRequest, Offers, Prompt, PromptArgument, ResourceTemplate
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import CallFailure, ToolEvent, ToolResult
from satchel.services.calls.read_offer import ReadOffer
from tests.integration.mcp.tool_caller import SERVER_PROGRAMS, TIMEOUT


def start(program: str, loop: EventLoop) -> McpToolClient:
    entry = ServerEntry(command=["python", program], cwd=str(SERVER_PROGRAMS))
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
    prompt = offers.prompts[0]

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


class TestRequests:
    @pytest.fixture
    def request_offer(self, client: McpToolClient) -> ReadOffer:
        return ReadOffer(client=client, clock=SystemClock())

    def test_prompt_is_filled_in(self, request_offer: ReadOffer) -> None:
        answer = request_offer(OfferRequest(method="prompts/get", name="compare", arguments={"year": "2026"}))

        assert answer == OfferAnswer(text="Compare 2026 with 2025.")

    def test_dialog_becomes_one_message_with_roles(self, request_offer: ReadOffer) -> None:
        answer = request_offer(OfferRequest(method="prompts/get", name="dialog"))

        assert answer == OfferAnswer(text="User: Which year?\n\nAssistant: 2026, of course.")

    def test_files_of_a_prompt_are_embedded_linked_or_pictures(self, request_offer: ReadOffer) -> None:
        answer = request_offer(OfferRequest(method="prompts/get", name="review"))

        assert answer.text == "Review these."
        assert [(file.name, file.mime, file.b64) for file in answer.files] == [
            ("notes-today.txt", "text/plain", "cmVtZW1iZXI="),
            ("image-2.png", "image/png", "iVBORw0KGgo="),
            ("first.txt", "text/plain", "Zmlyc3Q="),
        ]

    def test_prompt_with_a_link_that_cannot_be_read_is_a_problem(self, request_offer: ReadOffer) -> None:
        answer = request_offer(OfferRequest(method="prompts/get", name="lost"))

        assert "missing.txt" in str(answer.problem)

    def test_prompt_that_the_server_refuses_is_a_problem(self, request_offer: ReadOffer) -> None:
        answer = request_offer(OfferRequest(method="prompts/get", name="refuse"))

        assert (answer.text, bool(answer.problem)) == ("", True)

    def test_too_large_resource_is_a_problem(self, request_offer: ReadOffer) -> None:
        answer = request_offer(OfferRequest(method="resources/read", name="demo://large"))

        assert (answer.files, "too large" in str(answer.problem)) == ([], True)

    def test_resource_is_returned_as_a_file(self, request_offer: ReadOffer) -> None:
        [file] = request_offer(OfferRequest(method="resources/read", name="demo://text/1")).files

        assert (file.name, file.b64) == ("text-1.txt", "Zmlyc3Q=")

    @pytest.mark.parametrize(
        ("arguments", "values"),
        [
            ({"other": "202", "year": "2022"}, ["2020", "2021"]),
            ({"other": "2025"}, ["2025"]),
            ({}, ["2020", "2021", "2022", "2023", "2024", "2025"]),
        ],
    )
    def test_argument_is_completed_with_the_other_arguments(
        self, request_offer: ReadOffer, arguments: dict[str, str], values: list[str]
    ) -> None:
        request = OfferRequest(method="completion/complete", name="compare", argument="other", arguments=arguments)

        assert request_offer(request) == OfferAnswer(values=values)

    def test_server_without_completion_has_a_problem(self, loop: EventLoop) -> None:
        client = start("described_tools.py", loop)
        request = OfferRequest(method="completion/complete", name="any", argument="other")

        answer = ReadOffer(client=client, clock=SystemClock())(request)
        client.close()

        assert (answer.values, bool(answer.problem)) == ([], True)


def test_server_without_resources_gets_no_further_tool(loop: EventLoop) -> None:
    client = start("described_tools.py", loop)
    tools, offers = client.list_all()
    client.close()

    assert "read_resource" not in {tool.name for tool in tools}
    assert offers == Offers()

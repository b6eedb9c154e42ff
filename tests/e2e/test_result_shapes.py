"""Result shapes of real servers: every part of an answer is in the final response and in My Files."""

import json
import os
from typing import Any

import httpx2
import pytest

from tests.e2e.conftest import MCP_CONFIG, NO_NODE
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, fetch, run_user

ANSWERS: Json = json.loads((MCP_CONFIG.parent / "fixed_answers/answers.json").read_text(encoding="utf-8"))

# CI always has Node, so CI must not skip these tests silently.
needs_node = pytest.mark.skipif(
    NO_NODE and "CI" not in os.environ, reason="no Node, or its packages are not installed (make test does that)"
)
UNFILTERED = ["raw", pytest.param("node", marks=needs_node)]
"""The same answers from plain JSON-RPC and from the SDK for Node. Both send all fields."""


@pytest.fixture(params=UNFILTERED)
def server(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    """One user for all tests, so that the servers stay warm. Each call has its own session."""
    return UserClient(system.url, run_user("shapes"))


def call(user: UserClient, tool: str, **arguments: object) -> Json:
    """Call a tool in a new session and return the final response."""
    response = user.ask(user.create_session(), f"/{tool} {json.dumps(arguments)}")
    assert [call["is_error"] for call in response["tool_calls"]] == [False], response["tool_calls"]
    return response


def model_input(response: Json) -> tuple[Any, Json]:
    """Return what the model gets of the call: its results and its metadata."""
    (call,) = response["tool_calls"]
    return call["results"], call["meta_data"] or {}


def download(user: UserClient, artifact: Json) -> bytes:
    """Download an artifact by its link, without signing in."""
    response = fetch(user.url + artifact["download_url"])
    assert response.status_code == httpx2.codes.OK
    return response.content


def artifact_fields(response: Json, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(artifact.get(key) for key in keys) for artifact in response["artifacts"]]


def assert_files_of(user: UserClient, response: Json) -> None:
    """Check that all artifacts of the response are in My Files, with the same text."""
    listed = user.request("GET", "/api/files", params={"session_id": response["session_id"]}).json()["files"]
    my_files = {(file["file_key"], file["name"], file["mime"], file["size"], file["source"]) for file in listed}
    assert my_files == {
        (*fields, "generated") for fields in artifact_fields(response, "file_key", "name", "mime", "size")
    }
    for artifact in response["artifacts"]:
        if artifact["content"] is not None:
            assert download(user, artifact) == artifact["content"].encode()
            assert artifact["size"] == len(artifact["content"].encode())


@pytest.mark.clause("v5:model-text:for-model", "v5:bibliography:artifact")
def test_citations_become_a_bibliography_and_text_for_the_model_becomes_the_results(
    user: UserClient, server: str
) -> None:
    response = call(user, f"{server}.search_articles")
    (artifact,) = response["artifacts"]
    assert artifact["type"] == artifact["mime"] == "application/vnd.bibliography"
    assert (artifact["title"], artifact["position"]) == ("Article References", 0)
    assert artifact["id"]
    assert json.loads(artifact["content"]) == ANSWERS["search_articles"]["bibliography"]
    assert model_input(response) == ("# Search Results for: gene therapy\n\n## Vectors", {})
    assert_files_of(user, response)


@pytest.mark.clause("v5:grant:form")
def test_grant_becomes_a_markdown_artifact_with_its_metadata(user: UserClient, server: str) -> None:
    response = call(user, f"{server}.fetch_grant")
    grant = ANSWERS["fetch_grant"]["grantMarkdown"]
    (artifact,) = response["artifacts"]
    assert {key: artifact[key] for key in grant} == grant
    assert (artifact["language"], artifact["position"], artifact["mime"]) == ("markdown", 0, "text/markdown")
    assert artifact["id"]
    assert model_input(response) == ("R01 grant of three years.", ANSWERS["fetch_grant"]["content"][0]["metadata"])
    assert_files_of(user, response)


@pytest.mark.clause("v5:grant:form")
def test_grant_without_a_title_gets_the_default_title(user: UserClient, server: str) -> None:
    response = call(user, f"{server}.fetch_untitled_grant")
    assert artifact_fields(response, "title", "content", "metadata") == [("NIH Grant Details", "# No title", None)]


@pytest.mark.clause("v5:graph:artifact")
def test_knowledge_graph_keeps_its_id_title_and_content(user: UserClient, server: str) -> None:
    response = call(user, f"{server}.find_relations")
    graph = ANSWERS["find_relations"]["artifacts"][0]
    (artifact,) = response["artifacts"]
    assert {key: artifact[key] for key in graph} == graph
    assert (artifact["position"], artifact["mime"]) == (0, "application/vnd.knowledge-graph")
    assert model_input(response) == ("Two nodes, one edge.", {})
    assert_files_of(user, response)


@pytest.mark.clause("v5:artifacts:position")
def test_all_shapes_of_one_answer_are_artifacts_in_order(user: UserClient, server: str) -> None:
    response = call(user, f"{server}.all_of_it")
    graph, script = ANSWERS["all_of_it"]["artifacts"]
    grant = ANSWERS["all_of_it"]["grantMarkdown"]
    assert artifact_fields(response, "position", "type", "title", "content", "language", "metadata") == [
        (0, graph["type"], "Relations", graph["content"], None, None),
        (1, script["type"], "Query", "print(1)\n", "python", {"lines": 1}),
        (2, "application/vnd.bibliography", "Article References", '[{"pmid":"1"}]', None, None),
        (3, "text/markdown", "Call", "# Call", "markdown", grant["metadata"]),
    ]
    ids = [artifact["id"] for artifact in response["artifacts"]]
    assert ids[:2] == [graph["id"], script["id"]]
    assert len(set(ids)) == len(ids)
    assert model_input(response) == ("First words.\n\nLast words.", {"statusCode": 200})
    assert_files_of(user, response)


@pytest.mark.clause("v5:flow:unknown-keys")
@needs_node
def test_answer_filtered_by_the_sdk_for_node_keeps_its_artifacts(user: UserClient) -> None:
    """The SDK's current Server removes only ``forModel`` and ``metadata``, from content blocks."""
    unfiltered, checked = (call(user, f"{server}.all_of_it") for server in ("node", "node_checked"))
    keys = ("position", "type", "title", "name", "mime", "content", "language", "metadata")
    assert artifact_fields(checked, *keys) == artifact_fields(unfiltered, *keys)
    assert model_input(checked) == ("First words.\n\nLast words.", {})


@pytest.mark.clause("mcp:content:media", "mcp:content:resources", "mcp:content:links")
def test_content_blocks_with_files_become_artifacts(user: UserClient, server: str) -> None:
    response = call(user, f"{server}.illustrate")
    assert [(*fields, download(user, artifact)) for fields, artifact in _with_name_and_mime(response)] == [
        ("image-2.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("audio-3.wav", "audio/wav", b"RIFF"),
        ("plan.md", "text/markdown", b"# Plan"),
        ("rows-7.pdf", "application/pdf", b"%PDF-"),
        ("table.csv", "text/csv", b"a,b\n"),
        ("paper.pdf.link.txt", "text/uri-list", b"https://papers.example/7.pdf"),
    ]
    assert response["artifacts"][-1]["title"] == "The Paper"
    assert model_input(response) == ("See the files.", {})
    assert_files_of(user, response)


def test_content_blocks_and_linked_file_of_a_fastmcp_tool_become_artifacts(
    user: UserClient,
) -> None:
    response = call(user, "artifacts.content_blocks")
    assert [(*fields, download(user, artifact)) for fields, artifact in _with_name_and_mime(response)] == [
        ("image-2.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("audio-3.wav", "audio/wav", b"RIFF"),
        ("plan.md", "text/plain", b"# Plan"),
        ("linked.csv", "text/csv", b"a,b\n"),
    ]
    assert response["artifacts"][-1]["title"] == "Linked"
    assert model_input(response) == ("See the files.", {})
    assert_files_of(user, response)


def _with_name_and_mime(response: Json) -> list[tuple[tuple[Any, ...], Json]]:
    return list(zip(artifact_fields(response, "name", "mime"), response["artifacts"], strict=True))


@pytest.mark.clause("v1:extract:wrapped-text")
def test_contract_object_as_json_text_keeps_its_artifacts(user: UserClient) -> None:
    response = call(user, "artifacts.contract_as_text")
    assert model_input(response) == ({"files": 1}, {"rows": 3})
    assert artifact_fields(response, "name", "mime", "description") == [("table.csv", "text/csv", "A table")]
    assert download(user, response["artifacts"][0]) == b"a,b\n1,2\n"
    assert (response["display"]["open_canvas"], response["display"]["primary_file"]) == (True, "table.csv")


@pytest.mark.clause("v5:flow:final-response")
def test_text_up_to_64_kb_is_in_the_response_and_longer_text_only_behind_a_link(user: UserClient) -> None:
    max_bytes = 64 * 1024
    short, long = (
        call(user, "artifacts.long_text", characters=size)["artifacts"][0] for size in (max_bytes, max_bytes + 1)
    )
    assert (short["content"], long["content"]) == ("x" * max_bytes, None)
    assert (long["id"], long["type"], long["title"], long["size"]) == ("long-1", "text/markdown", "Long", max_bytes + 1)
    assert download(user, long) == b"x" * (max_bytes + 1)

"""Whatever shape a real server gives its answer, the whole of it comes back: in the response and in My Files."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.conftest import SERVERS
from tests.e2e.person import Json, Person, fetch
from tests.e2e.system import System

ROOT = Path(__file__).parents[2]
ANSWERS: Json = json.loads((SERVERS.parent / "spec5/answers.json").read_text(encoding="utf-8"))

# CI has Node, so that there nothing is skipped in silence.
NO_NODE = shutil.which("node") is None or not (ROOT / "node_modules/@modelcontextprotocol/sdk").is_dir()
needs_node = pytest.mark.skipif(
    NO_NODE and "CI" not in os.environ, reason="no Node, or its packages are not installed (make test does that)"
)
WHOLE = ["raw", pytest.param("node", marks=needs_node)]
"""The same answers as bare JSON-RPC, and by way of the SDK for Node; both bring all of them over the wire."""


@pytest.fixture(params=WHOLE)
def server(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def person(system: System) -> Person:
    """One person for all of it, in whose runners the servers stay warm; each call has a session of its own."""
    return Person(system.url, "shapes@example.com")


def call(person: Person, tool: str, **arguments: object) -> Json:
    """Call one tool in a session of its own; return the final response."""
    response = person.ask(person.session(), f"/{tool} {json.dumps(arguments)}")
    assert [one["is_error"] for one in response["tool_calls"]] == [False], response["tool_calls"]
    return response


def said(response: Json) -> tuple[Any, Json]:
    """What the model was given: the results, and the facts beside them."""
    (one,) = response["tool_calls"]
    return one["results"], one["meta_data"] or {}


def fetched(person: Person, artifact: Json) -> bytes:
    """The file behind an artifact, by its link alone."""
    answer = fetch(person.url + artifact["download_url"])
    assert answer.status_code == httpx2.codes.OK
    return answer.content


def shown(response: Json, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(artifact.get(key) for key in keys) for artifact in response["artifacts"]]


def assert_files_of(person: Person, response: Json) -> None:
    """Everything in the response is in My Files, too, and its text is what the response says."""
    listed = person.call("GET", "/api/files", params={"session_id": response["session_id"]}).json()["files"]
    mine = {(file["file_key"], file["name"], file["mime"], file["size"], file["source"]) for file in listed}
    assert mine == {(*one, "generated") for one in shown(response, "file_key", "name", "mime", "size")}
    for artifact in response["artifacts"]:
        if artifact["content"] is not None:
            assert fetched(person, artifact) == artifact["content"].encode()
            assert artifact["size"] == len(artifact["content"].encode())


@pytest.mark.clause("v5:model-text:for-model", "v5:bibliography:artifact")
def test_citations_come_as_a_bibliography_and_the_text_for_the_model_as_results(person: Person, server: str) -> None:
    response = call(person, f"{server}.search_articles")
    (artifact,) = response["artifacts"]
    assert artifact["type"] == artifact["mime"] == "application/vnd.bibliography"
    assert (artifact["title"], artifact["position"]) == ("Article References", 0)
    assert artifact["id"]
    assert json.loads(artifact["content"]) == ANSWERS["search_articles"]["bibliography"]
    assert said(response) == ("# Search Results for: gene therapy\n\n## Vectors", {})
    assert_files_of(person, response)


@pytest.mark.clause("v5:grant:form")
def test_a_grant_comes_as_markdown_with_its_metadata(person: Person, server: str) -> None:
    response = call(person, f"{server}.fetch_grant")
    grant = ANSWERS["fetch_grant"]["grantMarkdown"]
    (artifact,) = response["artifacts"]
    assert {key: artifact[key] for key in grant} == grant
    assert (artifact["language"], artifact["position"], artifact["mime"]) == ("markdown", 0, "text/markdown")
    assert artifact["id"]
    assert said(response) == ("R01 grant of three years.", ANSWERS["fetch_grant"]["content"][0]["metadata"])
    assert_files_of(person, response)


@pytest.mark.clause("v5:grant:form")
def test_a_grant_without_a_title_gets_the_specified_one(person: Person, server: str) -> None:
    response = call(person, f"{server}.fetch_untitled_grant")
    assert shown(response, "title", "content", "metadata") == [("NIH Grant Details", "# No title", None)]


@pytest.mark.clause("v5:graph:artifact")
def test_a_knowledge_graph_keeps_its_own_id_title_and_content(person: Person, server: str) -> None:
    response = call(person, f"{server}.find_relations")
    graph = ANSWERS["find_relations"]["artifacts"][0]
    (artifact,) = response["artifacts"]
    assert {key: artifact[key] for key in graph} == graph
    assert (artifact["position"], artifact["mime"]) == (0, "application/vnd.knowledge-graph")
    assert said(response) == ("Two nodes, one edge.", {})
    assert_files_of(person, response)


@pytest.mark.clause("v5:artifacts:position")
def test_all_shapes_of_one_answer_come_in_order(person: Person, server: str) -> None:
    response = call(person, f"{server}.all_of_it")
    graph, script = ANSWERS["all_of_it"]["artifacts"]
    grant = ANSWERS["all_of_it"]["grantMarkdown"]
    assert shown(response, "position", "type", "title", "content", "language", "metadata") == [
        (0, graph["type"], "Relations", graph["content"], None, None),
        (1, script["type"], "Query", "print(1)\n", "python", {"lines": 1}),
        (2, "application/vnd.bibliography", "Article References", "[]", None, None),
        (3, "text/markdown", "Call", "# Call", "markdown", grant["metadata"]),
    ]
    ids = [artifact["id"] for artifact in response["artifacts"]]
    assert ids[:2] == [graph["id"], script["id"]]
    assert len(set(ids)) == len(ids)
    assert said(response) == ("First words.\n\nLast words.", {"statusCode": 200})
    assert_files_of(person, response)


@pytest.mark.clause("v5:flow:unknown-keys")
@needs_node
def test_what_the_sdk_for_node_leaves_of_an_answer_is_kept(person: Person) -> None:
    """Its current Server takes ``forModel`` and ``metadata`` out of content blocks, and leaves all else."""
    whole, checked = (call(person, f"{server}.all_of_it") for server in ("node", "node_checked"))
    keys = ("position", "id", "type", "title", "name", "mime", "content", "language", "metadata")
    assert shown(checked, *keys) == shown(whole, *keys)
    assert said(checked) == ("First words.\n\nLast words.", {})


@pytest.mark.clause("mcp:content:media")
def test_content_blocks_that_are_files_become_artifacts(person: Person, server: str) -> None:
    response = call(person, f"{server}.illustrate")
    assert [(*one, fetched(person, artifact)) for one, artifact in _named(response)] == [
        ("image-2.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("audio-3.wav", "audio/wav", b"RIFF"),
        ("plan.md", "text/markdown", b"# Plan"),
        ("7.pdf", "application/pdf", b"%PDF-"),
        ("table.csv", "text/csv", b"a,b\n"),
        ("paper.pdf.link.txt", "text/uri-list", b"https://papers.example/7.pdf"),
    ]
    assert response["artifacts"][-1]["title"] == "The Paper"
    assert said(response) == ("See the files.", {})
    assert_files_of(person, response)


def test_content_blocks_of_a_fastmcp_tool_become_artifacts_and_a_link_to_its_own_file_that_file(
    person: Person,
) -> None:
    response = call(person, "author.blocks")
    assert [(*one, fetched(person, artifact)) for one, artifact in _named(response)] == [
        ("image-2.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("audio-3.wav", "audio/wav", b"RIFF"),
        ("plan.md", "text/plain", b"# Plan"),
        ("linked.csv", "text/csv", b"a,b\n"),
    ]
    assert response["artifacts"][-1]["title"] == "Linked"
    assert said(response) == ("See the files.", {})
    assert_files_of(person, response)


def _named(response: Json) -> list[tuple[tuple[Any, ...], Json]]:
    return list(zip(shown(response, "name", "mime"), response["artifacts"], strict=True))


@pytest.mark.clause("v1:extract:wrapped-text")
def test_a_tool_that_returns_the_contract_as_text_keeps_its_artifacts(person: Person) -> None:
    response = call(person, "author.as_text")
    assert said(response) == ({"made": 1}, {"rows": 3})
    assert shown(response, "name", "mime", "description") == [("table.csv", "text/csv", "A table")]
    assert fetched(person, response["artifacts"][0]) == b"a,b\n1,2\n"
    assert (response["display"]["open_canvas"], response["display"]["primary_file"]) == (True, "table.csv")


@pytest.mark.clause("v5:flow:final-response")
def test_text_of_up_to_64_kb_comes_with_the_response_and_more_by_link(person: Person) -> None:
    most = 64 * 1024
    short, long = (call(person, "author.long_text", characters=size)["artifacts"][0] for size in (most, most + 1))
    assert (short["content"], long["content"]) == ("x" * most, None)
    assert (long["id"], long["type"], long["title"], long["size"]) == ("long-1", "text/markdown", "Long", most + 1)
    assert fetched(person, long) == b"x" * (most + 1)

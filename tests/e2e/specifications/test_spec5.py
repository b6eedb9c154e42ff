"""Specification 5, MCP Artifact Creation and Processing: each printed example and rule, seen by user and model."""

import json
from typing import Any

import pytest

from tests.e2e.specifications.chat import Chat, Turn
from tests.e2e.user_client import Json

URL = "https://grants.example/r01"
GRANT_METADATA = {"source": URL, "contentType": "text/html", "convertedAt": "2026-03-01T12:00:00.000Z"}
MAX_CONTENT_BYTES = 64 * 1024


def fields_of(artifact: Json, *names: str) -> tuple[Any, ...]:
    return tuple(artifact[name] for name in names)


def assert_stored(turn: Turn, chat: Chat) -> None:
    """Check that each artifact of the turn can be downloaded and is in My Files, with its content."""
    stored = {file["file_key"]: file for file in chat.files()}
    for artifact in turn.artifacts:
        assert turn.download(artifact).decode() == artifact["content"]
        names = ("name", "mime", "size")
        assert fields_of(stored[artifact["file_key"]], *names) == fields_of(artifact, *names)


@pytest.mark.clause("v5:bibliography:artifact", "v5:bibliography:form", "v5:bibliography:no-metadata")
@pytest.mark.clause("v5:model-text:for-model", "v5:flow:stored", "v5:flow:final-response", "v5:flow:unknown-keys")
def test_citations_become_article_references_and_the_text_goes_to_the_model(chat: Chat) -> None:
    turn = chat.call("spec5.search_articles", {"query": "gene therapy"})
    (artifact,) = turn.artifacts
    assert fields_of(artifact, "type", "title", "position", "metadata") == (
        "application/vnd.bibliography",
        "Article References",
        0,
        None,
    )
    assert artifact["id"]
    citations = json.loads(artifact["content"])
    assert [citation["pmid"] for citation in citations] == ["31234567", "33445566"]
    assert citations[0]["authors"] == ["Ōta K", "Müller A"]
    words = "# Search Results for: gene therapy\n\n## Vectors of gene therapy"
    assert (turn.call["results"], turn.tool_result["results"]) == (words, words)
    assert "31234567" not in turn.tool_texts[0]
    assert_stored(turn, chat)


@pytest.mark.clause("v5:grant:artifact", "v5:grant:form", "v5:grant:metadata", "v5:model-text:metadata")
def test_grant_becomes_markdown_with_its_metadata_and_a_summary_for_the_model(chat: Chat) -> None:
    turn = chat.call("spec5.fetch_grant", {"url": URL})
    (artifact,) = turn.artifacts
    assert fields_of(artifact, "type", "title", "position", "language", "metadata") == (
        "text/markdown",
        "NIH Grant Details",
        0,
        "markdown",
        GRANT_METADATA,
    )
    assert artifact["content"] == f"# R01\n\nThree years, 1 200 000 €.\n\n{URL}"
    facts = {"url": URL, "contentType": "text/html", "statusCode": 200}
    assert turn.tool_result["results"] == "R01 grant of three years."
    assert (turn.call["meta_data"], turn.tool_result["meta_data"]) == (facts, facts)
    assert "1 200 000" not in turn.tool_texts[0]
    assert_stored(turn, chat)


@pytest.mark.clause("v5:grant:form")
def test_grant_without_title_is_called_nih_grant_details(chat: Chat) -> None:
    (artifact,) = chat.call("spec5.fetch_grant_parts", {"title": "", "content": "# Call"}).artifacts
    assert fields_of(artifact, "title", "content", "metadata") == ("NIH Grant Details", "# Call", None)


@pytest.mark.clause("v5:grant:content")
def test_grant_without_content_makes_no_file_and_is_reported(chat: Chat) -> None:
    turn = chat.call("spec5.fetch_grant_parts", {"title": "Call", "content": ""})
    assert (turn.artifacts, chat.files()) == ([], [])
    assert len(turn.call["meta_data"]["artifact_problems"]) == 1
    assert turn.response["display"]["open_canvas"] is False


@pytest.mark.clause("v5:graph:artifact", "v5:graph:no-metadata")
def test_knowledge_graph_keeps_its_type_id_title_and_content(chat: Chat) -> None:
    turn = chat.call("spec5.draw_graph", {"gene": "TP53"})
    (artifact,) = turn.artifacts
    assert fields_of(artifact, "type", "id", "title", "position", "metadata") == (
        "application/vnd.knowledge-graph",
        "graph-of-TP53",
        "Knowledge Graph",
        0,
        None,
    )
    assert json.loads(artifact["content"])["edges"] == [{"from": "TP53", "to": "MDM2"}]
    assert turn.tool_result["results"] == "Two nodes, one edge."
    assert_stored(turn, chat)


@pytest.mark.clause("v5:artifacts:position", "v5:artifacts:unique-ids", "v5:flow:final-response")
def test_artifacts_of_three_servers_in_a_turn_are_in_the_response_in_order(chat: Chat) -> None:
    turn = chat.call_all(
        ("spec5.search_articles", {"query": "p53"}),
        ("spec5.fetch_grant", {"url": URL}),
        ("spec5.draw_graph", {"gene": "TP53"}),
    )
    assert [fields_of(artifact, "position", "title") for artifact in turn.artifacts] == [
        (0, "Article References"),
        (1, "NIH Grant Details"),
        (2, "Knowledge Graph"),
    ]
    assert len({artifact["id"] for artifact in turn.artifacts}) == 3
    assert_stored(turn, chat)


@pytest.mark.clause("v2.1:artifacts:same-turn", "v5:artifacts:unique-ids")
@pytest.mark.parametrize(
    ("tool", "argument", "values"),
    [
        ("search_articles", "query", ["p53", "MDM2"]),
        ("fetch_grant", "url", [URL, f"{URL}?year=2"]),
        ("draw_graph", "gene", ["TP53", "BRCA1", "EGFR"]),
    ],
    ids=["bibliographies", "grants", "knowledge graphs"],
)
def test_answers_of_one_title_in_a_turn_are_all_in_the_response(
    tool: str, argument: str, values: list[str], chat: Chat
) -> None:
    turn = chat.call_all(*((f"spec5.{tool}", {argument: value}) for value in values))
    assert len({artifact["id"] for artifact in turn.artifacts}) == len(values)
    contents = [turn.download(artifact).decode() for artifact in turn.artifacts]
    assert all(value in content for value, content in zip(values, contents, strict=True)), contents
    assert len(chat.files()) == len(values)


@pytest.mark.clause("v5:artifacts:empty", "v2.1:artifacts:failed-call")
@pytest.mark.parametrize("failures", [1, 0], ids=["failed search", "empty search"])
def test_search_without_citations_leaves_earlier_references_unchanged(failures: int, chat: Chat) -> None:
    first = chat.call("spec5.search_articles", {"query": "p53"})
    second = chat.call("spec5.search_in_vain", {"failures": failures})
    assert (second.artifacts, second.file_updates(), second.response["display"]["open_canvas"]) == ([], [], False)
    (file,) = chat.files()
    assert json.loads(first.download(first.artifacts[0]))[0]["title"] == "Vectors of p53"
    assert file["size"] == first.artifacts[0]["size"]


@pytest.mark.clause("v5:model-text:for-model")
def test_text_that_is_not_marked_for_the_model_is_not_part_of_the_results(chat: Chat) -> None:
    turn = chat.call("spec5.mark_for_model")
    assert (turn.call["results"], turn.tool_result["results"]) == ("For the model.", "For the model.")
    assert "For others." not in turn.tool_texts[0]


@pytest.mark.clause("v5:artifacts:binary-content")
def test_base64_content_of_a_binary_type_becomes_the_binary_file(chat: Chat) -> None:
    turn = chat.call("spec5.plot")
    (artifact,) = turn.artifacts
    assert fields_of(artifact, "id", "title", "mime", "viewer", "content") == (
        "plot-1",
        "Plot",
        "image/png",
        "image",
        None,
    )
    assert turn.download(artifact).startswith(b"\x89PNG\r\n")
    assert "iVBORw0" not in json.dumps(turn.events) + turn.model_texts


@pytest.mark.clause("v5:artifacts:json-content")
def test_content_that_is_json_becomes_json_text(chat: Chat) -> None:
    turn = chat.call("spec5.give_structured_content")
    assert json.loads(turn.download(turn.artifacts[0])) == {"rows": [1, 2]}
    assert json.loads(turn.artifacts[0]["content"]) == {"rows": [1, 2]}


@pytest.mark.clause("v5:artifacts:unique-ids", "v5:artifacts:identity")
def test_artifact_without_identity_gets_an_id_of_its_own_in_each_turn(chat: Chat) -> None:
    first, second = (chat.call("spec5.write_note", {"note": "Remember."}).artifacts[0] for _ in range(2))
    assert all(artifact["id"] and artifact["title"] and artifact["position"] == 0 for artifact in (first, second))
    assert first["id"] != second["id"]


@pytest.mark.clause("v5:artifacts:facts")
def test_language_and_metadata_of_an_artifact_are_in_the_response(chat: Chat) -> None:
    turn = chat.call("spec5.write_script")
    expected = ("python", {"source": "https://scripts.example/7", "lines": 1}, "print(1)\n")
    assert fields_of(turn.artifacts[0], "language", "metadata", "content") == expected
    assert_stored(turn, chat)


@pytest.mark.clause("v5:artifacts:type-form")
def test_type_that_is_no_mime_type_is_kept_for_a_file_of_plain_text(chat: Chat) -> None:
    turn = chat.call("spec5.write_recipe")
    assert fields_of(turn.artifacts[0], "type", "mime", "content") == ("recipe", "text/plain", "Stir.")


@pytest.mark.clause("v5:flow:final-response", "v1:files:fetched-apart")
@pytest.mark.parametrize(
    ("length", "inline"), [(MAX_CONTENT_BYTES, "x" * MAX_CONTENT_BYTES), (MAX_CONTENT_BYTES + 1, None)]
)
def test_response_contains_short_text_and_a_link_to_longer_text(length: int, inline: str | None, chat: Chat) -> None:
    turn = chat.call("spec5.write_text", {"characters": length})
    assert turn.artifacts[0]["content"] == inline
    assert turn.download(turn.artifacts[0]) == b"x" * length

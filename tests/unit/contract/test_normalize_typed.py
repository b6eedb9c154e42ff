"""Normalizing typed artifacts, bibliographies, grant details and text for the model."""

import json
from typing import Any

import pytest

from satchel.contract import normalize


@pytest.mark.clause(
    "v5:model-text:for-model", "v5:bibliography:artifact", "v5:bibliography:form", "v5:bibliography:no-metadata"
)
def test_bibliography_becomes_an_artifact_and_marked_text_the_results() -> None:
    citations = [{"pmid": "1", "title": "Ü"}]
    content = [{"type": "text", "text": "# Search Results", "forModel": True}]
    output = normalize({"content": content, "bibliography": citations, "isError": False})
    (artifact,) = output.artifacts
    assert output.results == "# Search Results"
    assert artifact.content == '[{"pmid":"1","title":"Ü"}]'
    assert (artifact.type, artifact.title, artifact.position) == (
        "application/vnd.bibliography",
        "Article References",
        0,
    )
    assert (artifact.mime, artifact.name) == ("application/vnd.bibliography", "Article References.json")
    assert artifact.id is None
    assert "metadata" not in artifact.model_fields_set


@pytest.mark.clause("v5:grant:artifact", "v5:model-text:metadata", "v5:grant:form")
def test_grant_becomes_an_artifact_with_its_metadata() -> None:
    metadata = {"source": "https://x.example", "contentType": "text/html"}
    grant = {"type": "text/markdown", "title": "A grant", "content": "# G", "metadata": metadata}
    content = [{"type": "text", "text": "short", "forModel": True, "metadata": {"statusCode": 200}}]
    output = normalize({"content": content, "grantMarkdown": grant, "isError": False})
    (artifact,) = output.artifacts
    assert (artifact.title, artifact.content, artifact.language, artifact.metadata) == (
        "A grant",
        "# G",
        "markdown",
        metadata,
    )
    assert (artifact.mime, artifact.name) == ("text/markdown", "A grant.md")
    assert output.meta_data == {"statusCode": 200}


@pytest.mark.clause("v5:grant:form")
def test_grant_without_title_has_the_default_title() -> None:
    output = normalize({"content": [], "grantMarkdown": {"content": "x"}, "isError": False})
    assert [(item.title, item.type) for item in output.artifacts] == [("NIH Grant Details", "text/markdown")]
    assert [item.title for item in normalize({"results": 1, "grantMarkdown": "x"}).artifacts] == ["NIH Grant Details"]


@pytest.mark.clause("v5:grant:content")
def test_grant_without_content_is_reported_as_a_problem() -> None:
    output = normalize({"content": [], "grantMarkdown": {"title": "Empty"}, "isError": False})
    assert [(item.name, item.reason) for item in output.problems] == [("Empty", "no content")]


@pytest.mark.clause("v5:graph:artifact")
def test_knowledge_graph_keeps_its_id_type_title_and_content() -> None:
    graph = {
        "type": "application/vnd.knowledge-graph",
        "id": "0e9f",
        "title": "Knowledge Graph",
        "content": json.dumps({"nodes": [{"id": "a"}, {"id": "b"}]}),
    }
    output = normalize({"content": [{"type": "text", "text": "two nodes"}], "artifacts": [graph], "isError": False})
    (artifact,) = output.artifacts
    assert {key: getattr(artifact, key) for key in graph} == graph
    assert (artifact.name, artifact.position, output.results) == ("Knowledge Graph.json", 0, "two nodes")


@pytest.mark.clause("v5:artifacts:position", "v5:artifacts:identity")
def test_positions_are_unique_in_a_result() -> None:
    typed = {"type": "text/html", "title": "Page", "content": "<p>", "language": "html"}
    output = normalize(
        {
            "content": [],
            "artifacts": [typed, typed],
            "bibliography": [{}],
            "grantMarkdown": {"content": "x"},
            "isError": False,
        }
    )
    assert [item.position for item in output.artifacts] == [0, 1, 2, 3]


@pytest.mark.clause("v5:artifacts:json-content")
def test_json_content_is_converted_to_text() -> None:
    item = {"type": "application/vnd.knowledge-graph", "title": "G", "content": {"nodes": [1]}}
    assert normalize({"content": [], "artifacts": [item], "isError": False}).artifacts[0].content == '{"nodes":[1]}'


@pytest.mark.clause("v5:artifacts:type-form")
def test_type_that_is_not_a_mime_type_is_kept_for_a_text_file() -> None:
    item = {"type": "code", "title": "a/b", "content": "x = 1", "language": "python"}
    (artifact,) = normalize({"results": 1, "artifacts": [item]}).artifacts
    assert (artifact.type, artifact.mime, artifact.name, artifact.language) == (
        "code",
        "text/plain",
        "a-b.txt",
        "python",
    )


@pytest.mark.clause("v5:model-text:for-model")
def test_unmarked_text_is_excluded_if_other_text_is_marked() -> None:
    content = [{"type": "text", "text": "for you", "forModel": True}, {"type": "text", "text": "for the user"}]
    assert normalize({"content": content}).results == "for you"


EMPTY = "it is empty, so no file was stored"
GRAPH = {"type": "application/vnd.knowledge-graph", "title": "Graph"}


@pytest.mark.clause("v5:artifacts:empty", "v5:grant:content")
@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"bibliography": []}, "Article References"),
        ({"grantMarkdown": ""}, "NIH Grant Details"),
        ({"grantMarkdown": {"title": "R01", "content": " \n"}}, "R01"),
        ({"artifacts": [GRAPH | {"content": ""}]}, "Graph"),
        ({"artifacts": [GRAPH | {"content": "{}"}]}, "Graph"),
        ({"artifacts": [GRAPH | {"content": {}}]}, "Graph"),
        ({"artifacts": [GRAPH | {"content": "[]"}]}, "Graph"),
        ({"artifacts": [GRAPH | {"content": '{"nodes": [], "edges": [], "query": "BRCA1"}'}]}, "Graph"),
        ({"artifacts": [GRAPH | {"type": "application/vnd.bibliography", "content": []}]}, "Graph"),
    ],
)
def test_empty_typed_artifact_is_reported_and_not_stored(fields: dict[str, Any], name: str) -> None:
    output = normalize({"content": [], "isError": False, **fields})
    assert output.artifacts == []
    assert [(problem.name, problem.reason) for problem in output.problems] == [(name, EMPTY)]


@pytest.mark.parametrize(
    "content", ['{"nodes": [{"id": 1}], "edges": []}', '{"format": "dot"}', "not JSON", "[[]]", '{"n": 0}']
)
def test_knowledge_graph_with_any_content_is_stored(content: str) -> None:
    output = normalize({"content": [], "isError": False, "artifacts": [GRAPH | {"content": content}]})
    assert [artifact.content for artifact in output.artifacts] == [content]
    assert output.problems == []

"""Tests of parsing an output: the JSON path of each finding shows where the parser found the payload."""

import json
from typing import Any

import pytest

from local.lint.linter import lint_output

FAULTY = {"results": 1, "artifacts": [{"name": "a.txt", "b64": "QQ=="}]}
TEXT = json.dumps(FAULTY)
MARKED = {"fastmcp": {"wrap_result": True}}
Json = dict[str, Any]


def text(value: str, **more: object) -> Json:
    return {"type": "text", "text": value, **more}


@pytest.mark.parametrize(
    ("answer", "where"),
    [
        (FAULTY, "$.artifacts[0]"),
        (TEXT, "$.artifacts[0]"),
        ({"structuredContent": FAULTY, "content": [text(TEXT)]}, "$.structuredContent.artifacts[0]"),
        ({"structured_content": FAULTY, "data": FAULTY, "content": []}, "$.structured_content.artifacts[0]"),
        ({"content": [text("Made."), text(TEXT)]}, "$.content[1].text.artifacts[0]"),
        ([text(TEXT)], "$[0].text.artifacts[0]"),
        ({"data": FAULTY, "content": []}, "$.data.artifacts[0]"),
        (
            {"structuredContent": {"result": TEXT}, "_meta": MARKED, "content": [text(TEXT)]},
            "$.structuredContent.result.artifacts[0]",
        ),
        (
            {"structuredContent": {"result": TEXT}, "content": [text(TEXT)]},
            "$.structuredContent.result.artifacts[0]",
        ),
        ({"jsonrpc": "2.0", "id": 1, "result": {"content": [text(TEXT)]}}, "$.result.content[0].text.artifacts[0]"),
        ({"content": [text("For you.", forModel=True)], **FAULTY}, "$.artifacts[0]"),
        ({"content": [text("Made.")], "artifacts": FAULTY["artifacts"]}, "$.artifacts[0]"),
        (
            {"structuredContent": {"content": [text(TEXT)], "isError": False}, "content": []},
            "$.structuredContent.content[0].text.artifacts[0]",
        ),
    ],
)
def test_finding_has_the_json_path_of_its_field(answer: object, where: str) -> None:
    assert [(finding.clause, finding.where) for finding in lint_output(answer)] == [
        ("v2.1:artifacts:mime-required", where)
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"structuredContent": {"result": [1, 2]}, "_meta": MARKED, "content": [text("1"), text("2")]},
        {"structuredContent": {"result": [1, 2]}, "content": [text("[1, 2]")]},
    ],
)
def test_wrapper_of_the_server_is_not_part_of_the_payload(answer: Json) -> None:
    assert [(finding.clause, finding.where) for finding in lint_output(answer)] == [
        ("v1:output:no-list", "$.structuredContent.result")
    ]


def test_output_schema_can_mark_the_wrapper() -> None:
    answer = {"structuredContent": {"result": 5}, "content": []}

    (finding,) = lint_output(answer, output_schema={"x-fastmcp-wrap-result": True})
    assert finding.clause == "v1:output:object"
    (finding,) = lint_output(answer)
    assert finding.clause == "v1:results:spelling"


def test_key_with_a_space_is_quoted_in_the_json_path() -> None:
    (finding,) = lint_output({"results": {"my plot": "data:image/png;base64,QUJD"}})

    assert finding.where == '$.results["my plot"]'


def test_primary_file_can_be_any_file_of_the_output() -> None:
    image = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    output = {"results": 1, "display": {"primary_file": "image-2.png"}}

    assert lint_output({"content": [text(json.dumps(output)), image]}) == []


def test_primary_file_with_an_error_is_reported_only_once() -> None:
    (finding,) = lint_output(FAULTY | {"display": {"primary_file": "a.txt"}})

    assert finding.clause == "v2.1:artifacts:mime-required"

"""Normalizing results: finding the payload and converting it."""

import json
import logging
from dataclasses import dataclass, field
from typing import Any

import pytest

from satchel.contract import ContractError, ToolOutput, normalize

PAYLOAD = {"operation": "evaluate", "expression": "234*97", "result": 22698}


def text(value: str, **more: object) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def wrapped(value: object) -> dict[str, Any]:
    content = [text(value if isinstance(value, str) else json.dumps(value))]
    return {"_meta": {"fastmcp": {"wrap_result": True}}, "content": content, "structuredContent": {"result": value}}


@pytest.mark.clause("v1:extract:structured-first", "v1:extract:wrap", "v4:results:dictionary")
def test_structured_content_takes_precedence_over_text() -> None:
    raw = {"content": [text('{"other": 1}')], "structuredContent": PAYLOAD, "isError": False}
    assert normalize(raw).envelope() == {"results": PAYLOAD}


@pytest.mark.clause("v1:extract:unchanged", "v2:migration:results-only")
def test_payload_with_results_is_not_wrapped_again() -> None:
    assert normalize({"structuredContent": {"results": {"a": 1}}}).envelope() == {"results": {"a": 1}}


@pytest.mark.clause("v1:output:same-data")
def test_data_that_differs_from_structured_content_logs_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="satchel.contract"):
        output = normalize({"content": [], "structured_content": {"a": 1}, "data": {"a": 2}, "is_error": False})
    assert output.results == {"a": 1}
    assert "'data'" in caplog.text


def test_data_that_equals_structured_content_logs_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    normalize({"content": [], "structured_content": {"a": 1}, "data": {"a": 1}})
    normalize({**wrapped("x"), "data": "x"})
    assert not caplog.records


def test_data_is_the_payload_if_there_is_no_other() -> None:
    assert normalize({"content": [], "structured_content": None, "data": {"a": 1}}).results == {"a": 1}


@pytest.mark.clause("v2:results:any-json")
def test_marked_wrapper_is_removed() -> None:
    assert [normalize(wrapped(value)).results for value in (0, False, [1], "plain", None)] == [
        0,
        False,
        [1],
        "plain",
        None,
    ]


def test_wrapper_marked_only_by_the_output_schema_is_removed() -> None:
    raw = {"content": [text("5")], "structuredContent": {"result": 5}}
    assert normalize(raw, output_schema={"x-fastmcp-wrap-result": True}).results == 5
    assert normalize(raw, output_schema={"type": "object"}).results == {"result": 5}


@pytest.mark.clause("v1:extract:wrapped-text")
def test_wrapped_contract_json_is_parsed() -> None:
    contract_json = json.dumps(
        {"results": {"n": 1}, "artifacts": [{"name": "a.txt", "b64": "QUJD", "mime": "text/plain"}]}
    )
    output = normalize(wrapped(contract_json))
    assert output.results == {"n": 1}
    assert [item.inline_bytes() for item in output.artifacts] == [b"ABC"]


def test_wrapped_json_outside_the_contract_stays_text() -> None:
    assert [normalize(wrapped(value)).results for value in ("12345", '{"a": 1}')] == ["12345", '{"a": 1}']


def test_unmarked_object_with_the_single_key_result_is_not_unwrapped() -> None:
    raw = {"content": [text('{"result": "x"}')], "structuredContent": {"result": "x"}}
    assert normalize(raw).results == {"result": "x"}


@pytest.mark.clause("v1:extract:wrapped-text")
def test_unmarked_wrapper_of_contract_json_is_removed() -> None:
    contract_json = '{"results": 1, "retryable": true}'
    output = normalize({"content": [text(contract_json)], "structuredContent": {"result": contract_json}})
    assert output.envelope() == {"results": 1, "retryable": True}


@pytest.mark.clause("v1:extract:json-text")
def test_first_json_text_is_the_payload() -> None:
    output = normalize({"content": [text("Here you are:"), text('{"a": 1}'), text('{"b": 2}')]})
    assert output.results == {"a": 1}
    assert output.unknown == {"content": [text("Here you are:"), text('{"b": 2}')]}


@pytest.mark.clause("v1:extract:plain-text")
def test_plain_texts_are_joined_by_blank_lines() -> None:
    assert normalize({"content": [text("one"), text("two")]}).envelope() == {"results": "one\n\ntwo"}


@pytest.mark.clause("v1:results:falsy", "v2:results:any-json")
@pytest.mark.parametrize("value", [0, False, [], "", None, {}])
def test_falsy_results_are_unchanged(value: object) -> None:
    assert normalize({"structuredContent": {"results": value}}).envelope() == {"results": value}


FASTMCP_EMPTY = {"content": [text("{}")], "structuredContent": {}, "isError": False}


@pytest.mark.clause("v1:output:not-empty")
@pytest.mark.parametrize("raw", [None, {}, {"content": []}, {"content": [], "isError": False}, FASTMCP_EMPTY])
def test_empty_result_becomes_null(raw: object) -> None:
    assert normalize(raw).envelope() == {"results": None}


@pytest.mark.clause("v1:output:list-kept")
def test_bare_list_becomes_the_results() -> None:
    assert normalize([1, 2]).results == [1, 2]


def test_bare_list_of_content_blocks_is_parsed_as_content() -> None:
    assert normalize([text("one"), text("two")]).results == "one\n\ntwo"


def test_bare_text_and_bytes_are_parsed_like_a_text_block() -> None:
    assert [normalize(raw).results for raw in ("hi", b"hi", '{"results": 3}')] == ["hi", "hi", 3]


def test_binary_bytes_become_an_artifact() -> None:
    assert [item.inline_bytes() for item in normalize(b"\xff\x00").artifacts] == [b"\xff\x00"]


@pytest.mark.clause("v1:extract:result-object")
def test_result_object_of_a_client_library_is_parsed_by_its_fields() -> None:
    @dataclass
    class CallToolResult:
        content: list[dict[str, Any]]
        structured_content: dict[str, Any] | None
        meta: dict[str, Any] | None = None
        data: Any = None
        is_error: bool = False

    assert normalize(CallToolResult([text("{}")], PAYLOAD, data=PAYLOAD)).envelope() == {"results": PAYLOAD}


@pytest.mark.clause("v1:meta-data:spelling")
def test_meta_data_is_accepted_in_both_spellings() -> None:
    assert normalize({"results": 1, "meta-data": {"rows": 2}}).meta_data == {"rows": 2}
    both = normalize({"results": 1, "meta-data": {"rows": 2, "old": True}, "meta_data": {"rows": 3}})
    assert both.meta_data == {"rows": 3, "old": True}


@pytest.mark.clause("v2.1:retryable:kept")
def test_missing_and_null_fields_are_not_set() -> None:
    assert normalize({"results": 1}).model_fields_set == {"results"}
    assert normalize({"results": 1, "display": None, "retryable": None, "artifacts": None}).model_fields_set == {
        "results"
    }
    output = normalize({"results": 1, "retryable": False, "artifacts": [], "meta_data": {}})
    assert output.model_fields_set == {"results", "retryable", "artifacts", "meta_data"}
    assert output.retryable is False


@pytest.mark.clause("v2.1:fields:types", "v2.1:fields:known")
def test_fields_outside_the_contract_are_stored_in_the_meta_data() -> None:
    output = normalize({"results": 1, "colour": "red", "retryable": "perhaps", "meta_data": "small"})
    assert output.meta_data == {"colour": "red", "retryable": "perhaps", "meta_data": "small"}
    assert output.retryable is None


@pytest.mark.clause("v2.1:fields:known")
@pytest.mark.parametrize(
    "raw",
    [
        {"results": 1, "data": [2], "meta_data": {"rows": 3}},
        {"content": [], "structuredContent": {"results": 1, "data": [2], "meta_data": {"rows": 3}}},
        {"content": [text("1")], "results": 1, "data": [2], "meta_data": {"rows": 3}},
    ],
)
def test_data_beside_the_results_is_stored_in_the_meta_data(raw: object) -> None:
    output = normalize(raw)
    assert (output.results, output.meta_data) == (1, {"data": [2], "rows": 3})


@pytest.mark.clause("v2.1:fields:known")
def test_field_that_mcp_does_not_define_is_stored_in_the_meta_data() -> None:
    output = normalize({"content": [text("Found")], "query": "genes", "isError": False})
    assert (output.results, output.meta_data) == ("Found", {"query": "genes"})


@pytest.mark.clause("v1:extract:wrap")
def test_remaining_fields_become_the_results_if_results_is_missing() -> None:
    files = [{"name": "a.txt", "path": "/tmp/alice/a.txt", "mime": "text/plain"}]
    assert normalize({"artifacts": files, "rows": 3}).results == {"rows": 3}
    assert normalize({"artifacts": files}).results is None
    assert [item.path for item in normalize({"artifacts": files}).artifacts] == ["/tmp/alice/a.txt"]


def test_own_data_with_contract_field_names_is_not_interpreted() -> None:
    own = {"artifacts": [{"id": 7, "url": "https://ci.example/7"}], "display": {"width": 3}, "meta_data": {"page": 1}}
    assert normalize({"structuredContent": own}).envelope() == {"results": own}


def test_top_level_results_take_precedence_over_text() -> None:
    assert normalize({"content": [text("done")], "results": {"n": 1}}).results == {"n": 1}
    files = [{"name": "a", "mime": "text/plain", "b64": ""}]
    output = normalize({"content": [text("done")], "results": 1, "artifacts": files, "colour": "red"})
    assert (len(output.artifacts), output.meta_data) == (1, {"colour": "red"})


def test_mcp_result_nested_in_structured_content_is_parsed() -> None:
    inner = {"content": [text("# Found", forModel=True)], "bibliography": [{"pmid": "1"}], "isError": False}
    output = normalize({"content": [text(json.dumps(inner))], "structuredContent": inner, "isError": False})
    assert output.results == "# Found"
    assert [item.title for item in output.artifacts] == ["Article References"]


def test_nan_and_lone_surrogates_are_replaced() -> None:
    assert normalize({"structuredContent": {"results": [float("nan"), "\ud800"]}}).results == [None, "�"]
    assert normalize({"content": [text('{"results": {"mean": NaN}, "meta_data": {"a": 1}}')]}).results == {"mean": None}
    assert normalize({"content": [text("NaN")]}).results == "NaN"


@pytest.mark.parametrize(
    ("text", "results"),
    [("a\ud800", "a\ufffd"), ('{"a\udfff": "\ud800"}', {"a\ufffd": "\ufffd"}), ("[\ud800]", "[\ufffd]")],
)
def test_text_block_with_a_lone_surrogate_is_parsed(text: str, results: object) -> None:
    assert normalize({"content": [{"type": "text", "text": text}]}).results == results


def test_deep_nesting_keeps_the_results_and_the_artifacts() -> None:
    deep: Any = "bottom"
    for _ in range(400):
        deep = [deep]
    files = [{"name": "a", "mime": "text/plain", "b64": "QUJD"}]
    output = normalize({"structuredContent": {"results": deep, "artifacts": files}})
    assert "bottom" in json.dumps(output.envelope())
    assert len(output.artifacts) == 1
    assert normalize(output.model_dump()) == output


def test_json_text_nested_too_deeply_stays_text() -> None:
    nested_json = "[" * 100_000 + "]" * 100_000
    assert normalize({"content": [text(nested_json)]}).results == nested_json


def test_value_that_contains_itself_raises_contract_error() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ContractError, match="contains itself"):
        normalize({"results": loop})


def test_huge_integers_become_hexadecimal_text() -> None:
    assert normalize({"results": 1 << 20_000}).results == hex(1 << 20_000)


def test_other_python_values_are_converted_to_json() -> None:
    @dataclass
    class Row:
        n: int = 1
        tags: set[str] = field(default_factory=lambda: {"x"})

    assert normalize({"results": [Row(), {1: (2, 3)}, b"ab"]}).results == [{"n": 1, "tags": ["x"]}, {"1": [2, 3]}, "ab"]


def test_tool_output_normalizes_to_itself() -> None:
    output = ToolOutput(results=1, meta_data={"a": 1})
    assert normalize(output) == output

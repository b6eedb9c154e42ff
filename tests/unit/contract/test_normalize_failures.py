"""Normalizing results that the server marked as errors."""

import pytest

from satchel.contract import ErrorCode, InvalidPath, ToolOutput, normalize


@pytest.mark.clause("v1:error:is-error")
def test_error_result_contains_the_message_and_is_error() -> None:
    text = "Error calling tool 'x': boom"
    output = normalize({"content": [{"type": "text", "text": text}], "isError": True})
    assert output.results == {"error": text}
    assert output.meta_data == {
        "is_error": True,
        "reason": "ToolFailed",
        "error_code": "E_TOOL_FAILED",
        "details": {},
    }
    assert (output.is_error, output.error_code) == (True, ErrorCode.E_TOOL_FAILED)


def test_error_without_text_has_a_default_message() -> None:
    assert normalize({"content": [], "isError": True}).results == {"error": "The tool reported an error"}


def test_error_that_is_already_an_envelope_keeps_its_codes() -> None:
    expected = ToolOutput.from_error(InvalidPath("/etc/passwd", "/tmp/alice/"))
    output = normalize({"content": [], "structuredContent": expected.envelope(), "isError": True})
    assert output == expected
    assert output.error_code is ErrorCode.E_INVALID_PATH


def test_structured_error_keeps_its_message_and_other_fields() -> None:
    output = normalize({"structuredContent": {"code": 7, "message": "no such table"}, "isError": True})
    assert output.results == {"error": "no such table"}
    assert output.meta_data["details"] == {"results": {"code": 7, "message": "no such table"}}


def test_failed_result_keeps_the_tools_retryable_flag() -> None:
    output = normalize({"structuredContent": {"results": "busy", "retryable": True}, "isError": True})
    assert (output.results, output.retryable, output.meta_data["retryable"]) == ({"error": "busy"}, True, True)


def test_failed_result_keeps_its_files() -> None:
    content = [{"type": "text", "text": "failed"}, {"type": "image", "data": "QUJD", "mimeType": "image/png"}]
    assert len(normalize({"content": content, "isError": True}).artifacts) == 1


def test_result_is_an_error_if_the_tools_meta_data_says_so() -> None:
    output = normalize({"results": {"error": "x"}, "meta_data": {"is_error": True, "error_code": "MINE"}})
    assert (output.is_error, output.error_code) == (True, None)


def test_result_with_is_error_false_is_not_an_error() -> None:
    assert not normalize({"content": [{"type": "text", "text": "fine"}], "isError": False}).is_error

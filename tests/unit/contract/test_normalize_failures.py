"""Results that the server marked as errors."""

import pytest

from satchel.contract import ErrorCode, InvalidPath, normalize


@pytest.mark.clause("v1:error:is-error")
def test_an_error_becomes_its_message_and_says_that_it_is_one() -> None:
    text = "Error calling tool 'x': boom"
    output = normalize({"content": [{"type": "text", "text": text}], "isError": True})
    assert output.results == {"error": text}
    assert output.meta_data == {
        "is_error": True,
        "reason": "ToolFailed",
        "error_code": "E_TOOL_FAILED",
        "details": {},
        "retryable": False,
    }
    assert (output.is_error, output.error_code) == (True, ErrorCode.E_TOOL_FAILED)


def test_an_error_without_a_word_still_has_a_message() -> None:
    assert normalize({"content": [], "isError": True}).results == {"error": "The tool reported an error"}


def test_an_error_that_is_already_an_envelope_keeps_its_own_codes() -> None:
    told = InvalidPath("/etc/passwd", "/tmp/alice/").as_output()
    output = normalize({"content": [], "structuredContent": told.envelope(), "isError": True})
    assert output == told
    assert output.error_code is ErrorCode.E_INVALID_PATH


def test_a_structured_error_gives_its_message_and_keeps_the_rest() -> None:
    output = normalize({"structuredContent": {"code": 7, "message": "no such table"}, "isError": True})
    assert output.results == {"error": "no such table"}
    assert output.meta_data["details"] == {"results": {"code": 7, "message": "no such table"}}


def test_the_tools_word_on_retrying_is_kept() -> None:
    output = normalize({"structuredContent": {"results": "busy", "retryable": True}, "isError": True})
    assert (output.results, output.retryable, output.meta_data["retryable"]) == ({"error": "busy"}, True, True)


def test_files_of_a_failed_call_are_kept() -> None:
    content = [{"type": "text", "text": "failed"}, {"type": "image", "data": "QUJD", "mimeType": "image/png"}]
    assert len(normalize({"content": content, "isError": True}).artifacts) == 1


def test_a_tool_may_say_itself_that_it_failed() -> None:
    output = normalize({"results": {"error": "x"}, "meta_data": {"is_error": True, "error_code": "MINE"}})
    assert (output.is_error, output.error_code) == (True, None)


def test_no_error_is_none() -> None:
    assert not normalize({"content": [{"type": "text", "text": "fine"}], "isError": False}).is_error

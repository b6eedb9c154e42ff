"""Tests of the rules for base64: the reasons why a text is not base64."""

from pathlib import Path

import pytest

from local.lint.findings import Severity
from local.lint.linter import lint_output
from local.lint.tool_output import CallContext
from satchel.domain.ids import UserName


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("b'QUJD'", "it is the str() of Python bytes, b'…'"),
        ("<h1>", "the character '<' at position 0 is not in the base64 alphabet"),
        ("QUJD....", "the character '.' at position 4 is not in the base64 alphabet"),
        ("QUJD" * 17 + "...", "the character '.' at position 68 is not in the base64 alphabet"),
        ("QUJD%UJD", "the character '%' at position 4 is not in the base64 alphabet"),
        ("QU-_", "it uses the URL-safe alphabet (- and _) instead of the standard one (+ and /)"),
        ("QUJDR", "its length, 5, is not a multiple of four: the padding is missing, or the text was cut off"),
        ("QQ==QUJD", "there is padding (=) before the end"),
        ("====", "padding ('=') before the end"),
        ("data:text/plain,hello", "the data: URL is not base64"),
        (["QUJD"], "['QUJD'] is not a string"),
    ],
)
def test_invalid_base64_is_reported_with_the_reason(text: object, reason: str) -> None:
    (finding,) = lint_output({"results": 1, "artifacts": [{"name": "a", "mime": "text/plain", "b64": text}]})

    assert finding.message == f"This is not base64: {reason}."


@pytest.mark.parametrize("text", ["<base64>", "<b64>", "PGh0bWw+PGhlYWQ+...", "QUJD…"])
def test_placeholder_is_a_note_in_documentation_and_an_error_in_a_call(text: str) -> None:
    output = {"results": 1, "artifacts": [{"name": "a", "mime": "text/plain", "b64": text}]}
    (in_document,), (in_call,) = (
        lint_output(output),
        lint_output(output, CallContext(user=UserName("alice"), home=Path("/tmp/alice"))),
    )

    assert (in_document.severity, in_call.severity) == (Severity.NOTE, Severity.ERROR)
    assert in_document.message == f"{text!r} is a placeholder, not base64."


@pytest.mark.parametrize("text", ["QUJD", "", "QUJD\nQUJD\n", "data:image/png;base64,QUJD"])
def test_valid_base64_has_no_finding(text: str) -> None:
    assert lint_output({"results": 1, "artifacts": [{"name": "a", "mime": "text/plain", "b64": text}]}) == []

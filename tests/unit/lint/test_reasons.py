"""Why something is not base64, and what is base64 in the results though nobody says so."""

import base64
import hashlib
from pathlib import Path

import pytest

from local.lint.check import lint_output
from local.lint.findings import Severity
from local.lint.rules.sizes import BASE64
from local.lint.subject import Run

HTML = base64.b64encode(b"<html><body>A report of this quarter.</body></html>").decode()
NOISE = base64.b64encode(bytes(range(256)) * 2).decode()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("b'QUJD'", "it is Python's b'…', bytes that were made a text by str()"),
        ("<h1>", "the character '<' at 0 is not of its alphabet"),
        ("QUJD....", "the character '.' at 4 is not of its alphabet"),
        ("QUJD" * 17 + "...", "the character '.' at 68 is not of its alphabet"),
        ("QUJD%UJD", "the character '%' at 4 is not of its alphabet"),
        ("QU-_", "it is of the URL-safe alphabet (- and _), not of the standard one (+ and /)"),
        ("QUJDR", "its length, 5, is not a multiple of four: the padding is missing, or it was cut off"),
        ("QQ==QUJD", "there is padding (=) before the end"),
        ("====", "padding ('=') before the end"),
        ("data:text/plain,hello", "the data: URL is not base64"),
        (["QUJD"], "['QUJD'] is not a text"),
    ],
)
def test_it_is_said_why_something_is_not_base64(text: object, why: str) -> None:
    (finding,) = lint_output({"results": 1, "artifacts": [{"name": "a", "mime": "text/plain", "b64": text}]})

    assert finding.message == f"This is not base64: {why}."


@pytest.mark.parametrize("text", ["<base64>", "<b64>", "PGh0bWw+PGhlYWQ+...", "QUJD…"])
def test_what_an_example_writes_in_the_place_of_base64_is_noted_and_a_tool_that_returns_it_is_wrong(text: str) -> None:
    output = {"results": 1, "artifacts": [{"name": "a", "mime": "text/plain", "b64": text}]}
    (written,), (returned,) = lint_output(output), lint_output(output, Run(user="alice", home=Path("/tmp/alice")))

    assert (written.severity, returned.severity) == (Severity.NOTE, Severity.ERROR)
    assert written.message == f"{text!r} stands for base64 that is not there."


@pytest.mark.parametrize("text", ["QUJD", "", "QUJD\nQUJD\n", "data:image/png;base64,QUJD"])
def test_what_is_base64_is_right(text: str) -> None:
    assert lint_output({"results": 1, "artifacts": [{"name": "a", "mime": "text/plain", "b64": text}]}) == []


@pytest.mark.parametrize(
    "text",
    [
        HTML,
        f"Here it is: {HTML}",
        NOISE,
        base64.encodebytes(bytes(range(256)) * 2).decode(),
        f'<img src="data:image/gif;base64,{NOISE[:40]}">',
    ],
)
def test_a_file_in_the_results_is_seen(text: str) -> None:
    (finding,) = lint_output({"results": {"rows": [{"image": text}]}})

    assert (finding.clause, finding.where) == (BASE64.id, "$.results.rows[0].image")


@pytest.mark.parametrize(
    "text",
    [
        hashlib.sha512(b"").hexdigest(),
        "ACGT" * 300,
        "0123456789" * 60,
        "=" * 600,
        "/usr/lib/Python3/Site/Packages" * 20,
        "AbstractSingletonProxyFactoryBean",
        "the quick brown fox jumps over the lazy dog " * 20,
        "QUJD",
    ],
)
def test_what_merely_looks_like_one_is_not(text: str) -> None:
    assert lint_output({"results": text}) == []


def test_base64_does_not_count_for_the_size_of_the_results() -> None:
    found = lint_output({"results": {"image": NOISE * 100, "rows": ["0123456789"] * 400}})

    assert [finding.where for finding in found] == ["$.results", "$.results.image"]
    assert found[0].message == "`results` has 5,221 bytes of JSON: the model is given all of it."

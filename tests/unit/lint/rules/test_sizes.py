"""Tests of the rules for sizes: recognizing base64 in the results, and not counting it."""

import base64
import hashlib

import pytest

from local.lint.linter import lint_output
from local.lint.rules.sizes import RESULTS_BASE64

HTML = base64.b64encode(b"<html><body>A report of this quarter.</body></html>").decode()
NOISE = base64.b64encode(bytes(range(256)) * 2).decode()


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
def test_base64_of_a_file_in_the_results_is_reported(text: str) -> None:
    (finding,) = lint_output({"results": {"rows": [{"image": text}]}})

    assert (finding.clause, finding.where) == (RESULTS_BASE64.id, "$.results.rows[0].image")


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
def test_text_similar_to_base64_is_not_reported(text: str) -> None:
    assert lint_output({"results": text}) == []


def test_base64_does_not_count_toward_the_size_of_the_results() -> None:
    findings = lint_output({"results": {"image": NOISE * 100, "rows": ["0123456789"] * 400}})

    assert [finding.where for finding in findings] == ["$.results", "$.results.image"]
    assert findings[0].message == "`results` has 5,221 bytes of JSON, and the model receives all of them."

"""Tests that the examples of the specifications have no findings but notes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from local.lint.findings import Severity
from local.lint.linter import lint_output
from satchel.contract.shapes.mcp_result import parse_mcp_result

EXAMPLES: dict[str, Any] = json.loads(Path(__file__).with_name("spec_examples.json").read_text(encoding="utf-8"))
BASE64 = re.compile(r'"(?:PGh0|eyJ2)[^"]*"')
OBJECTS = {name: example for name, example in EXAMPLES.items() if parse_mcp_result(example) is None}


def clauses_without_notes(output: object) -> list[str]:
    return [finding.clause for finding in lint_output(output) if finding.severity != Severity.NOTE]


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_has_no_finding(name: str) -> None:
    assert clauses_without_notes(EXAMPLES[name]) == []


@pytest.mark.parametrize("name", OBJECTS)
def test_example_as_call_result_has_no_finding(name: str) -> None:
    text = {"type": "text", "text": json.dumps(OBJECTS[name])}

    assert clauses_without_notes({"content": [text], "structuredContent": OBJECTS[name], "isError": False}) == []
    assert clauses_without_notes({"content": [text]}) == []
    assert clauses_without_notes({"jsonrpc": "2.0", "id": 7, "result": {"content": [text]}}) == []


@pytest.mark.parametrize(
    ("name", "placeholder"),
    [
        ("2 §6: artifacts with display hints", "<base64>"),
        ("2 §6: legacy arrays", "<b64>"),
        ("3 §6.2: client processed response, base64", "PGh0bWw+PGhlYWQ+..."),
    ],
)
def test_example_with_placeholder_instead_of_base64_has_no_finding(name: str, placeholder: str) -> None:
    text, count = BASE64.subn(json.dumps(placeholder), json.dumps(EXAMPLES[name]))

    assert count > 0
    assert clauses_without_notes(json.loads(text)) == []


def test_all_five_specifications_have_examples() -> None:
    assert {name[0] for name in EXAMPLES} == set("12345")


def test_deprecation_is_noted_only_for_examples_with_arrays() -> None:
    clauses = {name: {finding.clause for finding in lint_output(example)} for name, example in EXAMPLES.items()}
    deprecated = [name for name in EXAMPLES if "v2:files:phased-out" in clauses[name]]
    assert deprecated == [name for name, example in EXAMPLES.items() if "returned_file_names" in example]

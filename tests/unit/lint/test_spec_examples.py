"""The examples of the specifications keep the contract, however they come."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from local.lint.check import lint_output
from local.lint.findings import Severity
from satchel.contract.shapes.call_result import parse_call_result

EXAMPLES: dict[str, Any] = json.loads(Path(__file__).with_name("spec_examples.json").read_text(encoding="utf-8"))
BASE64 = re.compile(r'"(?:PGh0|eyJ2)[^"]*"')
OBJECTS = {name: example for name, example in EXAMPLES.items() if parse_call_result(example) is None}


def faults(output: object) -> list[str]:
    return [finding.clause for finding in lint_output(output) if finding.severity != Severity.NOTE]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_no_fault(name: str) -> None:
    assert faults(EXAMPLES[name]) == []


@pytest.mark.parametrize("name", OBJECTS)
def test_nor_has_it_as_the_result_of_a_call(name: str) -> None:
    text = {"type": "text", "text": json.dumps(OBJECTS[name])}

    assert faults({"content": [text], "structuredContent": OBJECTS[name], "isError": False}) == []
    assert faults({"content": [text]}) == []
    assert faults({"jsonrpc": "2.0", "id": 7, "result": {"content": [text]}}) == []


@pytest.mark.parametrize(
    ("name", "placeholder"),
    [
        ("2 §6: artifacts with display hints", "<base64>"),
        ("2 §6: legacy arrays", "<b64>"),
        ("3 §6.2: client processed response, base64", "PGh0bWw+PGhlYWQ+..."),
    ],
)
def test_nor_has_it_as_it_is_printed_with_a_word_in_the_place_of_base64(name: str, placeholder: str) -> None:
    printed, replaced = BASE64.subn(json.dumps(placeholder), json.dumps(EXAMPLES[name]))

    assert replaced > 0
    assert faults(json.loads(printed)) == []


def test_all_five_specifications_give_examples() -> None:
    assert {name[0] for name in EXAMPLES} == set("12345")


def test_what_is_phased_out_is_noted_on_the_arrays_alone() -> None:
    noted = [name for name, example in EXAMPLES.items() if "v2:files:phased-out" in map(_clause, lint_output(example))]

    assert noted == [name for name, example in EXAMPLES.items() if "returned_file_names" in example]


def _clause(finding: Any) -> str:  # noqa: ANN401
    return str(finding.clause)

"""Normalizing the examples of the specifications loses no field."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from satchel.contract import Artifact, Display, normalize

# The specifications abbreviate base64.
ABBREVIATED = re.compile(r'"(?:<b64>|<base64>|[A-Za-z0-9+/]+\.\.\.)"')
EXAMPLES: dict[str, Any] = json.loads(
    ABBREVIATED.sub('"QUJD"', (Path(__file__).parents[1] / "lint" / "spec_examples.json").read_text(encoding="utf-8"))
)
# An API response about a file, not the result of a tool.
API_RESPONSE = "3 §6.2: client processed response, S3"


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - {API_RESPONSE}))
def test_example_normalizes_without_problems_or_unknown_fields(name: str) -> None:
    output = normalize(EXAMPLES[name])
    assert (output.problems, output.unknown) == ([], {})


@pytest.mark.clause("v4:contract:example")
def test_report_example_yields_results_an_artifact_and_a_display_hint() -> None:
    example = EXAMPLES["4 §2: a tool returning an artifact"]
    output = normalize({"content": [], "structuredContent": example})
    assert output.results == example["results"]
    assert output.artifacts == [Artifact(**example["artifacts"][0])]
    assert output.display == Display(open_canvas=True, primary_file="report.html")

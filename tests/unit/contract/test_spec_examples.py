"""The examples of the specifications, made into tool outputs: nothing of them is lost."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from satchel.contract import Artifact, Display, normalize

# The specifications abridge base64.
ABRIDGED = re.compile(r'"(?:<b64>|<base64>|[A-Za-z0-9+/]+\.\.\.)"')
EXAMPLES: dict[str, Any] = json.loads(
    ABRIDGED.sub('"QUJD"', (Path(__file__).parents[1] / "lint" / "spec_examples.json").read_text(encoding="utf-8"))
)
# What is answered about a file, not what a tool returns.
ANSWERED = "3 §6.2: client processed response, S3"


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - {ANSWERED}))
def test_an_example_loses_nothing(name: str) -> None:
    output = normalize(EXAMPLES[name])
    assert (output.problems, output.unknown) == ([], {})


@pytest.mark.clause("v4:contract:example")
def test_the_report_of_the_guide_is_a_result_a_file_and_a_hint() -> None:
    example = EXAMPLES["4 §2: a tool returning an artifact"]
    output = normalize({"content": [], "structuredContent": example})
    assert output.results == example["results"]
    assert output.artifacts == [Artifact(**example["artifacts"][0])]
    assert output.display == Display(open_canvas=True, primary_file="report.html")

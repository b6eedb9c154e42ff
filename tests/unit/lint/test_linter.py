"""Tests that each problem of an output is reported once, with its clause and its place."""

import importlib
import json
import pkgutil

import pytest
from hypothesis import given

import local.lint
from local.lint.findings import Clause, Finding, Severity
from local.lint.linter import lint_bytes, lint_output
from local.lint.tool_output import CallContext
from satchel.contract import ContractError, normalize
from satchel.contract.shapes.typed_artifacts import EMPTY_REASON
from tests.unit.contract.strategies import anything, many
from tests.unit.lint.faulty_outputs import FAULTY_OUTPUTS, Case

# Clauses about the call, or about text that is not JSON, have tests of their own.
TESTED_SEPARATELY = {
    "v1:output:json",
    "v2.1:isolation:guarded",
    "v2.1:time:ten-seconds",
    "v2.1:time:timeout",
    "v2.1:artifacts:path-exists",
    "v2.1:artifacts:path-regular",
    "apps:page",
    "apps:visibility",
    "apps:domains",
    "apps:size",
    "apps:fallback",
}


def summaries(findings: list[Finding]) -> list[str]:
    return [f"{finding.severity} {finding.clause} {finding.where}" for finding in findings]


@pytest.mark.clause("v1:output:object", "v1:output:given", "v1:files:names", "v1:files:content", "v1:files:b64")
@pytest.mark.clause("v1:results:size", "v1:results:no-base64", "v1:files:same-length", "v1:results:spelling")
@pytest.mark.clause("v1:output:no-list", "v2:files:phased-out", "v2:canvas:types", "v2:canvas:mode")
@pytest.mark.clause("v2:canvas:persistence", "v2.1:results:required", "v2.1:fields:spelling", "v2.1:deferred:types")
@pytest.mark.clause("v2.1:deferred:reason", "v2.1:artifacts:known-category")
@pytest.mark.clause("v5:bibliography:citations", "mcp:content:bytes")
@pytest.mark.parametrize("case", FAULTY_OUTPUTS.values(), ids=FAULTY_OUTPUTS.keys())
def test_each_problem_is_reported_once(case: Case) -> None:
    assert summaries(lint_output(case.output)) == case.findings


@pytest.mark.parametrize("case", FAULTY_OUTPUTS.values(), ids=FAULTY_OUTPUTS.keys())
def test_json_file_has_the_findings_of_its_content(case: Case) -> None:
    assert lint_bytes(json.dumps(case.output).encode()) == lint_output(case.output)


def test_every_clause_has_an_output_that_violates_it() -> None:
    modules = pkgutil.walk_packages(local.lint.__path__, "local.lint.")
    values = [value for module in modules for value in vars(importlib.import_module(module.name)).values()]
    clauses = {value for value in values if isinstance(value, Clause)}
    violated = {finding.split()[1] for case in FAULTY_OUTPUTS.values() for finding in case.findings}

    assert len({clause.id for clause in clauses}) == len(clauses)
    assert violated | TESTED_SEPARATELY == {clause.id for clause in clauses}
    assert not violated & TESTED_SEPARATELY


@many
@given(anything)
def test_problem_of_the_normalizer_is_also_an_error_of_the_linter(raw: object) -> None:
    """Except for an empty bibliography, grant or knowledge graph: a tool that finds nothing may return it."""
    try:
        output = normalize(raw)
    except ContractError:
        output = None
    severities = {finding.severity for finding in lint_output(raw)}

    reasons = {problem.reason for problem in output.problems} if output else {"no output"}
    assert Severity.ERROR in severities or reasons <= {EMPTY_REASON}


@pytest.mark.clause("v2.1:artifacts:mime-required")
def test_finding_has_a_suggestion() -> None:
    (finding,) = lint_output({"results": 1, "artifacts": [{"name": "a.csv", "mime_type": "text/csv", "b64": "QQ=="}]})

    assert finding == Finding(
        clause="v2.1:artifacts:mime-required",
        spec="3 §6.1",
        severity=Severity.ERROR,
        where="$.artifacts[0]",
        message="'a.csv' has no `mime`.",
        suggestion="Rename `mime_type` to `mime`.",
    )


@pytest.mark.clause("v2.1:time:ten-seconds")
@pytest.mark.parametrize(
    ("silent_seconds", "expected"), [(10.0, []), (10.1, ["warning v2.1:time:ten-seconds $"]), (0.0, [])]
)
def test_silence_of_over_ten_seconds_is_a_warning(silent_seconds: float, expected: list[str]) -> None:
    assert summaries(lint_output({"results": 1}, CallContext(silent_seconds=silent_seconds))) == expected


@pytest.mark.clause("v1:output:json")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{'results': 1}", "key must be a string at line 1 column 2"),
        (b"", "EOF while parsing a value at line 1 column 0"),
        (b"\xff\xfe", "it is not UTF-8, starting at byte 0"),
        (b"[" * 100_000, "recursion limit exceeded at line 1 column 202"),
    ],
)
def test_text_that_is_not_json_is_reported_with_the_reason(data: bytes, reason: str) -> None:
    (finding,) = lint_bytes(data)

    assert summaries([finding]) == ["error v1:output:json $"]
    assert finding.message == f"This is not JSON: {reason}."


def test_output_with_nan_is_checked_further() -> None:
    findings = lint_bytes(b'{"results": NaN, "meta-data": {}}')

    assert summaries(findings) == ["error v1:output:json $", 'warning v1:meta-data:spelling $["meta-data"]']


def test_byte_order_mark_is_ignored() -> None:
    assert lint_bytes(b'\xef\xbb\xbf{"results": 1}') == []

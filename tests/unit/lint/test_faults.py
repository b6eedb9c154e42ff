"""Each fault of an output is named, where it is, and once."""

import importlib
import json
import pkgutil

import pytest
from hypothesis import given

import local.lint
from local.lint.check import lint_bytes, lint_output
from local.lint.findings import Clause, Finding, Severity
from local.lint.subject import Run
from satchel.contract import ContractError, normalize
from tests.unit.contract.strategies import anything, many
from tests.unit.lint.faulty import FAULTY, Case

# Faults of how the tool was run, or of what is no JSON: tested by themselves.
ELSEWHERE = {
    "v1:output:json",
    "v2.1:time:ten-seconds",
    "v2.1:time:timeout",
    "v2.1:artifacts:path-exists",
    "v2.1:artifacts:path-regular",
}


def told(findings: list[Finding]) -> list[str]:
    return [f"{finding.severity} {finding.clause} {finding.where}" for finding in findings]


@pytest.mark.clause("v1:output:object", "v1:output:given", "v1:files:names", "v1:files:content", "v1:files:b64")
@pytest.mark.clause("v1:results:size", "v1:results:no-base64", "v1:files:same-length", "v1:results:spelling")
@pytest.mark.clause("v1:output:no-list", "v2:files:phased-out", "v2:canvas:types", "v2:canvas:mode")
@pytest.mark.clause("v2:canvas:persistence", "v2.1:results:required", "v2.1:fields:spelling", "v2.1:deferred:types")
@pytest.mark.clause("v2.1:deferred:reason", "v5:bibliography:citations", "mcp:content:bytes")
@pytest.mark.parametrize("case", FAULTY.values(), ids=FAULTY.keys())
def test_each_fault_is_named_once(case: Case) -> None:
    assert told(lint_output(case.output)) == case.findings


@pytest.mark.parametrize("case", FAULTY.values(), ids=FAULTY.keys())
def test_a_file_is_read_as_what_it_holds(case: Case) -> None:
    assert lint_bytes(json.dumps(case.output).encode()) == lint_output(case.output)


def test_every_clause_has_an_output_that_breaks_it() -> None:
    modules = pkgutil.walk_packages(local.lint.__path__, "local.lint.")
    values = [value for module in modules for value in vars(importlib.import_module(module.name)).values()]
    clauses = {value for value in values if isinstance(value, Clause)}
    broken = {finding.split()[1] for case in FAULTY.values() for finding in case.findings}

    assert len({clause.id for clause in clauses}) == len(clauses)
    assert broken | ELSEWHERE == {clause.id for clause in clauses}
    assert not broken & ELSEWHERE


@many
@given(anything)
def test_where_the_normaliser_reports_a_problem_there_is_an_error(raw: object) -> None:
    try:
        output = normalize(raw)
    except ContractError:
        output = None
    found = {finding.severity for finding in lint_output(raw)}

    assert Severity.ERROR in found or (output is not None and not output.problems)


@pytest.mark.clause("v2.1:artifacts:mime-required")
def test_the_tool_is_told_what_to_do() -> None:
    (finding,) = lint_output({"results": 1, "artifacts": [{"name": "a.csv", "mime_type": "text/csv", "b64": "QQ=="}]})

    assert finding == Finding(
        clause="v2.1:artifacts:mime-required",
        spec="3 §6.1",
        severity=Severity.ERROR,
        where="$.artifacts[0]",
        message="'a.csv' has no `mime`.",
        suggestion="`mime_type` is there; the field is called `mime`.",
    )


@pytest.mark.clause("v2.1:time:ten-seconds")
@pytest.mark.parametrize(("silent", "findings"), [(10.0, []), (10.1, ["warning v2.1:time:ten-seconds $"]), (0.0, [])])
def test_a_silence_of_over_ten_seconds_is_too_long(silent: float, findings: list[str]) -> None:
    assert told(lint_output({"results": 1}, Run(silent_seconds=silent))) == findings


@pytest.mark.clause("v1:output:json")
@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{'results': 1}", "key must be a string at line 1 column 2"),
        (b"", "EOF while parsing a value at line 1 column 0"),
        (b"\xff\xfe", "it is not UTF-8, from byte 0 on"),
        (b"[" * 100_000, "recursion limit exceeded at line 1 column 202"),
    ],
)
def test_what_is_not_json_is_told_with_the_reason(data: bytes, why: str) -> None:
    (finding,) = lint_bytes(data)

    assert told([finding]) == ["error v1:output:json $"]
    assert finding.message == f"This is not JSON: {why}."


def test_the_rest_of_an_output_with_nan_is_looked_at() -> None:
    found = lint_bytes(b'{"results": NaN, "meta-data": {}}')

    assert told(found) == ["error v1:output:json $", 'warning v1:meta-data:spelling $["meta-data"]']


def test_a_mark_at_the_beginning_of_a_file_does_no_harm() -> None:
    assert lint_bytes(b'\xef\xbb\xbf{"results": 1}') == []

"""Tests of the report: its lines, its JSON, and the findings that fail the check."""

import json

from local.lint.command import as_json, as_lines, is_passing
from local.lint.findings import Clause, Finding

CLAUSE = Clause("v2.1:artifacts:mime-required", "3 §6.1")
ERROR = CLAUSE.error("$.artifacts[0]", "There is no `mime`.", "Give one.")
WARNING = CLAUSE.warning("$", "It is large.", "Make it small.")
NOTE = CLAUSE.note("$", "It is old.", "Make it new.")


def report_lines(*findings: Finding, notes: bool = False) -> list[str]:
    return list(as_lines(findings, notes=notes))


def test_each_finding_has_two_lines_and_the_last_line_counts_them() -> None:
    assert report_lines(ERROR, WARNING, WARNING) == [
        "error    $.artifacts[0]  There is no `mime`.",
        "         Give one. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "warning  $  It is large.",
        "         Make it small. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "warning  $  It is large.",
        "         Make it small. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "1 error, 2 warnings",
    ]


def test_notes_are_counted_and_shown_only_on_request() -> None:
    assert report_lines(NOTE) == ["no faults (1 note: --notes shows it)"]
    assert report_lines(NOTE, NOTE) == ["no faults (2 notes: --notes shows them)"]
    assert report_lines(NOTE, notes=True) == [
        "note     $  It is old.",
        "         Make it new. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "no faults",
    ]
    assert report_lines() == ["no faults"]


def test_control_characters_of_a_tool_are_replaced() -> None:
    with_escape = CLAUSE.error("$", "said \x1b[2J\nand more", "Do.")

    assert report_lines(with_escape)[0] == "error    $  said \N{REPLACEMENT CHARACTER}[2J and more"


def test_json_report_has_all_fields_of_each_finding() -> None:
    report = json.loads(as_json([ERROR, WARNING, NOTE], notes=False))

    assert report == {
        "findings": [
            {
                "clause": "v2.1:artifacts:mime-required",
                "spec": "3 §6.1",
                "severity": "error",
                "where": "$.artifacts[0]",
                "message": "There is no `mime`.",
                "suggestion": "Give one.",
            },
            {
                "clause": "v2.1:artifacts:mime-required",
                "spec": "3 §6.1",
                "severity": "warning",
                "where": "$",
                "message": "It is large.",
                "suggestion": "Make it small.",
            },
        ],
        "errors": 1,
        "warnings": 1,
    }
    assert [finding["severity"] for finding in json.loads(as_json([NOTE], notes=True))["findings"]] == ["note"]


def test_errors_fail_and_warnings_fail_only_if_strict_and_notes_never_fail() -> None:
    assert not is_passing([ERROR], strict=False)
    assert is_passing([WARNING], strict=False)
    assert not is_passing([WARNING], strict=True)
    assert is_passing([NOTE], strict=True)

"""What is shown of findings, and whether they let an output pass."""

import json

from local.lint.findings import Clause, Finding
from local.lint.report import as_json, as_lines, is_good

CLAUSE = Clause("v2.1:artifacts:mime-required", "3 §6.1")
ERROR = CLAUSE.error("$.artifacts[0]", "There is no `mime`.", "Give one.")
WARNING = CLAUSE.warning("$", "It is large.", "Make it small.")
NOTE = CLAUSE.note("$", "It is old.", "Make it new.")


def lines(*findings: Finding, notes: bool = False) -> list[str]:
    return list(as_lines(findings, notes=notes))


def test_each_finding_is_two_lines_and_the_last_line_counts_them() -> None:
    assert lines(ERROR, WARNING, WARNING) == [
        "error    $.artifacts[0]  There is no `mime`.",
        "         Give one. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "warning  $  It is large.",
        "         Make it small. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "warning  $  It is large.",
        "         Make it small. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "1 error, 2 warnings",
    ]


def test_notes_are_counted_and_shown_on_demand() -> None:
    assert lines(NOTE) == ["no faults (1 note: --notes shows it)"]
    assert lines(NOTE, NOTE) == ["no faults (2 notes: --notes shows them)"]
    assert lines(NOTE, notes=True) == [
        "note     $  It is old.",
        "         Make it new. (v2.1:artifacts:mime-required, spec 3 §6.1)",
        "no faults",
    ]
    assert lines() == ["no faults"]


def test_what_a_tool_wrote_moves_no_cursor() -> None:
    nasty = CLAUSE.error("$", "said \x1b[2J\nand more", "Do.")

    assert lines(nasty)[0] == "error    $  said \N{REPLACEMENT CHARACTER}[2J and more"


def test_a_program_is_given_the_same_as_json() -> None:
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
    assert [one["severity"] for one in json.loads(as_json([NOTE], notes=True))["findings"]] == ["note"]


def test_errors_fail_warnings_fail_where_one_is_strict_notes_never() -> None:
    assert not is_good([ERROR], strict=False)
    assert is_good([WARNING], strict=False)
    assert not is_good([WARNING], strict=True)
    assert is_good([NOTE], strict=True)

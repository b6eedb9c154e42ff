"""Findings as lines for a person, or as JSON for a program."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from local.cli.text import one_line
from local.lint.findings import Finding, Severity

_WIDTH = max(map(len, Severity))


def as_lines(findings: Sequence[Finding], *, notes: bool) -> Iterator[str]:
    """Write two lines a finding and one at the end; notes only where they are wanted."""
    for finding in _shown(findings, notes=notes):
        yield f"{finding.severity:<{_WIDTH}}  {one_line(finding.where)}  {one_line(finding.message)}"
        yield f"{'':<{_WIDTH}}  {one_line(finding.suggestion)} ({finding.clause}, spec {finding.spec})"
    yield _summary(findings, notes=notes)


def as_json(findings: Sequence[Finding], *, notes: bool) -> str:
    """Write ``{findings: […], errors, warnings}``."""
    count = Counter(finding.severity for finding in findings)
    report = {
        "findings": [asdict(finding) for finding in _shown(findings, notes=notes)],
        "errors": count[Severity.ERROR],
        "warnings": count[Severity.WARNING],
    }
    return json.dumps(report, indent=2)


def is_good(findings: Sequence[Finding], *, strict: bool) -> bool:
    """Tell whether an output passes: without errors; in a strict view without warnings, too."""
    bad = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return not any(finding.severity in bad for finding in findings)


def _shown(findings: Sequence[Finding], *, notes: bool) -> list[Finding]:
    return [finding for finding in findings if notes or finding.severity != Severity.NOTE]


def _summary(findings: Sequence[Finding], *, notes: bool) -> str:
    count = Counter(finding.severity for finding in findings)
    told = [_counted(count[kind], kind) for kind in (Severity.ERROR, Severity.WARNING) if count[kind]]
    summary = ", ".join(told) or "no faults"
    hidden = 0 if notes else count[Severity.NOTE]
    if not hidden:
        return summary
    return f"{summary} ({_counted(hidden, Severity.NOTE)}: --notes shows {'it' if hidden == 1 else 'them'})"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

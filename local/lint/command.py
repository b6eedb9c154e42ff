"""The logic of `satchel lint`: check a tool's output, print the findings, return the exit code."""

import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from local.cli.errors import ExitCode, print_error
from local.cli.text import one_line
from local.lint.findings import Finding, Severity
from local.lint.linter import lint_bytes
from local.lint.tool_call import CannotLintError, ToolCall, lint_call
from local.lint.tool_output import CallContext
from satchel.adapters.mcp.processes import become_subreaper
from satchel.domain.ids import UserName

# Do not print the warnings of this logger, because findings report the same problems.
logging.getLogger("satchel.contract").addHandler(logging.NullHandler())

_SEVERITY_WIDTH = max(map(len, Severity))


@dataclass(frozen=True)
class ReportOptions:
    """Options of lint's report: print JSON, include notes, and (``strict``) let warnings fail the check."""

    json: bool = False
    notes: bool = False
    strict: bool = False


def lint_file(data: bytes, user: UserName | None, options: ReportOptions) -> ExitCode:
    """Check a tool's saved output; ``data`` is the content of its file. Print the findings and return the exit code."""
    context = CallContext(user=None if user is None else UserName(user))
    return _report(lint_bytes(data, context), options)


def lint_tool(
    server: str, tool: str, arguments: str, user: UserName | None, cwd: Path | None, options: ReportOptions
) -> ExitCode:
    """Call a tool and check its output. Print the findings and return the exit code.

    This process becomes the parent of the server's orphaned processes, so use this process for nothing else.
    """
    become_subreaper()
    try:
        return _report(lint_call(ToolCall(server, tool, arguments, user, cwd)), options)
    except CannotLintError as error:
        print_error(str(error))
        return ExitCode.ERROR
    except KeyboardInterrupt:
        print_error("interrupted")
        return ExitCode.INTERRUPTED


def as_lines(findings: Sequence[Finding], *, notes: bool) -> Iterator[str]:
    """Yield two lines for each finding, then a summary line. Include ``note`` findings only if ``notes`` is True."""
    for finding in _visible(findings, notes=notes):
        yield f"{finding.severity:<{_SEVERITY_WIDTH}}  {one_line(finding.where)}  {one_line(finding.message)}"
        yield f"{'':<{_SEVERITY_WIDTH}}  {one_line(finding.suggestion)} ({finding.clause}, spec {finding.spec})"
    yield _summary(findings, notes=notes)


def as_json(findings: Sequence[Finding], *, notes: bool) -> str:
    """Return ``{findings: […], errors, warnings}`` as JSON. Include ``note`` findings only if ``notes`` is True."""
    count = Counter(finding.severity for finding in findings)
    report = {
        "findings": [asdict(finding) for finding in _visible(findings, notes=notes)],
        "errors": count[Severity.ERROR],
        "warnings": count[Severity.WARNING],
    }
    return json.dumps(report, indent=2)


def is_passing(findings: Sequence[Finding], *, strict: bool) -> bool:
    """Return True if there are no errors and, if ``strict``, no warnings either."""
    failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return not any(finding.severity in failing for finding in findings)


def _report(findings: list[Finding], options: ReportOptions) -> ExitCode:
    if options.json:
        typer.echo(as_json(findings, notes=options.notes))
    else:
        for line in as_lines(findings, notes=options.notes):
            typer.echo(line)
    return ExitCode.SUCCESS if is_passing(findings, strict=options.strict) else ExitCode.FAILURE


def _visible(findings: Sequence[Finding], *, notes: bool) -> list[Finding]:
    return [finding for finding in findings if notes or finding.severity != Severity.NOTE]


def _summary(findings: Sequence[Finding], *, notes: bool) -> str:
    count = Counter(finding.severity for finding in findings)
    counts = [_counted(count[severity], severity) for severity in (Severity.ERROR, Severity.WARNING) if count[severity]]
    summary = ", ".join(counts) or "no faults"
    hidden = 0 if notes else count[Severity.NOTE]
    if not hidden:
        return summary
    return f"{summary} ({_counted(hidden, Severity.NOTE)}: --notes shows {'it' if hidden == 1 else 'them'})"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

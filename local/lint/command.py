"""What `satchel lint` does: looks, tells, and says by its exit code how it went."""

import logging
from dataclasses import dataclass
from pathlib import Path

import typer

from local.cli.text import one_line
from local.lint.calling import CannotLintError, ToolCall, lint_call
from local.lint.check import lint_bytes
from local.lint.findings import Finding
from local.lint.report import as_json, as_lines, is_good
from local.lint.subject import Run
from satchel.adapters.mcp.processes import become_subreaper

logging.getLogger("satchel.contract").addHandler(logging.NullHandler())  # what it would log is a finding here

PASSED, FAULTY, CANNOT, INTERRUPTED = 0, 1, 2, 130


@dataclass(frozen=True)
class View:
    """How findings are told, and which of them count."""

    json: bool = False
    notes: bool = False
    strict: bool = False


def lint_file(data: bytes, user: str | None, view: View) -> int:
    """Look at an output that was written down. Returns the exit code."""
    return _tell(lint_bytes(data, Run(user=user)), view)


def lint_tool(server: str, tool: str, arguments: str, user: str | None, cwd: Path | None, view: View) -> int:
    """Call a tool and look at its output. Returns the exit code. This process must have nothing else to do."""
    become_subreaper()
    try:
        return _tell(lint_call(ToolCall(server, tool, arguments, user, cwd)), view)
    except CannotLintError as error:
        typer.echo(f"satchel: {one_line(str(error))}", err=True)
        return CANNOT
    except KeyboardInterrupt:
        typer.echo("satchel: interrupted", err=True)
        return INTERRUPTED


def _tell(findings: list[Finding], view: View) -> int:
    if view.json:
        typer.echo(as_json(findings, notes=view.notes))
    else:
        for line in as_lines(findings, notes=view.notes):
            typer.echo(line)
    return PASSED if is_good(findings, strict=view.strict) else FAULTY

"""`satchel lint`: its options. What it does is in `local.lint`, which is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer


def lint(
    file: Annotated[
        typer.FileBinaryRead | None,
        typer.Argument(help="A tool's output, or the raw result of tools/call, as JSON; - is standard input."),
    ] = None,
    *,
    server: Annotated[str | None, typer.Option(help="Call a tool of this server: its command, in quotes.")] = None,
    cwd: Annotated[Path | None, typer.Option(help="Where the server runs; the current folder by default.")] = None,
    tool: Annotated[str | None, typer.Option(help="The tool to call.")] = None,
    args: Annotated[str | None, typer.Option(help="Its arguments, a JSON object.")] = None,
    user: Annotated[str | None, typer.Option(help="Whose /tmp/{username}/ it is; anybody's by default.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Show notes, too: it is right, but could be better.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Let warnings count as errors.")] = False,
) -> None:
    """Say what is wrong with a tool's output.

    Reads the output from a file, or calls the tool (--server, --tool, --args) and looks at what it returns. Ends with 0
    when there are no errors, 1 when there are, 2 when there is nothing to look at.
    """
    if (file is None) == (server is None):
        raise typer.BadParameter("give either a file or --server, not both and not neither")
    if server is None and (tool or args or cwd):
        raise typer.BadParameter("--tool, --args and --cwd go with --server")
    if server is not None and not tool:
        raise typer.BadParameter("--server needs --tool")
    from local.lint.command import View, lint_file, lint_tool  # noqa: PLC0415  (the MCP library would slow every --help)

    view = View(json=json, notes=notes, strict=strict)
    if file is not None:
        raise typer.Exit(lint_file(file.read(), user, view))
    raise typer.Exit(lint_tool(server or "", tool or "", args or "{}", user, cwd, view))

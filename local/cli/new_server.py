"""`satchel new-server`: create a working MCP server and its entry in mcp.json."""

import re
from collections.abc import Mapping
from pathlib import Path

import typer

from local.cli.config_edit import read_editable, with_entry
from local.cli.errors import CliError, ExitCode, NewServerError, print_error
from local.cli.new_app import app_server_files
from mcp_config import base_folder

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_PROGRAM = '''\
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP

mcp = FastMCP("@NAME@")


@mcp.tool
async def count_words(filename: str, username: str, ctx: Context) -> dict[str, Any]:
    """Count the lines and words of a text file and write a report about it.

    Args:
        filename: The name of the file.
        username: Set by the client.
    """
    source = Path(filename)  # Satchel replaces the name with the path of a readable copy
    await ctx.report_progress(0, 1, f"Reading {source.name}")
    text = source.read_text(encoding="utf-8", errors="replace")
    lines, words = len(text.splitlines()), len(text.split())

    report = Path(f"/tmp/{username}/{source.stem}_report.md")  # the only folder that a tool can write
    report.write_text(f"# {source.name}\\n\\n{lines} lines, {words} words\\n", encoding="utf-8")
    artifact = {"name": report.name, "path": str(report), "mime": "text/markdown"}
    return {
        "results": {"lines": lines, "words": words},
        "artifacts": [artifact],
        "display": {"open_canvas": True, "primary_file": report.name},
    }


if __name__ == "__main__":
    mcp.run(show_banner=False, log_level="WARNING")
'''


def create_server(name: str, config: Path, *, app: bool = False) -> ExitCode:
    """Create an MCP server, if requested with an app, and its entry in ``config`` (mcp.json). Print how to call it."""
    try:
        program = _create(name, config, app_server_files(name) if app else {"main.py": server_program(name)})
    except CliError as error:
        print_error(str(error))
        return ExitCode.ERROR
    typer.echo(f"Created: {program}\nAdded to: {config}\n")
    arguments = '\'{"text": "a b"}\'' if app else '\'{"filename": "a.txt"}\' --file a.txt'
    typer.echo(f"Restart Satchel, then: satchel call {name}.count_words {arguments}")
    return ExitCode.SUCCESS


def server_program(name: str) -> str:
    """Return the source code of a new MCP server's main.py."""
    return _PROGRAM.replace("@NAME@", name)


def _create(name: str, config: Path, files: Mapping[str, str]) -> Path:
    if not _NAME.fullmatch(name):
        raise NewServerError(
            f"{name!r} cannot be a server's name: use up to 40 letters, digits, - and _, starting with a letter."
        )
    content = read_editable(config)
    folder = base_folder(config) / name
    if name in content.names or folder.exists():
        raise NewServerError(f"A server {name!r} already exists: {config if name in content.names else folder}.")
    entry = {
        "command": ["python", "main.py"],
        "cwd": name,
        "groups": ["users"],
        "description": "Counts the words of a text.",
    }
    new_text = with_entry(content, name, entry)
    try:
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        config.write_text(new_text, encoding="utf-8")
    except OSError as error:
        raise NewServerError(f"{error.filename} cannot be written: {error.strerror}.") from error
    return folder / "main.py"

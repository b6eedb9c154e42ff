"""What `satchel new-server` does: writes a server that works, and its entry."""

import json
import re
from pathlib import Path
from typing import Any

import typer

from local.cli.errors import CliError, NewServerError
from local.cli.text import one_line

DONE, CANNOT = 0, 2
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
_MAIN = '''\
from pathlib import Path
from typing import Any

from fastmcp import Context, FastMCP

mcp = FastMCP("@NAME@")


@mcp.tool
async def count_words(filename: str, username: str, ctx: Context) -> dict[str, Any]:
    """Count the lines and words of a text file and write a report about it.

    Args:
        filename: The file, by its name.
        username: Set by the client.
    """
    source = Path(filename)  # arrives as the path of a file that can be opened
    await ctx.report_progress(0, 1, f"Reading {source.name}")
    text = source.read_text(encoding="utf-8", errors="replace")
    lines, words = len(text.splitlines()), len(text.split())

    report = Path(f"/tmp/{username}/{source.stem}_report.md")  # the one folder that a tool may write
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


def make_server(name: str, config: Path) -> int:
    """Write the server and its entry, and say how to go on. Returns the exit code."""
    try:
        main = _make(name, config)
    except CliError as error:
        typer.echo(f"satchel: {one_line(str(error))}", err=True)
        return CANNOT
    typer.echo(f"Written: {main}\nEntered in: {config}\n")
    typer.echo(f'Start Satchel anew, then: satchel call {name}.count_words \'{{"filename": "a.txt"}}\' --file a.txt')
    return DONE


def main_of(name: str) -> str:
    """Return the program of a new server."""
    return _MAIN.replace("@NAME@", name)


def _make(name: str, config: Path) -> Path:
    if not _NAME.fullmatch(name):
        raise NewServerError(
            f"{name!r} cannot be a server's name: letters, digits, - and _, a letter first, at most 40."
        )
    text, entries = _read(config)
    folder = config.parent / name
    if name in entries or folder.exists():
        raise NewServerError(f"There is a server {name!r} already: {config if name in entries else folder}.")
    written = _with_entry(text, entries, name)
    try:
        folder.mkdir()
        (folder / "main.py").write_text(main_of(name), encoding="utf-8")
        config.write_text(written, encoding="utf-8")
    except OSError as error:
        raise NewServerError(f"{error.filename} cannot be written: {error.strerror}.") from error
    return folder / "main.py"


def _read(config: Path) -> tuple[str, dict[str, Any]]:
    """Return the configuration as it is written and as it is meant; none at all is an empty one."""
    try:
        text = config.read_text(encoding="utf-8") if config.exists() else "{}\n"
        entries = json.loads(text)
    except (OSError, ValueError) as error:
        raise NewServerError(f"{config} cannot be read: {error}.") from error
    if not isinstance(entries, dict):
        raise NewServerError(f"{config} is no table of servers.")
    return text, entries


def _with_entry(text: str, entries: dict[str, Any], name: str) -> str:
    """Put the entry behind the others, which stay as somebody has written them."""
    entry = {
        "command": ["python", "main.py"],
        "cwd": name,
        "groups": ["users"],
        "description": "Counts the words of a text file.",
    }
    fields = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in entry.items())
    before = text.rstrip().removesuffix("}").rstrip()
    return f"{before}{',' if entries else ''}\n  {json.dumps(name)}: {{\n{fields}\n  }}\n}}\n"

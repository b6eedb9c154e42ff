"""`satchel upload`: upload files of any size and print their keys."""

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console

from local.cli.connection import Connection, run_with_client
from local.cli.errors import RESUME_HINT, ExitCode, print_transfer_error
from local.cli.render import TransferBar
from local.cli.text import one_line
from satchel.domain.ids import SessionId
from satchel.domain.prompt import format_size
from satchel_client import Client, SatchelError
from satchel_client.models import FileOut


def upload_files(connection: Connection, paths: Sequence[Path], session_id: SessionId | None) -> ExitCode:
    """Upload each file and print its key. If a file fails, continue with the next file, and return ERROR."""

    def run(client: Client) -> ExitCode:
        code = ExitCode.SUCCESS
        for path in paths:
            try:
                stored = upload_file(client, path, session_id)
            except SatchelError as error:
                print_transfer_error(path.name, error)
                code = ExitCode.ERROR
            else:
                version = f"  version {stored.version}" if stored.version > 1 else ""
                typer.echo(f"{stored.file_key}  {one_line(stored.name)}  {format_size(stored.size)}{version}")
        return code

    return run_with_client(connection, run, interrupt_hint=RESUME_HINT)


def upload_file(client: Client, path: Path, session_id: str | None) -> FileOut:
    """Upload a file and show the progress. If ``session_id`` is None, add the file to My Files only."""
    with TransferBar(Console(stderr=True), path.name, path.stat().st_size) as bar:
        return client.files.upload(path, session_id=session_id, progress=bar.advance)

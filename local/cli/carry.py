"""What `satchel upload` and `satchel download` do: each file, and what became of it in a line."""

import time
from collections.abc import Callable

import httpx2
import typer

from local.cli.api import ApiClient
from local.cli.errors import CliError
from local.cli.fetch import fetch, find
from local.cli.follow import Sleep
from local.cli.send import send
from local.cli.talk import COMPLETE, INTERRUPTED, WENT_WRONG, Question, guarded
from local.cli.text import one_line
from satchel.domain.prompt import human_size

_GO_ON = "Run the same command again to go on where it was."


def upload_all(asked: Question, *, transport: httpx2.BaseTransport | None = None, sleep: Sleep = time.sleep) -> int:
    """Upload the files of ``asked``; one that fails does not keep the others. Returns the exit code."""

    def run(client: ApiClient) -> int:
        code = COMPLETE
        for path in asked.files:
            try:
                stored = send(client, path, asked.session, sleep)
            except CliError as error:
                code = _failed(path.name, error)
            else:
                version = f"  version {stored.version}" if stored.version > 1 else ""
                typer.echo(f"{stored.file_key}  {one_line(stored.name)}  {human_size(stored.size)}{version}")
        return code

    return _resumable(asked, run, transport)


def download_one(asked: Question, *, transport: httpx2.BaseTransport | None = None, sleep: Sleep = time.sleep) -> int:
    """Download the file that the message of ``asked`` names. Returns the exit code."""

    def run(client: ApiClient) -> int:
        try:
            file = find(client, asked.message, asked.session)
            saved = fetch(client, file, asked.out, sleep)
        except CliError as error:
            return _failed(asked.message, error)
        typer.echo(f"{'replaced' if saved.replaced else 'saved'} {saved.path}  {human_size(file.size)}")
        return COMPLETE

    return _resumable(asked, run, transport)


def _resumable(asked: Question, run: Callable[[ApiClient], int], transport: httpx2.BaseTransport | None) -> int:
    code = guarded(asked, run, transport)
    if code == INTERRUPTED:
        typer.echo(_GO_ON, err=True)
    return code


def _failed(name: str, error: CliError) -> int:
    typer.echo(f"satchel: {one_line(name)}: {one_line(str(error))}", err=True)
    if error.retryable:
        typer.echo(_GO_ON, err=True)
    return WENT_WRONG

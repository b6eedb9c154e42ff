"""One question and its answer: what `satchel ask` does, from the session to the saved files."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2
import typer
from rich.console import Console

from local.cli.answer import answer_lines, files_of
from local.cli.api import ApiClient
from local.cli.errors import CliError
from local.cli.follow import Sleep, follow, patiently
from local.cli.save import Saved, make_folder, save_all
from local.cli.send import send
from local.cli.show import Watcher
from local.cli.text import one_line
from local.cli.wire import TurnStarted
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import TurnStatus

COMPLETE, NOT_COMPLETE, WENT_WRONG, INTERRUPTED = 0, 1, 2, 130


@dataclass(frozen=True)
class Question:
    """What a person asks, of which server (``url``), and where the files of the answer go (``out``)."""

    message: str
    url: str
    files: Sequence[Path] = ()
    tools: Sequence[str] = ()
    session: str | None = None
    model: str | None = None
    out: Path | None = None
    user: str | None = None
    token: str | None = None


def talk(question: Question, *, transport: httpx2.BaseTransport | None = None, sleep: Sleep = time.sleep) -> int:
    """Ask, wait, print the answer and save its files.

    Returns the exit code: 0 the turn is complete, 1 it failed or was cancelled, 2 something between here and the server
    went wrong, 130 interrupted.
    """

    def run(client: ApiClient) -> int:
        response, saved = converse(client, question, sleep)
        for line in answer_lines(response, saved):
            typer.echo(line)
        return verdict(response, saved)

    return guarded(question, run, transport)


def guarded(question: Question, run: Callable[[ApiClient], int], transport: httpx2.BaseTransport | None) -> int:
    """Do something as the one who asks; what goes wrong is told in a line. Returns the exit code."""
    try:
        with ApiClient(question.url, user=question.user, token=question.token, transport=transport) as client:
            return run(client)
    except CliError as error:
        _complain(str(error))
        return WENT_WRONG
    except KeyboardInterrupt:
        _complain("interrupted")
        return INTERRUPTED


def converse(client: ApiClient, question: Question, sleep: Sleep) -> tuple[FinalResponse, list[Saved]]:
    """Ask, wait, and save the files. Returns the answer and what became of its files. Raises CliError."""
    if question.out:
        make_folder(question.out)
    response = _await(client, _start(client, question, sleep), sleep)
    return response, list(save_all(client, files_of(response), question.out)) if question.out else []


def _start(client: ApiClient, question: Question, sleep: Sleep) -> TurnStarted:
    session_id = _session(client, question)
    keys = [_upload(client, path, session_id, sleep) for path in question.files]
    return client.start_turn(session_id, question.message, tools=question.tools, files=keys)


def _session(client: ApiClient, question: Question) -> str:
    if question.session is None:
        return client.start_session(question.model).session_id
    if question.model is not None:
        client.choose_model(question.session, question.model)
    return question.session


def _upload(client: ApiClient, path: Path, session_id: str, sleep: Sleep) -> str:
    stored = send(client, path, session_id, sleep)
    if stored.name != path.name:
        typer.echo(f"{one_line(path.name)} is called {one_line(stored.name)} there", err=True)
    return stored.file_key


def _await(client: ApiClient, turn: TurnStarted, sleep: Sleep) -> FinalResponse:
    try:
        with Watcher(Console(stderr=True)) as watcher:
            for event in follow(client, turn, sleep):
                watcher.show(event)
        return patiently(lambda: client.turn(turn), sleep)
    except (CliError, KeyboardInterrupt) as end:
        if not isinstance(end, CliError) or end.retryable:
            typer.echo(f"Turn {turn.turn_id} goes on without us: {client.address(turn)}", err=True)
        raise


def verdict(response: FinalResponse, saved: Sequence[Saved]) -> int:
    """Return the exit code of a turn that has ended, and complain where it is not 0."""
    if response.status != TurnStatus.COMPLETE:
        why = f": {response.error.message} ({response.error.error_code})" if response.error else ""
        _complain(f"the turn ended as {response.status}{why}")
        return NOT_COMPLETE
    return WENT_WRONG if any(file.problem for file in saved) else COMPLETE


def _complain(what: str) -> None:
    typer.echo(f"satchel: {one_line(what)}", err=True)

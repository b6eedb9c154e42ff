"""`satchel ask`: send one message, follow its turn to the end, print the answer and save its files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from rich.console import Console

from local.cli.connection import Connection, run_with_client
from local.cli.download import SavedFile, ensure_folder, save_all
from local.cli.errors import ExitCode, print_error
from local.cli.prompts import expanded_message
from local.cli.questions import answer_question
from local.cli.render import TurnProgress, answer_lines, files_of
from local.cli.text import one_line
from local.cli.upload import upload_file
from satchel.domain.ids import SessionId
from satchel_client import Client, SatchelError, Session, Turn
from satchel_client.models import FinalResponse, InputRequested


@dataclass(frozen=True)
class Question:
    """A message for the model. ``files`` are uploaded first. Answer files are saved in the folder ``out``, if set.

    ``tools`` limits the tools that the model can call. If ``session`` is None, a new session is started.
    """

    message: str
    files: Sequence[Path] = ()
    tools: Sequence[str] = ()
    session: SessionId | None = None
    model: str | None = None
    out: Path | None = None


def ask_question(connection: Connection, question: Question) -> ExitCode:
    """Send a message, wait for the answer, print the answer and save its files.

    A message ``/server.prompt`` with arguments becomes the message of that prompt, with its files attached.

    Return SUCCESS if the turn completed, FAILURE if it failed or was canceled, ERROR if a request or a file failed.
    """

    def run(client: Client) -> ExitCode:
        with expanded_message(client, question.message) as message:
            expanded = replace(question, message=message.text, files=[*question.files, *message.files])
            response, saved = converse(client, expanded)
        for line in answer_lines(response, list(map(str, saved))):
            typer.echo(line)
        return turn_exit_code(response, saved)

    return run_with_client(connection, run)


def converse(client: Client, question: Question) -> tuple[FinalResponse, list[SavedFile]]:
    """Send a message, wait for the answer and save its files. Return the response, and the saved files."""
    if question.out:
        ensure_folder(question.out)
    response = _wait_for_response(_start_turn(client, question))
    return response, list(save_all(client, files_of(response), question.out)) if question.out else []


def turn_exit_code(response: FinalResponse, saved: Sequence[SavedFile]) -> ExitCode:
    """Return the exit code of a finished turn. Print an error if the turn did not complete."""
    if response.status != "complete":
        reason = f": {response.error.message} ({response.error.error_code})" if response.error else ""
        print_error(f"the turn ended as {response.status}{reason}")
        return ExitCode.FAILURE
    return ExitCode.ERROR if any(file.error for file in saved) else ExitCode.SUCCESS


def _start_turn(client: Client, question: Question) -> Turn:
    session = _open_session(client, question)
    keys = [_upload(client, path, session.session_id) for path in question.files]
    return session.ask(question.message, tools=question.tools, files=keys)


def _open_session(client: Client, question: Question) -> Session:
    if question.session is None:
        return client.start_session(model=question.model)
    session = client.session(question.session)
    if question.model is not None:
        session.change(model=question.model)
    return session


def _upload(client: Client, path: Path, session_id: str) -> str:
    stored = upload_file(client, path, session_id)
    if stored.name != path.name:
        typer.echo(f"{one_line(path.name)} is stored as {one_line(stored.name)}", err=True)
    return stored.file_key


def _wait_for_response(turn: Turn) -> FinalResponse:
    try:
        with TurnProgress(Console(stderr=True)) as progress:
            for event in turn:
                if isinstance(event, InputRequested):
                    with progress.paused():
                        answer_question(turn, event)
                else:
                    progress.show(event)
        return turn.response()
    except (SatchelError, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) or error.retryable:
            typer.echo(f"Turn {turn.turn_id} continues on the server: {turn.url}", err=True)
        raise

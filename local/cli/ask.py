"""`satchel ask`: send one message, follow its turn to the end, print the answer and save its files."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from local.cli.api_client import ApiClient, Connection, Sleep, retry, run_with_client
from local.cli.download import SavedFile, ensure_folder, save_all
from local.cli.errors import CliError, ExitCode, print_error
from local.cli.prompts import expanded_message
from local.cli.questions import answer_question
from local.cli.render import TurnProgress, answer_lines, files_of
from local.cli.schemas import InputRequested, TurnEvent, TurnStarted
from local.cli.text import one_line
from local.cli.upload import upload_file
from satchel.domain.ids import FileKey, SessionId
from satchel.domain.responses import FinalResponse
from satchel.domain.sessions import TurnStatus

POLL_SECONDS = 20  # duration of one long poll, shorter than the 30 s after which gateways time out


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


def ask_question(connection: Connection, question: Question, *, sleep: Sleep = time.sleep) -> ExitCode:
    """Send a message, wait for the answer, print the answer and save its files.

    A message ``/server.prompt`` with arguments becomes the message of that prompt, with its files attached.

    Return SUCCESS if the turn completed, FAILURE if it failed or was canceled, ERROR if a request or a file failed.
    """

    def run(client: ApiClient) -> ExitCode:
        with expanded_message(client, question.message) as message:
            expanded = replace(question, message=message.text, files=[*question.files, *message.files])
            response, saved = converse(client, expanded, sleep)
        for line in answer_lines(response, list(map(str, saved))):
            typer.echo(line)
        return turn_exit_code(response, saved)

    return run_with_client(connection, run)


def converse(client: ApiClient, question: Question, sleep: Sleep) -> tuple[FinalResponse, list[SavedFile]]:
    """Send a message, wait for the answer and save its files. Return the response, and the saved files."""
    if question.out:
        ensure_folder(question.out)
    response = _wait_for_response(client, _start_turn(client, question, sleep), sleep)
    return response, list(save_all(client, files_of(response), question.out)) if question.out else []


def turn_exit_code(response: FinalResponse, saved: Sequence[SavedFile]) -> ExitCode:
    """Return the exit code of a finished turn. Print an error if the turn did not complete."""
    if response.status != TurnStatus.COMPLETE:
        reason = f": {response.error.message} ({response.error.error_code})" if response.error else ""
        print_error(f"the turn ended as {response.status}{reason}")
        return ExitCode.FAILURE
    return ExitCode.ERROR if any(file.error for file in saved) else ExitCode.SUCCESS


def _start_turn(client: ApiClient, question: Question, sleep: Sleep) -> TurnStarted:
    session_id = _session_id(client, question)
    keys = [_upload(client, path, session_id, sleep) for path in question.files]
    return client.start_turn(session_id, question.message, tools=question.tools, files=keys)


def _session_id(client: ApiClient, question: Question) -> SessionId:
    if question.session is None:
        return client.start_session(question.model).session_id
    if question.model is not None:
        client.set_model(question.session, question.model)
    return question.session


def _upload(client: ApiClient, path: Path, session_id: SessionId, sleep: Sleep) -> FileKey:
    stored = upload_file(client, path, session_id, sleep)
    if stored.name != path.name:
        typer.echo(f"{one_line(path.name)} is stored as {one_line(stored.name)}", err=True)
    return stored.file_key


def _wait_for_response(client: ApiClient, turn: TurnStarted, sleep: Sleep) -> FinalResponse:
    try:
        with TurnProgress(Console(stderr=True)) as progress:
            for event in _follow(client, turn, sleep):
                if isinstance(event, InputRequested):
                    with progress.paused():
                        answer_question(client, turn, event, sleep)
                else:
                    progress.show(event)
        return retry(partial(client.turn, turn), sleep)
    except (CliError, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) or error.retryable:
            typer.echo(f"Turn {turn.turn_id} continues on the server: {client.turn_url(turn)}", err=True)
        raise


def _follow(client: ApiClient, turn: TurnStarted, sleep: Sleep) -> Iterator[TurnEvent | InputRequested]:
    """Yield each event of the turn once, in order, until the turn ends.

    A broken connection loses no event: the next request continues after the last received event.
    """
    cursor, done = 0, False
    while not done:
        page = retry(partial(client.events, turn, after=cursor, wait=POLL_SECONDS), sleep)
        yield from page.events
        cursor, done = page.next, page.done

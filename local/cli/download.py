"""`satchel download`: find a file by its key or name and download it; save the files of an answer."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from uuid import uuid4

import typer
from rich.console import Console

from local.cli.connection import Connection, run_with_client
from local.cli.errors import (
    RESUME_HINT,
    CliError,
    ExitCode,
    MissingFileError,
    SaveError,
    message_of,
    print_transfer_error,
)
from local.cli.render import TransferBar, TurnFile
from satchel.contract.file_names import numbered_name, safe_name
from satchel.domain.ids import SessionId
from satchel.domain.prompt import format_size
from satchel_client import Client, SatchelError
from satchel_client.models import FileOut

_FILE_KEY = re.compile(r"f[0-9a-hjkmnp-tv-z]{26}")
_MAX_PREFIX_CHARS = 200  # the API's limit for `name_prefix`


@dataclass(frozen=True)
class SavedFile:
    """The result of saving a file at ``path``: saved, replaced, or failed with ``error``."""

    path: Path
    replaced: bool = False
    error: CliError | SatchelError | None = None

    def __str__(self) -> str:
        """Return ``saved PATH``, ``replaced PATH`` or ``not saved: REASON``, to print for the user."""
        if self.error:
            return f"not saved: {message_of(self.error)}"
        return f"{'replaced' if self.replaced else 'saved'} {self.path}"


def download_file(connection: Connection, name: str, session_id: SessionId | None, out: Path | None) -> ExitCode:
    """Download the file with this key or name, and print its path. With ``session_id``, search only that session."""

    def run(client: Client) -> ExitCode:
        try:
            file = _find(client, name, session_id)
            saved = _download(client, file, out)
        except (CliError, SatchelError) as error:
            print_transfer_error(name, error)
            return ExitCode.ERROR
        typer.echo(f"{saved}  {format_size(file.size)}")
        return ExitCode.SUCCESS

    return run_with_client(connection, run, interrupt_hint=RESUME_HINT)


def ensure_folder(folder: Path) -> None:
    """Create the folder if it is missing, or raise SaveError. Call this before a turn, so that errors appear early."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SaveError(f"{folder} cannot be used as a folder: {error.strerror}.") from error


def save_all(client: Client, files: Iterable[TurnFile], folder: Path) -> Iterator[SavedFile]:
    """Save each file of an answer under its own name and yield the result. A failed file does not stop the others.

    An existing file with the same name is replaced. If files of this answer have equal names, they get different names.
    Names that differ only in case count as equal, because many file systems ignore case.
    """
    used: set[str] = set()
    for file in files:
        path = _unused_path(folder, safe_name(file.name), used)
        used.add(path.name.casefold())
        replaced = path.exists()
        try:
            _save(client, file, path)
        except (CliError, SatchelError) as error:
            yield SavedFile(path, error=error)
        else:
            yield SavedFile(path, replaced)


def _unused_path(folder: Path, name: str, used: set[str]) -> Path:
    candidates = (numbered_name(name, number) for number in count(1))
    return next(folder / each for each in candidates if each.casefold() not in used and not (folder / each).is_dir())


def _save(client: Client, file: TurnFile, path: Path) -> None:
    if not file.download_url:
        raise SaveError(f"{path.name} has no download link: the file was deleted.")
    part = path.with_name(f".{uuid4().hex}.part")  # renamed when complete, so no partial file has the final name
    try:
        with client.files.open(file.download_url) as chunks, part.open("xb") as target:
            target.writelines(chunks)
        part.replace(path)
    except OSError as error:
        raise SaveError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)


def _find(client: Client, name: str, session_id: SessionId | None) -> FileOut:
    """Return the file with this key, or the newest file with this name. Raise MissingFileError if there is none."""
    if _FILE_KEY.fullmatch(name):
        return client.files.read(name)
    files = client.files.list(name_prefix=name[:_MAX_PREFIX_CHARS], session_id=session_id)
    matches = [file for file in files if file.name == name]
    if not matches:
        raise MissingFileError(f"You have no file named {name}.")
    return max(matches, key=lambda file: file.created_at)


def _download(client: Client, file: FileOut, out: Path | None) -> SavedFile:
    """Download a file into ``out`` if that is a folder, otherwise to the path ``out``."""
    path = _destination(file, out)
    replaced = path.exists()
    try:
        with TransferBar(Console(stderr=True), file.name, file.size) as bar:
            client.files.download(file, path, progress=bar.advance)
    except OSError as error:
        raise SaveError(f"{path} cannot be written: {error.strerror}.") from error
    return SavedFile(path, replaced)


def _destination(file: FileOut, out: Path | None) -> Path:
    name = safe_name(file.name)
    if out is None:
        return Path(name)
    return out / name if out.is_dir() else out

"""`satchel download`: download a file of any size and resume an interrupted download; save the files of an answer.

An unfinished download is stored beside its destination as ``.{name}.{etag}.part``. The ETag identifies the file's
version, so the bytes of different versions are never mixed.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import typer
from rich.console import Console

from local.cli.api_client import RETRY_DELAYS, ApiClient, Connection, Sleep, run_with_client
from local.cli.errors import (
    RESUME_HINT,
    CliError,
    ExitCode,
    MissingFileError,
    SaveError,
    UnexpectedResponseError,
    print_transfer_error,
)
from local.cli.render import TransferBar, TurnFile
from local.cli.schemas import FilePage, StoredFile
from satchel.contract.file_names import numbered_name, safe_name
from satchel.domain.ids import FileKey, SessionId
from satchel.domain.prompt import format_size

_FILE_KEY = re.compile(r"f[0-9a-hjkmnp-tv-z]{26}")
_MAX_PREFIX_CHARS = 200  # the API's limit for `name_prefix`


@dataclass(frozen=True)
class SavedFile:
    """The result of saving a file at ``path``: saved, replaced, or failed with ``error``."""

    path: Path
    replaced: bool = False
    error: CliError | None = None

    def __str__(self) -> str:
        """Return ``saved PATH``, ``replaced PATH`` or ``not saved: REASON``, to print for the user."""
        if self.error:
            return f"not saved: {self.error}"
        return f"{'replaced' if self.replaced else 'saved'} {self.path}"


def download_file(
    connection: Connection, name: str, session_id: SessionId | None, out: Path | None, *, sleep: Sleep = time.sleep
) -> ExitCode:
    """Download the file with this key or name, and print its path. With ``session_id``, search only that session."""

    def run(client: ApiClient) -> ExitCode:
        try:
            file = _find(client, name, session_id)
            saved = _download(client, file, out, sleep)
        except CliError as error:
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


def save_all(client: ApiClient, files: Iterable[TurnFile], folder: Path) -> Iterator[SavedFile]:
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
        except CliError as error:
            yield SavedFile(path, error=error)
        else:
            yield SavedFile(path, replaced)


def _unused_path(folder: Path, name: str, used: set[str]) -> Path:
    candidates = (numbered_name(name, number) for number in count(1))
    return next(folder / each for each in candidates if each.casefold() not in used and not (folder / each).is_dir())


def _save(client: ApiClient, file: TurnFile, path: Path) -> None:
    if not file.download_url:
        raise SaveError(f"{path.name} has no download link: the file was deleted.")
    part = path.with_name(f".{uuid4().hex}.part")  # renamed when complete, so no partial file has the final name
    try:
        with client.download(file.download_url) as chunks, part.open("xb") as target:
            target.writelines(chunks)
        part.replace(path)
    except OSError as error:
        raise SaveError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)


def _find(client: ApiClient, name: str, session_id: SessionId | None) -> StoredFile:
    """Return the file with this key, or the newest file with this name. Raise CliError if there is no such file."""
    if _FILE_KEY.fullmatch(name):
        return _stored_file(client, FileKey(name))
    matches = [file for file in _files_with_prefix(client, name, session_id) if file.name == name]
    if not matches:
        raise MissingFileError(f"You have no file named {name}.")
    return max(matches, key=lambda file: file.created_at)


def _stored_file(client: ApiClient, key: FileKey) -> StoredFile:
    return client.request(StoredFile, "GET", f"/api/files/{quote(key)}", params={"content": "false"})


def _files_with_prefix(client: ApiClient, name: str, session_id: SessionId | None) -> Iterator[StoredFile]:
    params: dict[str, Any] = {"name_prefix": name[:_MAX_PREFIX_CHARS], "limit": 100}
    if session_id:
        params["session_id"] = session_id
    while True:
        page = client.request(FilePage, "GET", "/api/files", params=params)
        yield from page.files
        if not page.cursor:
            return
        params["cursor"] = page.cursor


def _download(client: ApiClient, file: StoredFile, out: Path | None, sleep: Sleep) -> SavedFile:
    """Download a file into ``out`` if that is a folder, otherwise to the path ``out``. Raise CliError on failure."""
    path = _destination(file, out)
    replaced = path.exists()
    try:
        part = _PartialDownload(client, file, path)
        with TransferBar(Console(stderr=True), file.name, part.size) as bar:
            part.complete(bar, sleep)
        part.path.replace(path)
    except OSError as error:
        raise SaveError(f"{path} cannot be written: {error.strerror}.") from error
    return SavedFile(path, replaced)


def _destination(file: StoredFile, out: Path | None) -> Path:
    name = safe_name(file.name)
    if out is None:
        return Path(name)
    return out / name if out.is_dir() else out


class _PartialDownload:
    """An unfinished download of one version of a file. The file at ``path`` contains the bytes received so far."""

    def __init__(self, client: ApiClient, file: StoredFile, destination: Path) -> None:
        self._client, self._file = client, file
        with client.open(self._link(), "HEAD") as head:
            etag, self.size = head.headers.get("ETag", ""), int(head.headers["Content-Length"])
        version = safe_name(etag.replace('"', ""))
        self.path = destination.with_name(f".{destination.name}.{version}.part")

    def complete(self, bar: TransferBar, sleep: Sleep) -> None:
        """Download the missing bytes. Reconnect after an error. The retry delays start over when bytes have arrived."""
        delays = iter(RETRY_DELAYS)
        with self.path.open("ab") as target:
            bar.advance(target.tell())
            while target.tell() < self.size:
                before = target.tell()
                try:
                    self._append(target.fileno(), before, bar)
                except CliError as error:
                    target.seek(0, os.SEEK_END)
                    delays = iter(RETRY_DELAYS) if target.tell() > before else delays
                    delay = next(delays, None)
                    if not error.retryable or delay is None:
                        raise
                    sleep(delay)
                target.seek(0, os.SEEK_END)
        if self.path.stat().st_size != self.size:
            self.path.unlink()
            raise UnexpectedResponseError(f"The server sent more bytes than {self._file.name} has; nothing was saved.")

    def _append(self, target: int, offset: int, bar: TransferBar) -> None:
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={offset}-"} if offset else {})
        with self._client.open(self._link(), **headers) as response:
            if offset and response.status_code != HTTPStatus.PARTIAL_CONTENT:
                os.ftruncate(target, 0)  # start over: the server ignored the Range header and sends the whole file
                bar.advance(-offset)
            for chunk in response.iter_raw():
                os.write(target, chunk)
                bar.advance(len(chunk))

    def _link(self) -> str:
        """Return a new download link for each request: a link is valid for minutes, but a download may take hours."""
        file = _stored_file(self._client, self._file.file_key)
        if file.version != self._file.version or not file.download_url:
            raise MissingFileError(f"{self._file.name} has changed in the meantime; download it again.")
        return file.download_url

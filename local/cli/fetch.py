"""Fetching a file of any size into this machine, going on where an attempt before was broken off.

What has come lies beside its place as ``.{name}.{etag}.part``: the version's ETag is in the name, so that the bytes of
one version are never continued with those of another.
"""

import os
import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console

from local.cli.api import ApiClient
from local.cli.errors import CliError, NoSuchFileError, SavingError, StrangeAnswerError
from local.cli.follow import PAUSES, Sleep
from local.cli.save import Saved
from local.cli.transfer import TransferBar
from local.cli.wire import FileListing, StoredFile
from satchel.contract.names import safe_name

_KEY = re.compile(r"f[0-9a-hjkmnp-tv-z]{26}")
_MOST_PREFIX = 200  # characters, as the API has it


def find(client: ApiClient, wanted: str, session_id: str | None) -> StoredFile:
    """Return the file of this key, or the newest of this name. Raises CliError."""
    if _KEY.fullmatch(wanted):
        return client.ask(StoredFile, "GET", f"/api/files/{quote(wanted)}", params={"content": "false"})
    named = [file for file in _named(client, wanted, session_id) if file.name == wanted]
    if not named:
        raise NoSuchFileError(f"You have no file of the name {wanted}.")
    return max(named, key=lambda file: file.created_at)


def _named(client: ApiClient, name: str, session_id: str | None) -> Iterator[StoredFile]:
    asked: dict[str, Any] = {"name_prefix": name[:_MOST_PREFIX], "limit": 100}
    if session_id:
        asked["session_id"] = session_id
    while True:
        page = client.ask(FileListing, "GET", "/api/files", params=asked)
        yield from page.files
        if not page.cursor:
            return
        asked["cursor"] = page.cursor


def fetch(client: ApiClient, file: StoredFile, out: Path | None, sleep: Sleep) -> Saved:
    """Bring a file to its place: in ``out``, where that is a folder, else as ``out``. Raises CliError."""
    path = _place(file, out)
    replaced = path.exists()
    try:
        part = _Part(client, file, path)
        with TransferBar(Console(stderr=True), file.name, part.size) as bar:
            part.complete(bar, sleep)
        part.path.replace(path)
    except OSError as error:
        raise SavingError(f"{path} cannot be written: {error.strerror}.") from error
    return Saved(path, replaced)


def _place(file: StoredFile, out: Path | None) -> Path:
    name = safe_name(file.name)
    if out is None:
        return Path(name)
    return out / name if out.is_dir() else out


class _Part:
    """What has come of one version."""

    def __init__(self, client: ApiClient, file: StoredFile, place: Path) -> None:
        self._client, self._file = client, file
        with client.open(self._link(), "HEAD") as head:
            etag, self.size = head.headers.get("ETag", ""), int(head.headers["Content-Length"])
        version = safe_name(etag.replace('"', ""))
        self.path = place.with_name(f".{place.name}.{version}.part")

    def complete(self, bar: TransferBar, sleep: Sleep) -> None:
        """Fetch what is missing; a connection that breaks is made again as long as bytes come."""
        pauses = iter(PAUSES)
        with self.path.open("ab") as target:
            bar.advance(target.tell())
            while target.tell() < self.size:
                before = target.tell()
                try:
                    self._go_on(target.fileno(), before, bar)
                except CliError as error:
                    target.seek(0, os.SEEK_END)
                    pauses = iter(PAUSES) if target.tell() > before else pauses
                    pause = next(pauses, None)
                    if not error.retryable or pause is None:
                        raise
                    sleep(pause)
                target.seek(0, os.SEEK_END)
        if self.path.stat().st_size != self.size:
            self.path.unlink()
            raise StrangeAnswerError(f"More came of {self._file.name} than it has; nothing was kept.")

    def _go_on(self, target: int, first: int, bar: TransferBar) -> None:
        asked = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={first}-"} if first else {})
        with self._client.open(self._link(), **asked) as answer:
            if first and answer.status_code != HTTPStatus.PARTIAL_CONTENT:
                os.ftruncate(target, 0)  # the whole comes instead
                bar.advance(-first)
            for piece in answer.iter_raw():
                os.write(target, piece)
                bar.advance(len(piece))

    def _link(self) -> str:
        """Return a fresh link: each lives a few minutes, and a transfer may take hours."""
        path = f"/api/files/{quote(self._file.file_key)}"
        file = self._client.ask(StoredFile, "GET", path, params={"content": "false"})
        if file.version != self._file.version or not file.download_url:
            raise NoSuchFileError(f"{self._file.name} has changed since; fetch it again.")
        return file.download_url

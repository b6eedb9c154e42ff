"""Sending a file of any size: parts side by side, checksummed, and going on where an attempt before was broken off."""

import base64
import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from threading import Event
from typing import IO, Any

from rich.console import Console

from local.cli.api import ApiClient
from local.cli.errors import CliError, FileChangedError, RefusedError
from local.cli.follow import Sleep, patiently
from local.cli.transfer import TransferBar
from local.cli.wire import SignedParts, StoredFile, UnfinishedUpload, UploadedPart, UploadListing

SMALL = 1 << 20  # bytes; one request carries it on every deployment
_AT_ONCE = 4  # parts on their way, each held in memory once
_PIECE = 256 << 10  # bytes between two steps of the bar
_UPLOADS = "/api/files/uploads"


def send(client: ApiClient, path: Path, session_id: str | None, sleep: Sleep) -> StoredFile:
    """Upload a file of this machine and return what it is there. Raises CliError."""
    with path.open("rb") as source:
        size = os.fstat(source.fileno()).st_size
        if size <= SMALL:
            return client.upload(path, session_id)
        upload, stored = _resumed(client, path, size, session_id) or (_begun(client, path, size, session_id), [])
        with TransferBar(Console(stderr=True), path.name, size) as bar:
            _Sending(client, source, upload, bar, sleep).run(stored)
    return patiently(lambda: client.ask(StoredFile, "POST", f"{_UPLOADS}/{upload.upload_id}/complete"), sleep)


def _begun(client: ApiClient, path: Path, size: int, session_id: str | None) -> UnfinishedUpload:
    wanted: dict[str, Any] = {"name": path.name, "size": size, "session_id": session_id}
    return client.ask(UnfinishedUpload, "POST", _UPLOADS, json=wanted)


def _resumed(
    client: ApiClient, path: Path, size: int, session_id: str | None
) -> tuple[UnfinishedUpload, list[UploadedPart]] | None:
    """Find the upload of this file that was broken off, with the parts that came."""
    for upload in _unfinished(client):
        if (upload.name, upload.size, upload.session_id) == (path.name, size, session_id):
            return upload, list(_stored(client, upload))
    return None


def _unfinished(client: ApiClient) -> Iterator[UnfinishedUpload]:
    asked: dict[str, Any] = {"limit": 100}
    while True:
        page = client.ask(UploadListing, "GET", _UPLOADS, params=asked)
        yield from page.uploads
        if not page.cursor:
            return
        asked["cursor"] = page.cursor


def _stored(client: ApiClient, upload: UnfinishedUpload) -> Iterator[UploadedPart]:
    asked: dict[str, Any] = {}
    while True:
        page = client.ask(UnfinishedUpload, "GET", f"{_UPLOADS}/{upload.upload_id}", params=asked)
        yield from page.stored
        if not page.cursor:
            return
        asked["cursor"] = page.cursor


class _StoppedError(CliError):
    """Another part failed, or the person has had enough."""


@dataclass(frozen=True)
class _Sending:
    """One upload, from the parts that the store has to all of them."""

    client: ApiClient
    source: IO[bytes]
    upload: UnfinishedUpload
    bar: TransferBar
    sleep: Sleep
    stopping: Event = field(default_factory=Event)

    def run(self, stored: Sequence[UploadedPart]) -> None:
        """Send what is not there, several parts at a time. Raises CliError, the first that there is."""
        before = self._state()
        known = {part.number: part.sha256 for part in stored}
        pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="upload")
        try:
            numbers = range(1, self.upload.part_count + 1)
            done, _ = wait([pool.submit(self._part, n, known.get(n)) for n in numbers], return_when=FIRST_EXCEPTION)
        finally:
            self.stopping.set()
            pool.shutdown(cancel_futures=True)
        errors = [error for one in done if (error := one.exception()) is not None]
        if errors:
            raise next((error for error in errors if not isinstance(error, _StoppedError)), errors[0])
        if self._state() != before:
            raise FileChangedError(f"{self.source.name} changed while it was sent; send it again.")

    def _state(self) -> tuple[int, int]:
        now = os.fstat(self.source.fileno())
        return now.st_size, now.st_mtime_ns

    def _part(self, number: int, known: str | None) -> None:
        """Send a part, unless the store has these very bytes."""
        offset = (number - 1) * self.upload.part_bytes
        body = os.pread(self.source.fileno(), self.upload.part_bytes, offset)
        sha256 = base64.b64encode(hashlib.sha256(body).digest()).decode()
        if known == sha256:
            self.bar.advance(len(body))
            return
        patiently(lambda: self._put(number, sha256, body), self.sleep)

    def _put(self, number: int, sha256: str, body: bytes) -> None:
        """Sign the part anew and send it: an address of an attempt before may have run out."""
        wanted = {"parts": [{"number": number, "sha256": sha256}]}
        path = f"{_UPLOADS}/{self.upload.upload_id}/parts"
        [part] = self.client.ask(SignedParts, "POST", path, json=wanted).parts
        gone = 0

        def pieces() -> Iterator[bytes]:
            nonlocal gone
            view = memoryview(body)
            for start in range(0, len(body), _PIECE):
                if self.stopping.is_set():
                    raise _StoppedError
                piece = view[start : start + _PIECE]
                yield bytes(piece)
                gone += len(piece)
                self.bar.advance(len(piece))

        try:
            self.client.put(part.url, pieces(), part.headers | {"Content-Length": str(len(body))})
        except CliError as error:
            self.bar.advance(-gone)
            if isinstance(error, RefusedError):  # the store's own words are XML, for programs
                error.retryable = error.retryable or error.status == HTTPStatus.INTERNAL_SERVER_ERROR
            raise

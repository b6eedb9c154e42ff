"""`satchel upload`: upload files of any size in parallel parts with checksums, and resume an interrupted upload."""

import base64
import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from pathlib import Path
from threading import Event
from typing import IO, Any

import typer
from rich.console import Console

from local.cli.api_client import ApiClient, Connection, Sleep, retry, run_with_client
from local.cli.errors import RESUME_HINT, ApiError, CliError, ExitCode, FileChangedError, print_transfer_error
from local.cli.render import TransferBar
from local.cli.schemas import SignedParts, StoredFile, UnfinishedUpload, UploadedPart, UploadPage
from local.cli.text import one_line
from satchel.domain.ids import SessionId
from satchel.domain.prompt import format_size

MAX_SINGLE_REQUEST_BYTES = 1 << 20  # bytes that every deployment accepts in a request; larger files are sent in parts
_PARALLEL_PARTS = 4  # number of parts that are in memory and uploaded at the same time
_CHUNK_BYTES = 256 << 10  # bytes sent between two updates of the progress bar
_UPLOADS = "/api/files/uploads"


def upload_files(
    connection: Connection, paths: Sequence[Path], session_id: SessionId | None, *, sleep: Sleep = time.sleep
) -> ExitCode:
    """Upload each file and print its key. If a file fails, continue with the next file, and return ERROR."""

    def run(client: ApiClient) -> ExitCode:
        code = ExitCode.SUCCESS
        for path in paths:
            try:
                stored = upload_file(client, path, session_id, sleep)
            except CliError as error:
                print_transfer_error(path.name, error)
                code = ExitCode.ERROR
            else:
                version = f"  version {stored.version}" if stored.version > 1 else ""
                typer.echo(f"{stored.file_key}  {one_line(stored.name)}  {format_size(stored.size)}{version}")
        return code

    return run_with_client(connection, run, interrupt_hint=RESUME_HINT)


def upload_file(client: ApiClient, path: Path, session_id: SessionId | None, sleep: Sleep) -> StoredFile:
    """Upload a file, or raise CliError. Return its record. If ``session_id`` is None, add it to My Files only."""
    with path.open("rb") as source:
        size = os.fstat(source.fileno()).st_size
        if size <= MAX_SINGLE_REQUEST_BYTES:
            return client.upload(path, session_id)
        upload, uploaded = _resume(client, path, size, session_id) or (_begin(client, path, size, session_id), [])
        with TransferBar(Console(stderr=True), path.name, size) as bar:
            _PartUploader(client, source, upload, bar, sleep).run(uploaded)
    return retry(partial(client.request, StoredFile, "POST", f"{_UPLOADS}/{upload.upload_id}/complete"), sleep)


def _begin(client: ApiClient, path: Path, size: int, session_id: SessionId | None) -> UnfinishedUpload:
    body: dict[str, Any] = {"name": path.name, "size": size, "session_id": session_id}
    return client.request(UnfinishedUpload, "POST", _UPLOADS, json=body)


def _resume(
    client: ApiClient, path: Path, size: int, session_id: SessionId | None
) -> tuple[UnfinishedUpload, list[UploadedPart]] | None:
    """Return the unfinished upload of this file and its uploaded parts, or None if there is no such upload."""
    for upload in _unfinished_uploads(client):
        if (upload.name, upload.size, upload.session_id) == (path.name, size, session_id):
            return upload, list(_uploaded_parts(client, upload))
    return None


def _unfinished_uploads(client: ApiClient) -> Iterator[UnfinishedUpload]:
    params: dict[str, Any] = {"limit": 100}
    while True:
        page = client.request(UploadPage, "GET", _UPLOADS, params=params)
        yield from page.uploads
        if not page.cursor:
            return
        params["cursor"] = page.cursor


def _uploaded_parts(client: ApiClient, upload: UnfinishedUpload) -> Iterator[UploadedPart]:
    params: dict[str, Any] = {}
    while True:
        page = client.request(UnfinishedUpload, "GET", f"{_UPLOADS}/{upload.upload_id}", params=params)
        yield from page.stored
        if not page.cursor:
            return
        params["cursor"] = page.cursor


class _CancelledError(CliError):
    """The upload of a file's part was canceled, because another part failed or the user interrupted the command."""


@dataclass(frozen=True)
class _PartUploader:
    """Uploads those parts of one file that the server has not stored yet."""

    client: ApiClient
    source: IO[bytes]
    upload: UnfinishedUpload
    bar: TransferBar
    sleep: Sleep
    cancelled: Event = field(default_factory=Event)

    def run(self, uploaded: Sequence[UploadedPart]) -> None:
        """Upload the missing parts in parallel. Raise the first CliError, or FileChangedError if the file changed."""
        before = self._fingerprint()
        checksums = {part.number: part.sha256 for part in uploaded}
        pool = ThreadPoolExecutor(_PARALLEL_PARTS, thread_name_prefix="upload")
        try:
            numbers = range(1, self.upload.part_count + 1)
            futures = [pool.submit(self._upload_part, number, checksums.get(number)) for number in numbers]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            self.cancelled.set()
            pool.shutdown(cancel_futures=True)
        errors = [error for future in done if (error := future.exception()) is not None]
        if errors:
            raise next((error for error in errors if not isinstance(error, _CancelledError)), errors[0])
        if self._fingerprint() != before:
            raise FileChangedError(f"{self.source.name} changed during the upload; upload it again.")

    def _fingerprint(self) -> tuple[int, int]:
        status = os.fstat(self.source.fileno())
        return status.st_size, status.st_mtime_ns

    def _upload_part(self, number: int, uploaded_sha256: str | None) -> None:
        """Upload a part of the file, unless the server has already stored a part with the same checksum."""
        offset = (number - 1) * self.upload.part_bytes
        body = os.pread(self.source.fileno(), self.upload.part_bytes, offset)
        sha256 = base64.b64encode(hashlib.sha256(body).digest()).decode()
        if uploaded_sha256 == sha256:
            self.bar.advance(len(body))
            return
        retry(partial(self._put, number, sha256, body), self.sleep)

    def _put(self, number: int, sha256: str, body: bytes) -> None:
        """Send the part to a new presigned URL, because the URL of an earlier attempt may have expired."""
        request = {"parts": [{"number": number, "sha256": sha256}]}
        path = f"{_UPLOADS}/{self.upload.upload_id}/parts"
        [part] = self.client.request(SignedParts, "POST", path, json=request).parts
        sent = 0

        def chunks() -> Iterator[bytes]:
            nonlocal sent
            view = memoryview(body)
            for start in range(0, len(body), _CHUNK_BYTES):
                if self.cancelled.is_set():
                    raise _CancelledError
                chunk = view[start : start + _CHUNK_BYTES]
                yield bytes(chunk)
                sent += len(chunk)
                self.bar.advance(len(chunk))

        try:
            self.client.put(part.url, chunks(), part.headers | {"Content-Length": str(len(body))})
        except CliError as error:
            self.bar.advance(-sent)
            if isinstance(error, ApiError):  # retry after status 500, which S3 sends for temporary failures
                error.retryable = error.retryable or error.status == HTTPStatus.INTERNAL_SERVER_ERROR
            raise

"""Files: upload, list, download and share them. Transfers resume where they broke."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from satchel_client._protocol import (
    CHUNK_BYTES,
    MAX_SINGLE_REQUEST_BYTES,
    PARALLEL_PARTS,
    UPLOADS,
    BytesSource,
    PathSource,
    Source,
    checksum,
    file_path,
    part_file,
    present,
)
from satchel_client._sync.http import Http
from satchel_client._sync.runtime import IsStopped, in_thread, run_parallel
from satchel_client.errors import ApiError, FileChanged, FileReplaced, SatchelError, UnexpectedResponse
from satchel_client.models import (
    FileOut,
    FilePage,
    FileVersions,
    LinkWithUrl,
    ResponseArtifact,
    ResponseDeferred,
    SignedParts,
    StoredPartOut,
    UploadOut,
    UploadPage,
    UploadWithParts,
)

StoredFile = FileOut | ResponseArtifact | ResponseDeferred
Progress = Callable[[int], None]
"""Receives the number of bytes that were transferred; a negative number if they must be transferred again."""


def _ignore(_count: int) -> None:
    """Ignore the progress."""


class Files:
    """The files of the signed-in user."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def upload(
        self,
        source: Path | bytes,
        *,
        name: str | None = None,
        mime: str | None = None,
        session_id: str | None = None,
        progress: Progress = _ignore,
        idempotency_key: str | None = None,
    ) -> FileOut:
        """Upload a file of any size and return its record. ``source`` is its path, or its content with a ``name``.

        A second request with the same ``idempotency_key`` returns the same file, also if it has newer versions.
        The file belongs to a session, or without ``session_id`` to the user only. A large file is sent in parts; the
        upload of a file with the same name and size that was interrupted continues. ``progress`` is called from several
        threads. Raise FileChanged if the file changes meanwhile, and OSError if it cannot be read.
        """
        if name is None and isinstance(source, bytes):
            raise ValueError("The content of a file needs a name.")
        fields = present(name=name or getattr(source, "name", None), mime=mime, session_id=session_id)
        with BytesSource(source) if isinstance(source, bytes) else PathSource(source) as content:
            if content.size <= MAX_SINGLE_REQUEST_BYTES:
                stored = self._upload_at_once(content.read(0, content.size), fields, idempotency_key)
                progress(content.size)
                return stored
            upload_id = self._upload_in_parts(content, fields, progress, idempotency_key)
        return self._http.request(FileOut, "POST", f"{UPLOADS}/{upload_id}/complete")

    def _upload_at_once(self, content: bytes, fields: dict[str, Any], key: str | None) -> FileOut:
        form = {name: value for name, value in fields.items() if name != "name"}
        return self._http.request(
            FileOut, "POST", "/api/files", data=form, files={"file": (fields["name"], content)}, idempotency_key=key
        )

    def _upload_in_parts(self, content: Source, fields: dict[str, Any], progress: Progress, key: str | None) -> str:
        """Send the parts that the server does not have, and return the id of the upload."""
        try:
            upload, parts = self._resume(fields, content.size) or (
                self._begin(fields, content.size, key),
                [],
            )
        except ApiError as error:
            if error.code == "E_UPLOAD_NOT_FOUND":  # an earlier request with the key has completed its upload
                return str(error.details["upload_id"])
            raise
        _PartUploader(self._http, content, upload, progress).run(parts)
        return upload.upload_id

    def _begin(self, fields: dict[str, Any], size: int, key: str | None) -> UploadOut:
        body = {**fields, "size": size}
        return self._http.request(UploadOut, "POST", UPLOADS, json=body, idempotency_key=key)

    def _resume(self, fields: dict[str, Any], size: int) -> tuple[UploadOut, list[StoredPartOut]] | None:
        """Return the unfinished upload of this file and its stored parts, or None if there is no such upload."""
        for upload in self.uploads():
            if (upload.name, upload.size, upload.session_id) == (fields["name"], size, fields.get("session_id")):
                return upload, [part for part in self._stored_parts(upload)]
        return None

    def _stored_parts(self, upload: UploadOut) -> Iterator[StoredPartOut]:
        for page in self._http.pages(UploadWithParts, f"{UPLOADS}/{upload.upload_id}"):
            for part in page.stored:
                yield part

    def uploads(self) -> Iterator[UploadOut]:
        """Yield the user's unfinished uploads, newest first."""
        for page in self._http.pages(UploadPage, UPLOADS, limit=100):
            for upload in page.uploads:
                yield upload

    def list(
        self,
        *,
        session_id: str | None = None,
        source: str | None = None,
        category: str | None = None,
        name_prefix: str | None = None,
    ) -> Iterator[FileOut]:
        """Yield the user's files, newest first; with ``name_prefix``, sorted by name."""
        for page in self._http.pages(
            FilePage,
            "/api/files",
            limit=100,
            session_id=session_id,
            source=source,
            category=category,
            name_prefix=name_prefix,
        ):
            for file in page.files:
                yield file

    def read(self, file_key: str, *, version: int | None = None) -> FileOut:
        """Return the record of a file with a new download link."""
        params = present(content="false", version=version)
        return self._http.request(FileOut, "GET", file_path(file_key), params=params)

    def versions(self, file_key: str) -> Iterator[FileOut]:
        """Yield the versions of a file, newest first."""
        for page in self._http.pages(FileVersions, f"{file_path(file_key)}/versions"):
            for version in page.versions:
                yield version

    def keep(self, file_key: str) -> FileOut:
        """Keep a deferred or temporary file, which would otherwise be deleted."""
        return self._http.request(FileOut, "POST", f"{file_path(file_key)}/keep")

    def delete(self, file_key: str) -> None:
        """Delete a file with all its versions."""
        self._http.send("DELETE", file_path(file_key))

    def share(self, file_key: str, *, ttl_seconds: int = 3600, idempotency_key: str | None = None) -> LinkWithUrl:
        """Create a link to a file's newest version. Anyone who has its URL can download the file until it expires.

        A second request with the same ``idempotency_key`` returns the same link.
        """
        path, body = f"{file_path(file_key)}/link", {"ttl_seconds": ttl_seconds}
        return self._http.request(LinkWithUrl, "POST", path, json=body, idempotency_key=idempotency_key)

    @contextmanager
    def open(self, download_url: str) -> Iterator[Iterator[bytes]]:
        """Request a download link once, and yield an iterator over the file's bytes."""
        with self._http.open(download_url) as response:
            yield response.iter_bytes()

    def download(self, file: StoredFile, path: Path, *, progress: Progress = _ignore) -> None:
        """Save a file of any size under ``path`` and replace an existing file. Continue an interrupted download.

        The bytes received so far are in ``.{name}.{etag}.part`` beside ``path``. Raise FileReplaced if the file gets
        another version meanwhile, and OSError if ``path`` cannot be written.
        """
        with self._http.open(self._link(file), "HEAD") as head:
            etag, size = head.headers.get("ETag", ""), int(head.headers["Content-Length"])
        part = part_file(path, etag)
        with part.open("ab") as target:
            progress(target.tell())
            self._complete(file, target.fileno(), size, progress)
        if part.stat().st_size != size:
            part.unlink()
            raise UnexpectedResponse(f"The server sent more bytes than {file.name} has; nothing was saved.")
        part.replace(path)

    def _complete(self, file: StoredFile, target: int, size: int, progress: Progress) -> None:
        """Append the missing bytes. Reconnect after an error. The delays start over when bytes have arrived."""
        delays = iter(self._http.retry_delays)
        while (before := os.fstat(target).st_size) < size:
            try:
                self._append(self._link(file), target, before, progress)
            except SatchelError as error:
                delays = iter(self._http.retry_delays) if os.fstat(target).st_size > before else delays
                self._http.pause_before_retry(error, next(delays, None))

    def _append(self, link: str, target: int, offset: int, progress: Progress) -> None:
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={offset}-"} if offset else {})
        with self._http.open(link, **headers) as response:
            if offset and response.status_code != HTTPStatus.PARTIAL_CONTENT:
                os.ftruncate(target, 0)  # start over: the server ignored the Range header and sends the whole file
                progress(-offset)
            for chunk in response.iter_raw():
                in_thread(partial(os.write, target, chunk))
                progress(len(chunk))

    def _link(self, file: StoredFile) -> str:
        """Return a new download link for each request: a link is valid for minutes, but a download may take hours."""
        newest = self.read(file.file_key)
        if newest.version != file.version or not newest.download_url:
            raise FileReplaced(f"{file.name} has changed in the meantime; download it again.")
        return newest.download_url


class _Stopped(SatchelError):
    """A part is not sent to its end, because another part failed or the program was interrupted."""


class _PartUploader:
    """Sends those parts of one file that the server has not stored yet."""

    def __init__(self, http: Http, source: Source, upload: UploadOut, progress: Progress) -> None:
        self._http, self._source, self._upload, self._progress = http, source, upload, progress

    def run(self, stored: Iterable[StoredPartOut]) -> None:
        """Send the missing parts in parallel. Raise the first error, or FileChanged if the file changed."""
        before = self._source.fingerprint()
        checksums = {part.number: part.sha256 for part in stored}
        numbers = range(1, self._upload.part_count + 1)
        jobs = [partial(self._upload_part, number, checksums.get(number)) for number in numbers]
        run_parallel(jobs, PARALLEL_PARTS)
        if self._source.fingerprint() != before:
            raise FileChanged(f"{self._upload.name} changed during the upload; upload it again.")

    def _upload_part(self, number: int, stored_sha256: str | None, is_stopped: IsStopped) -> None:
        """Send a part of the file, unless the server has already stored a part with the same checksum."""
        size = self._upload.part_bytes
        content = in_thread(partial(self._source.read, (number - 1) * size, size))
        sha256 = in_thread(partial(checksum, content))
        if stored_sha256 == sha256:
            self._progress(len(content))
            return
        self._http.retry(partial(self._put, number, sha256, content, is_stopped))

    def _put(self, number: int, sha256: str, content: bytes, is_stopped: IsStopped) -> None:
        """Send the part to a new presigned URL, because the URL of an earlier attempt may have expired."""
        signed = self._http.request(
            SignedParts,
            "POST",
            f"{UPLOADS}/{self._upload.upload_id}/parts",
            json={"parts": [{"number": number, "sha256": sha256}]},
        )
        sent = 0

        def chunks() -> Iterator[bytes]:
            nonlocal sent
            for start in range(0, len(content), CHUNK_BYTES):
                if is_stopped():
                    raise _Stopped
                chunk = content[start : start + CHUNK_BYTES]
                yield chunk
                sent += len(chunk)
                self._progress(len(chunk))

        try:
            headers = signed.parts[0].headers | {"Content-Length": str(len(content))}
            self._http.put(signed.parts[0].url, chunks(), headers)
        except SatchelError as error:
            self._progress(-sent)
            if isinstance(error, ApiError):  # S3 answers 500 to temporary failures
                error.retryable = error.retryable or error.status == HTTPStatus.INTERNAL_SERVER_ERROR
            raise

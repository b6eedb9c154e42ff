"""The parts of the client that send nothing: addresses, headers, problem documents and the sources of uploads."""

import base64
import hashlib
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

from satchel_client.errors import ApiError, InvalidUrl

RETRY_DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between retries. A server can restart within their sum."""

MAX_RETRY_AFTER_SECONDS = 60.0
POLL_SECONDS = 20
"""Duration of one long poll, shorter than the 30 s after which gateways time out."""

MAX_SINGLE_REQUEST_BYTES = 1 << 20
"""Bytes that every deployment accepts in a request. Larger files are sent in parts."""

PARALLEL_PARTS = 4
"""Number of parts that are in memory and sent at the same time."""

CHUNK_BYTES = 256 << 10
"""Bytes sent between two reports of progress."""

UPLOADS = "/api/files/uploads"
_TIMEOUT = httpx2.Timeout(60.0, connect=5.0)  # exceeds the longest poll (25 s), and the time to store a large upload
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def http_options(url: str) -> dict[str, Any]:
    """Return the options of the HTTP client for a server. Raise InvalidUrl if its address is no http or https URL."""
    try:
        parts = httpx2.URL(url)
    except httpx2.InvalidURL as error:
        raise InvalidUrl(f"{url} is not a valid URL: {error}.") from error
    if parts.scheme not in {"http", "https"} or not parts.host:
        raise InvalidUrl(f"{url} is not an http or https URL.")
    return {"timeout": _TIMEOUT, "trust_env": parts.host not in _LOOPBACK}  # proxies cannot reach a loopback address


def identity_headers(token: str | None, user: str | None) -> list[tuple[bytes, bytes]]:
    """Return the headers that identify the caller, as bytes: the HTTP client rejects text that is not ASCII."""
    headers = [(b"X-Satchel-User", user.encode())] if user else []
    return [*headers, (b"Authorization", f"Bearer {token}".encode())] if token else headers


def api_path(path: str, token: str | None) -> str:
    """Return the path of an operation. A deployment accepts personal tokens only at a path of their own."""
    return f"/api/by-token{path}" if (token or "").startswith("satchel_") else path


def session_path(session_id: str) -> str:
    """Return the path of a session."""
    return f"/api/sessions/{quote(session_id, safe='')}"


def turn_path(session_id: str, turn_id: str) -> str:
    """Return the path of a turn."""
    return f"{session_path(session_id)}/turns/{quote(turn_id, safe='')}"


def file_path(file_key: str) -> str:
    """Return the path of a file."""
    return f"/api/files/{quote(file_key, safe='')}"


def present(**values: object) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


class _Problem(BaseModel):
    model_config = ConfigDict(extra="allow")

    title: str | None = None
    detail: str | None = None
    error_code: str | None = None


def api_error(response: httpx2.Response) -> ApiError:
    """Return the error of a response that has been read."""
    try:
        problem = _Problem.model_validate_json(response.content)
    except ValidationError:
        problem = _Problem()
    request = response.request
    detail = problem.detail or problem.title or f"The server refused {request.method} {request.url.path}"
    seconds = response.headers.get("Retry-After", "")
    retry_after = float(seconds) if seconds.isdecimal() else None
    return ApiError(response.status_code, detail, problem.error_code, problem.model_extra, retry_after)


def part_file(destination: Path, etag: str) -> Path:
    """Return the path of an unfinished download: the ETag keeps the bytes of different versions apart."""
    version = re.sub(r"[^\w.-]", "", etag)
    return destination.with_name(f".{destination.name}.{version}.part")


def checksum(content: bytes) -> str:
    """Return the SHA-256 of a part in base64."""
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


class Source(ABC):
    """The content of an upload. Use it as a context manager."""

    size: int

    def __enter__(self) -> Self:
        """Open the content."""
        return self

    def __exit__(self, *_exception: object) -> None:  # noqa: B027  (memory need not be closed)
        """Close the content."""

    @abstractmethod
    def read(self, offset: int, size: int) -> bytes:
        """Return at most ``size`` bytes from an offset. Several threads may read at the same time."""

    def fingerprint(self) -> Mapping[str, int]:
        """Return values that differ after a change of the content."""
        return {}


class BytesSource(Source):
    """Content in memory."""

    def __init__(self, content: bytes) -> None:
        self._content, self.size = content, len(content)

    def read(self, offset: int, size: int) -> bytes:
        """Return a part of the content."""
        return self._content[offset : offset + size]


class PathSource(Source):
    """A local file. Raise OSError if it cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Self:
        """Open the file and measure it."""
        self._file = self._path.open("rb")
        self.size = os.fstat(self._file.fileno()).st_size
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close the file."""
        self._file.close()

    def read(self, offset: int, size: int) -> bytes:
        """Return a part of the file."""
        return os.pread(self._file.fileno(), size, offset)

    def fingerprint(self) -> Mapping[str, int]:
        """Return the file's size and time of change."""
        status = os.fstat(self._file.fileno())
        return {"size": status.st_size, "mtime_ns": status.st_mtime_ns}

"""Moves files between Satchel and a server outside of MCP messages (draft SEP-2631, "File Objects and Transfer").

Only the servers whose entries set ``file_transfer`` use this module. Satchel asks the server where to send a file
(``files/authorizeUpload``), sends it, and passes the server's address of the file to the tool. It fetches the files
that a result names from the address that ``files/authorizeDownload`` returns. All addresses are of the server.

The draft of June 2026 leaves some points open. ``docs/servers.md`` lists how this module reads them.
"""

import hashlib
import os
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal, Self, TypeVar
from urllib.parse import quote

import anyio.to_thread
import httpx2
import pybase64
from mcp import ClientSession, MCPError
from mcp.client._transport import TransportStreams
from mcp.shared._stream_protocols import WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import CLIENT_CAPABILITIES_META_KEY, METHOD_NOT_FOUND, JSONRPCRequest, Request, RequestParams
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from satchel.adapters.mcp.guarded_transport import GuardedTransport
from satchel.contract.media_types import mime_of
from satchel.domain.servers import ServerEntry
from satchel.ports.tool_client import FileTransfer, ProgressUpdate

MAX_FILES = 20
"""The files of one result that are fetched."""

_CAPABILITY = {"upload": True, "download": True, "transports": ["https"]}
_SCHEME = "mcp-file:"
_RAW_RESULT: TypeAdapter[Any] = TypeAdapter(dict[str, Any])
_TIMEOUT = httpx2.Timeout(30.0)
_CHUNK = 1 << 20
_REPORT_BYTES = 8 << 20
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})
"""Headers that depend on the connection or the body, so the server cannot choose them."""

_Answer = TypeVar("_Answer", bound=BaseModel)
Report = Callable[[ProgressUpdate], None]


class TransferError(Exception):
    """A file could not be moved. The message says why, and contains no address: addresses give access to files."""


class _Model(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, hide_input_in_errors=True)


class _Digest(_Model):
    algorithm: str
    value: str


class _FileValue(_Model):
    """A file of the server: the address ``uri`` and, if known, its name, type, size and digest."""

    uri: str
    name: str | None = None
    mime_type: str | None = None
    size: int | None = None
    digest: _Digest | None = None


class _Multipart(_Model):
    file_field: str
    fields: dict[str, str] = {}


class _Descriptor(_Model):
    """A request that moves the bytes of a file."""

    transport: Literal["https"]
    method: Literal["GET", "PUT", "POST"]
    url: str
    headers: dict[str, str] = {}
    multipart: _Multipart | None = None


class _Upload(_Model):
    file: _FileValue
    upload: _Descriptor


class _Download(_Model):
    file: _FileValue
    download: _Descriptor


class _Params(RequestParams):
    uri: str | None = None
    name: str | None = None
    mime_type: str | None = None
    size: int | None = None
    digest: dict[str, str] | None = None


class _FileRequest(Request[_Params, str]):
    """``files/authorizeUpload`` or ``files/authorizeDownload``."""


class FileMover:
    """Moves the files of one call of a server. ``report`` gets the progress, so that a long transfer is no silence."""

    def __init__(self, entry: ServerEntry, files: FileTransfer, report: Report) -> None:
        self._entry = entry
        self._files = files
        self._report = report

    async def upload(self, session: ClientSession, arguments: dict[str, Any]) -> dict[str, Any]:
        """Send the input files that the arguments name. Return the arguments with the server's addresses in place.

        Raise TransferError if a file cannot be sent.
        """
        sent: dict[str, str] = {}
        replaced = dict(arguments)
        for argument in self._files.uploads & arguments.keys():
            value = arguments[argument]
            paths = value if isinstance(value, list) else [value]
            for path in paths:
                if isinstance(path, str) and path in self._files.inputs and path not in sent:
                    sent[path] = await self._send(session, self._files.inputs[path])
            uris = [sent.get(path, path) if isinstance(path, str) else path for path in paths]
            replaced[argument] = uris if isinstance(value, list) else uris[0]
        return replaced

    async def download(self, session: ClientSession, raw: dict[str, Any]) -> dict[str, Any]:
        """Return a result with a link to a local copy of each file that it names, or with a text why there is none.

        The structured content stays as it is: its addresses can be arguments of later calls.
        """
        if raw.get("isError"):
            return raw
        content = raw.get("content")
        others, found = _split(content if isinstance(content, list) else [])
        found += _file_values(raw.get("structuredContent"))
        distinct = {value.uri: value for value in found}
        if not distinct:
            return raw
        blocks = [await self._fetch_or_explain(session, value) for value in list(distinct.values())[:MAX_FILES]]
        blocks += [_explanation(value, "the result has too many") for value in list(distinct.values())[MAX_FILES:]]
        return raw | {"content": [*others, *blocks]}

    async def _send(self, session: ClientSession, name: str) -> str:
        with self._files.open_input(name) as body:
            size, digest = await anyio.to_thread.run_sync(_measure, body)
            params = _Params(name=name, mime_type=mime_of(name), size=size, digest=digest)
            answer = await self._authorize(session, "files/authorizeUpload", params, _Upload)
            request = answer.upload
            headers = self._headers(request)
            if request.method == "GET":
                raise TransferError("the server wants it with the method GET")
            body.seek(0)
            content: dict[str, Any]
            if request.multipart is None:
                headers = {"content-type": mime_of(name), **headers, "content-length": str(size)}
                content = {"content": self._chunks(body, name, size)}
            else:
                headers.pop("content-type", None)  # without the boundary, which only this client knows
                file = (name, body, mime_of(name))
                content = {"data": request.multipart.fields, "files": {request.multipart.file_field: file}}
                self._report(ProgressUpdate(progress=0, total=size, message=f"Sending {name}"))
            async with self._http() as http:
                with _named_errors():
                    response = await http.request(request.method, request.url, headers=headers, **content)
            if not response.is_success:
                raise TransferError(f"the server refused it (HTTP {response.status_code})")
        return answer.file.uri

    async def _chunks(self, body: IO[bytes], name: str, size: int) -> AsyncIterator[bytes]:
        done = 0
        while chunk := await anyio.to_thread.run_sync(body.read, _CHUNK):
            if done % _REPORT_BYTES == 0:
                self._report(ProgressUpdate(progress=done, total=size, message=f"Sending {name}"))
            done += len(chunk)
            yield chunk

    async def _fetch_or_explain(self, session: ClientSession, value: _FileValue) -> dict[str, Any]:
        try:
            params = _Params(uri=value.uri)
            answer = await self._authorize(session, "files/authorizeDownload", params, _Download)
            described = _FileValue.model_validate(value.model_dump() | answer.file.model_dump(exclude_none=True))
            path = await self._fetch(answer.download, described)
        except TransferError as error:
            return _explanation(value, str(error))
        link = {"type": "resource_link", "uri": f"file://{quote(str(path))}", "name": described.name or _name_of(value)}
        return link | ({"mimeType": described.mime_type} if described.mime_type else {})

    async def _fetch(self, request: _Descriptor, value: _FileValue) -> Path:
        """Store a file in the workspace, and return its path. Raise TransferError, also for another size or digest."""
        headers = self._headers(request)
        if request.method != "GET":
            raise TransferError(f"the server wants the method {request.method}")
        path = self._files.workspace / f".received-{secrets.token_hex(8)}"
        size, hasher = 0, hashlib.sha256()
        async with self._http() as http:
            with _named_errors():
                async with http.stream("GET", request.url, headers=headers) as response:
                    if response.status_code != httpx2.codes.OK:
                        raise TransferError(f"the server refused it (HTTP {response.status_code})")
                    with _create(path) as file:
                        self._files.received.append(path)
                        async for chunk in response.aiter_raw(_CHUNK):
                            if size % _REPORT_BYTES < _CHUNK:
                                self._report(ProgressUpdate(progress=size, total=value.size, message="Fetching a file"))
                            size += len(chunk)
                            hasher.update(chunk)
                            await anyio.to_thread.run_sync(file.write, chunk)
        if value.size is not None and size != value.size:
            raise TransferError(f"it should have {value.size} bytes, but {size} arrived")
        if (
            value.digest
            and value.digest.algorithm.lower() == "sha-256"
            and value.digest.value != _encoded(hasher.digest())
        ):
            raise TransferError("its digest is another one")
        return path

    async def _authorize(self, session: ClientSession, method: str, params: _Params, kind: type[_Answer]) -> _Answer:
        try:
            raw = await session.send_request(_FileRequest(method=method, params=params), _RAW_RESULT)
            return kind.model_validate(raw)
        except MCPError as error:
            if error.code == METHOD_NOT_FOUND:
                raise TransferError(f"the server does not know {method}") from None
            raise TransferError(f"{method} failed: {error.message}") from None
        except ValidationError:
            raise TransferError(f"the server's answer to {method} is invalid") from None

    def _headers(self, request: _Descriptor) -> dict[str, str]:
        """Return the headers for a request. Raise TransferError if its address is not encrypted.

        The origin of the server's own URL is excepted: Satchel already talks to it without encryption.
        """
        try:
            url, own = httpx2.URL(request.url), httpx2.URL(self._entry.url or "https:")
        except httpx2.InvalidURL:
            raise TransferError("the server named an invalid address") from None
        is_own = (url.scheme, url.host, url.port) == (own.scheme, own.host, own.port)
        if not url.host or (url.scheme != "https" and not is_own):
            raise TransferError("the server named an address without https:")
        return {name.lower(): value for name, value in request.headers.items() if name.lower() not in _OWN_HEADERS}

    def _http(self) -> httpx2.AsyncClient:
        """Return a client that follows no redirects, and sends none of the entry's secrets."""
        transport = GuardedTransport(self._files.max_bytes, allow_private=self._entry.allow_private)
        return httpx2.AsyncClient(timeout=_TIMEOUT, transport=transport)


@asynccontextmanager
async def declaring_files(transport: AbstractAsyncContextManager[TransportStreams]) -> AsyncIterator[TransportStreams]:
    """Connect a transport, and add ``files`` to the client's capabilities in each request, which the SDK cannot."""
    async with transport as (incoming, outgoing):
        yield incoming, _DeclaringStream(outgoing)


class _DeclaringStream:
    """Message stream (the SDK's ``WriteStream``) that completes the capabilities in each request."""

    def __init__(self, outgoing: WriteStream[SessionMessage]) -> None:
        self._outgoing = outgoing

    async def send(self, item: SessionMessage) -> None:
        if isinstance(item.message, JSONRPCRequest) and item.message.params:
            params = item.message.params
            for holder, key in ((params, "capabilities"), (params.get("_meta"), CLIENT_CAPABILITIES_META_KEY)):
                if isinstance(holder, dict) and isinstance(holder.get(key), dict):
                    holder[key] = holder[key] | {"files": _CAPABILITY}
        await self._outgoing.send(item)

    async def aclose(self) -> None:
        await self._outgoing.aclose()

    async def __aenter__(self) -> Self:
        await self._outgoing.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._outgoing.__aexit__(kind, error, trace)


class _named_errors:  # noqa: N801  (used like a function)
    """Turns errors of HTTP into TransferError. Their texts can contain an address, so only the type is shown."""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, httpx2.HTTPError | httpx2.StreamError | httpx2.InvalidURL):
            raise TransferError(f"the connection failed ({type(error).__name__})") from None


def _split(content: list[Any]) -> tuple[list[Any], list[_FileValue]]:
    """Return the content blocks without those that only name a file, and these files."""
    blocks: list[Any] = []
    found: list[_FileValue] = []
    for block in content:
        value = _named_file(block) if isinstance(block, dict) else None
        if value is None:
            blocks.append(block)
        else:
            found.append(value)
    return blocks, found


def _named_file(block: Mapping[str, Any]) -> _FileValue | None:
    """Return the file of a block of the type ``file``, or of a resource whose content is a file."""
    if block.get("type") == "file":
        return _parse(block.get("file"))
    resource = block.get("resource")
    if block.get("type") != "resource" or not isinstance(resource, dict):
        return None
    value = _parse(resource.get("content"))
    return value and value.model_copy(update={"mime_type": value.mime_type or resource.get("mimeType")})


def _file_values(value: object) -> list[_FileValue]:
    """Return the files in structured content: the objects whose ``uri`` has the scheme of the draft's examples."""
    if isinstance(value, list):
        return [found for each in value for found in _file_values(each)]
    if not isinstance(value, dict):
        return []
    uri = value.get("uri")
    if isinstance(uri, str) and uri.lower().startswith(_SCHEME) and (parsed := _parse(value)):
        return [parsed]
    return [found for each in value.values() for found in _file_values(each)]


def _parse(value: object) -> _FileValue | None:
    try:
        return _FileValue.model_validate(value)
    except ValidationError:
        return None


def _explanation(value: _FileValue, reason: str) -> dict[str, Any]:
    return {"type": "text", "text": f"The file {value.name or _name_of(value)!r} was not fetched: {reason}."}


def _name_of(value: _FileValue) -> str:
    return value.uri.rstrip("/").rpartition("/")[2] or "file"


def _measure(body: IO[bytes]) -> tuple[int, dict[str, str]]:
    hasher = hashlib.sha256()
    while chunk := body.read(_CHUNK):
        hasher.update(chunk)
    return body.tell(), {"algorithm": "sha-256", "value": _encoded(hasher.digest())}


def _encoded(digest: bytes) -> str:
    return pybase64.urlsafe_b64encode(digest).decode().rstrip("=")


def _create(path: Path) -> IO[bytes]:
    """Create a file in the workspace. O_EXCL follows no link that a tool may have put there."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb")

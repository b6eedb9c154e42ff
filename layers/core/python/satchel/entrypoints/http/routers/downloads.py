"""The only route without sign-in, besides health: a file by its capability."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from satchel.contract import is_active
from satchel.domain.errors import LinkNotFound
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.examples import FILE_KEY
from satchel.entrypoints.http.http_semantics import (
    content_disposition,
    is_unchanged,
    range_still_valid,
    requested_range,
)
from satchel.entrypoints.http.problems import responses

router = APIRouter(tags=["files"])

_DIRECT_BYTES = 4 << 20
_PRESIGNED_SECONDS = 60
_PATH = "/api/files/download/{file_key}"
# Any text: what cannot be a key of ours is refused in the same words as a token that is not good for it.
Key = Annotated[str, Path(examples=[FILE_KEY])]
Token = Annotated[str, Query(max_length=4000, description="The capability.")]
Attachment = Annotated[bool, Query(description="True: to be saved, not to be looked at.")]
_BYTES: dict[str, Any] = {"content": {"*/*": {"schema": {}}}}
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="`ETag`s that the reader has.")]
_UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "The reader has it already."}}
_FOUND: dict[int | str, dict[str, Any]] = {
    200: {"description": "The bytes.", **_BYTES},
    206: {"description": "A range of the bytes.", **_BYTES},
    307: {"description": "The bytes are large: fetch them from `Location` within a minute."},
}
_DESCRIBED: dict[int | str, dict[str, Any]] = {200: {"description": "The headers that go before the bytes."}}


def _disposition(record: FileRecord, *, attachment: bool) -> str:
    return content_disposition(record.name, inline=not (attachment or is_active(record.mime)))


def _headers(record: FileRecord, *, attachment: bool) -> dict[str, str]:
    """Nothing that a tool made may run on this origin, be guessed at, or be kept by a cache."""
    return {
        "Content-Type": record.mime,
        "Content-Disposition": _disposition(record, attachment=attachment),
        "Content-Security-Policy": "sandbox; default-src 'none'",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "Accept-Ranges": "bytes",
        "ETag": _etag(record),
    }


def _etag(record: FileRecord) -> str:
    return f'"{record.object_id}"'


def _unchanged(record: FileRecord) -> Response:
    return Response(status_code=304, headers={"ETag": _etag(record), "Cache-Control": "no-store"})


@router.head(
    _PATH,
    response_class=Response,
    responses=_DESCRIBED | _UNCHANGED | responses(404, 422),
    operation_id="head_download",
)
def head(
    use_cases: InjectedUseCases,
    file_key: Key,
    token: Token = "",
    if_none_match: IfNoneMatch = None,
    attachment: Attachment = False,  # noqa: FBT002  (a query's parameter)
) -> Response:
    """Answer from the record."""
    record = use_cases.open_link(FileKey(file_key), token)
    if is_unchanged(if_none_match, _etag(record)):
        return _unchanged(record)
    return Response(headers=_headers(record, attachment=attachment) | {"Content-Length": str(record.size)})


@router.get(
    _PATH,
    response_class=Response,
    responses=_FOUND | _UNCHANGED | responses(404, 416, 422),
    operation_id="download",
)
def download(
    use_cases: InjectedUseCases,
    file_key: Key,
    token: Token = "",
    range_: Annotated[str | None, Header(alias="Range")] = None,
    if_range: Annotated[str | None, Header(alias="If-Range")] = None,
    if_none_match: IfNoneMatch = None,
    attachment: Attachment = False,  # noqa: FBT002  (a query's parameter)
) -> Response:
    """Fetch a file: small ones as bytes, larger ones by a redirect to the store that lives a minute."""
    record = use_cases.download(FileKey(file_key), token)
    if is_unchanged(if_none_match, _etag(record)):
        return _unchanged(record)
    if record.size > _DIRECT_BYTES:
        disposition = _disposition(record, attachment=attachment)
        url = use_cases.ports.store.link(record.key, _PRESIGNED_SECONDS, record.mime, disposition)
        return RedirectResponse(url, 307, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
    headers = _headers(record, attachment=attachment)
    asked = requested_range(range_, record.size) if range_still_valid(if_range, _etag(record)) else None
    first, last = asked or (0, record.size - 1)
    headers["Content-Length"] = str(last - first + 1)
    if asked:
        headers["Content-Range"] = f"bytes {first}-{last}/{record.size}"
    if record.size == 0:
        return Response(b"", headers=headers)
    try:
        chunks = use_cases.ports.store.chunks(record.key, first, last)
    except FileNotFoundError as gone:
        raise LinkNotFound from gone
    return StreamingResponse(chunks, 206 if asked else 200, headers=headers)

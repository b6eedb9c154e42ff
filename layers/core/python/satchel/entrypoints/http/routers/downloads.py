"""Routes to download a file by its link. The link contains a token, so the routes need no sign-in."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Query, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from satchel.contract import is_active
from satchel.domain.errors import LinkNotFound, NotAllowed
from satchel.domain.files import FileRecord
from satchel.domain.ids import FileKey
from satchel.entrypoints.http.examples import FILE_KEY
from satchel.entrypoints.http.http_semantics import (
    content_disposition,
    is_range_valid,
    is_unchanged,
    requested_range,
)
from satchel.entrypoints.http.parameters import IfNoneMatch, InjectedUseCases
from satchel.entrypoints.http.problems import problem_responses
from satchel.services.apps.read_still import STILL_POLICY, Still

# What a browser may load a file for (the values of Sec-Fetch-Dest). `empty` is a request by fetch.
_ALLOWED_USES = {"document", "iframe", "frame", "embed", "object", "image", "audio", "video", "track", "empty"}


def refuse_as_code(sec_fetch_dest: Annotated[str | None, Header(include_in_schema=False)] = None) -> None:
    """Raise NotAllowed if a browser would run the file, for example as a script, a worker or a style sheet.

    Tools write files, and downloads have the origin of the page. Clients other than browsers send no Sec-Fetch-Dest.
    """
    if sec_fetch_dest is not None and sec_fetch_dest not in _ALLOWED_USES:
        raise NotAllowed("A file cannot be loaded as a script, a worker or a style sheet.")


router = APIRouter(tags=["files"], dependencies=[Depends(refuse_as_code)])

_MAX_DIRECT_BYTES = 4 << 20  # 4 MiB encoded as base64 fit into Lambda's response limit of 6 MB
_PRESIGNED_SECONDS = 60
_PATH = "/api/files/download/{file_key}"
# The format of file keys is not validated, because an invalid key must return the same error as an invalid token.
Key = Annotated[str, Path(description="The key of the file.", examples=[FILE_KEY])]
Token = Annotated[str, Query(max_length=4000, description="The token of the link.")]
AsStill = Annotated[
    bool,
    Query(
        alias="still",
        description="True: the still of an app, a static page with its result, instead of its page. Shared links to "
        "apps always open the still. No effect on other files.",
    ),
]
Attachment = Annotated[bool, Query(description="True: the browser saves the file instead of showing it.")]
_BYTES: dict[str, Any] = {
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}, "*/*": {"schema": {}}}
}


def _header(description: str) -> dict[str, Any]:
    return {"description": description, "schema": {"type": "string"}}


_E_TAG = {"ETag": _header("Identifies the version of the file, for `If-None-Match` and `If-Range`.")}
_FILE_HEADERS = _E_TAG | {
    "Content-Disposition": _header("The file's name, and whether a browser shows or saves the file."),
    "Accept-Ranges": _header("`bytes`: parts of the file can be requested with `Range`."),
}
_RANGE = {"Content-Range": _header("The first and last byte of the part, and the size of the file.")}
_LOCATION = {"Location": _header("The address of the content, on another host. Send no token to it.")}
_UNCHANGED: dict[int | str, dict[str, Any]] = {
    304: {"description": "The client has the current version already.", "headers": _E_TAG}
}
_CONTENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file, in its own media type.", "headers": _FILE_HEADERS, **_BYTES},
    206: {"description": "The requested range of the file.", "headers": _FILE_HEADERS | _RANGE, **_BYTES},
    307: {"description": "The file is large: fetch it from `Location` within a minute.", "headers": _LOCATION},
}
_HEADERS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The headers of the download.", "headers": _FILE_HEADERS}
}


def _disposition(record: FileRecord, *, attachment: bool) -> str:
    return content_disposition(record.name, inline=not (attachment or is_active(record.mime)))


def _headers(record: FileRecord, *, attachment: bool) -> dict[str, str]:
    """Return download headers. They prevent MIME sniffing, caching, and the execution of scripts on this origin."""
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


def _still_response(still: Still, if_none_match: str | None, *, attachment: bool) -> Response:
    etag = f'"{still.etag}"'
    if is_unchanged(if_none_match, etag):
        return Response(status_code=304, headers={"ETag": etag, "Cache-Control": "no-store"})
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Disposition": content_disposition(still.name, inline=not attachment),
        "Content-Security-Policy": STILL_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "ETag": etag,
    }
    return Response(still.content, headers=headers)


def _etag(record: FileRecord) -> str:
    return f'"{record.object_id}"'


def _unchanged(record: FileRecord) -> Response:
    return Response(status_code=304, headers={"ETag": _etag(record), "Cache-Control": "no-store"})


@router.head(
    _PATH,
    response_class=Response,
    responses=_HEADERS | _UNCHANGED | problem_responses(403, 404, 422, signs_in=False),
    operation_id="head_download",
)
def head(
    use_cases: InjectedUseCases,
    file_key: Key,
    token: Token = "",
    if_none_match: IfNoneMatch = None,
    attachment: Attachment = False,  # noqa: FBT002  (a query parameter)
    as_still: AsStill = False,  # noqa: FBT002  (a query parameter)
) -> Response:
    """Return the headers of a download without its content."""
    record = use_cases.open_link(FileKey(file_key), token)
    if still := use_cases.read_still.for_link(record, token, requested=as_still):
        return _still_response(still, if_none_match, attachment=attachment)
    if is_unchanged(if_none_match, _etag(record)):
        return _unchanged(record)
    return Response(headers=_headers(record, attachment=attachment) | {"Content-Length": str(record.size)})


@router.get(
    _PATH,
    response_class=Response,
    responses=_CONTENT | _UNCHANGED | problem_responses(403, 404, 416, 422, signs_in=False),
    operation_id="download",
)
def download(
    use_cases: InjectedUseCases,
    file_key: Key,
    token: Token = "",
    range_: Annotated[str | None, Header(alias="Range", description="The bytes to send, such as `bytes=0-99`.")] = None,
    if_range: Annotated[
        str | None, Header(alias="If-Range", description="Send the range only if the file still has this `ETag`.")
    ] = None,
    if_none_match: IfNoneMatch = None,
    attachment: Attachment = False,  # noqa: FBT002  (a query parameter)
    as_still: AsStill = False,  # noqa: FBT002  (a query parameter)
) -> Response:
    """Download a file. If it is larger than 4 MiB, redirect to a URL that is valid for one minute."""
    record = use_cases.download(FileKey(file_key), token)
    if still := use_cases.read_still.for_link(record, token, requested=as_still):
        return _still_response(still, if_none_match, attachment=attachment)
    if is_unchanged(if_none_match, _etag(record)):
        return _unchanged(record)
    if record.size > _MAX_DIRECT_BYTES:
        disposition = _disposition(record, attachment=attachment)
        url = use_cases.ports.store.presign_get(record.key, _PRESIGNED_SECONDS, record.mime, disposition)
        return RedirectResponse(url, 307, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})
    headers = _headers(record, attachment=attachment)
    byte_range = requested_range(range_, record.size) if is_range_valid(if_range, _etag(record)) else None
    first, last = byte_range or (0, record.size - 1)
    headers["Content-Length"] = str(last - first + 1)
    if byte_range:
        headers["Content-Range"] = f"bytes {first}-{last}/{record.size}"
    if record.size == 0:
        return Response(b"", headers=headers)
    try:
        chunks = use_cases.ports.store.read_range(record.key, first, last)
    except FileNotFoundError as error:
        raise LinkNotFound from error
    return StreamingResponse(chunks, 206 if byte_range else 200, headers=headers)

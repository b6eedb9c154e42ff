"""My Files."""

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from satchel.contract.base64 import Base64Error, decode
from satchel.domain.errors import InvalidRequest
from satchel.domain.files import FileFilter, Source
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.paths import FilePath, known_session
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.schemas.files import (
    FileContent,
    FileFields,
    FileOut,
    FilePage,
    FileUpload,
    StoreReference,
)
from satchel.entrypoints.http.schemas.paging import Cursor, Limit

router = APIRouter(tags=["files"])
V = TypeVar("V")
M = TypeVar("M", bound=FileFields)

_MULTIPART = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary"},
        "session_id": {"type": "string"},
        "mime": {"type": "string"},
    },
}
_BODY = {
    "required": True,
    "content": {
        "application/json": {"schema": FileUpload.model_json_schema()},
        "multipart/form-data": {"schema": _MULTIPART},
    },
}


@router.post(
    "/api/files",
    status_code=201,
    responses=examples.shown(201, examples.FILE) | responses(400, 403, 404, 409, 413, 422, 503),
    openapi_extra={"requestBody": _BODY},
)
async def upload_file(request: Request, who: Who, use_cases: InjectedUseCases) -> FileOut:
    """Upload a small file, as JSON or multipart. The same name again in a session is a new version of the file."""
    said, body = await _upload(request)
    session_id = known_session(said.session_id) if said.session_id is not None else None
    record = await run_in_threadpool(use_cases.upload_file, who, said.name, body, said.mime, session_id)
    return FileOut.of(record, await run_in_threadpool(use_cases.mint_links, record))


# Python knows codecs that are none of text, or that make half characters.
_CHARSET = re.compile(r"charset\*?\s*=\s*\"?([^\";\s]*)")


async def _upload(request: Request) -> tuple[FileFields, bytes]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _from_form(request)
    if kind == "application/json":
        return await run_in_threadpool(_from_json, await request.body())
    raise InvalidRequest("Send application/json or multipart/form-data.", content_type=kind[:100])


def _from_json(text: bytes) -> tuple[FileFields, bytes]:
    upload = _checked(FileUpload.model_validate_json, text)
    try:
        return upload, decode(upload.b64)
    except Base64Error as error:
        raise InvalidRequest(f"b64: {error}") from error


async def _from_form(request: Request) -> tuple[FileFields, bytes]:
    if set(_CHARSET.findall(request.headers["content-type"].lower())) - {"utf-8", "utf8"}:
        raise InvalidRequest("A form is to be sent in UTF-8.")
    async with request.form(max_files=1, max_fields=10) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise InvalidRequest("The form has no file in its field 'file'.")
        said = {
            "name": file.filename or "",
            "mime": form.get("mime") or file.content_type or None,
            "session_id": form.get("session_id") or None,
        }
        return _checked(FileFields.model_validate, said), await file.read()


def _checked(read: Callable[[V], M], given: V) -> M:
    try:
        return read(given)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_input=False)) from error


@router.get("/api/files", responses=examples.shown(200, examples.FILES) | responses(403, 404, 422))
def list_files(
    who: Who,
    use_cases: InjectedUseCases,
    session_id: Annotated[str | None, Query(max_length=100, description="Only files of this session.")] = None,
    source: Annotated[Source | None, Query(description="Only files that come from here.")] = None,
    category: Annotated[str | None, Query(max_length=200, description="Only files of this category.")] = None,
    name_prefix: Annotated[str, Query(max_length=200, description="Only names that begin so; sorted by name.")] = "",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> FilePage:
    """List the person's files, newest first. A page may hold fewer than `limit`, or none, while more pages follow."""
    wanted = FileFilter(
        session_id=known_session(session_id) if session_id is not None else None,
        source=source,
        category=category,
        name_prefix=name_prefix,
    )
    page = use_cases.read_files.list(who, wanted, limit, cursor)
    shown = zip(page.items, use_cases.mint_links.for_files(page.items), strict=True)
    return FilePage(files=[FileOut.of(record, address) for record, address in shown], cursor=page.cursor)


@router.get("/api/files/{file_key}", responses=examples.shown(200, examples.FILE_CONTENT) | responses(403, 404, 422))
def read_file(
    who: Who,
    use_cases: InjectedUseCases,
    file_key: FilePath,
    content: Annotated[bool, Query(description="False: tell what is known of it, and the link, without bytes.")] = True,  # noqa: FBT002  (a query's parameter)
) -> FileContent:
    """Read a file as JSON: `b64` up to the limit in force, a reference and a link above it (spec 3 §6.2)."""
    record = use_cases.read_files(who, file_key)
    shown = FileOut.of(record, use_cases.mint_links(record)).model_dump()
    if not content:
        return FileContent(**shown)
    body = use_cases.read_files.content(record)
    if body is None:
        return FileContent(**shown, s3_ref=StoreReference(key=record.key))
    return FileContent(**shown, b64=b64encode(body).decode())


@router.post(
    "/api/files/{file_key}/keep",
    responses=examples.shown(200, examples.FILE_KEPT) | responses(403, 404, 409, 422, 503),
)
def keep_file(who: Who, use_cases: InjectedUseCases, file_key: FilePath) -> FileOut:
    """Keep a file that would go by itself: a deferred one at its hour, a temporary one with its session."""
    record = use_cases.keep_file(who, file_key)
    return FileOut.of(record, use_cases.mint_links(record))


@router.delete("/api/files/{file_key}", status_code=204, responses=responses(403, 404, 422, 503))
def delete_file(who: Who, use_cases: InjectedUseCases, file_key: FilePath) -> None:
    """Delete a file with every version of it; its links die."""
    use_cases.remove_file(who, file_key)

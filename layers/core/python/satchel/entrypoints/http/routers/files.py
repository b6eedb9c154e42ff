"""Routes for the user's files (the page "My Files"): upload, list, read, keep, delete."""

import re
from base64 import b64encode
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from satchel.contract.base64 import Base64Error, decode
from satchel.domain.errors import FileNotFound, InvalidRequest
from satchel.domain.files import FileFilter, FileRecord, Source
from satchel.domain.ids import FileKey, IdBody
from satchel.domain.users import Identity
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.http_semantics import check_unchanged, etag_of
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import (
    ETAG_HEADER,
    Cursor,
    FilePath,
    IdempotencyKey,
    IfMatch,
    InjectedUseCases,
    Limit,
    check_session_id,
)
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.files import (
    FileContent,
    FileFields,
    FileForm,
    FileOut,
    FilePage,
    FileUpload,
    FileVersions,
    StoreReference,
)
from satchel.entrypoints.http.upload_origin import find_origin
from satchel.ports.files import FileCheck
from satchel.use_cases import UseCases

router = APIRouter(tags=["files"])

MAX_VERSION = 999_999
_CHARSET = re.compile(r"charset\*?\s*=\s*\"?([^\";\s]*)")
_FORM_FIELDS = FileForm.model_fields.keys()
_FORM = {"required": True, "content": {"multipart/form-data": {"schema": FileForm.model_json_schema()}}}
_UPLOADED = examples.responses(201, examples.FILE, 400, 403, 404, 409, 413, 422, 503)
_READ = examples.responses(200, examples.FILE_CONTENT, 403, 404, 422, headers=ETAG_HEADER)
_VERSIONS = examples.responses(200, examples.FILE_VERSIONS, 403, 404, 422)
_PERMANENT = examples.responses(200, examples.KEPT_FILE, 403, 404, 409, 412, 422, 503, headers=ETAG_HEADER)
_DELETED = problem_responses(403, 404, 412, 422, 503)


def _etag(record: FileRecord) -> str:
    return etag_of(record.file_key, record.version, record.temporary, record.expires_at)


def _check(if_match: str | None) -> FileCheck:
    return lambda record: check_unchanged(if_match, _etag(record))


@router.post("/api/files", status_code=201, responses=_UPLOADED, openapi_extra={"requestBody": _FORM})
async def upload_file(
    request: Request, user: CurrentUser, use_cases: InjectedUseCases, idempotency_key: IdempotencyKey = None
) -> FileOut:
    """Upload a small file in a form. The same name in the same session creates a new version."""
    fields, content = await _read_form(request)
    return await run_in_threadpool(_store, use_cases, user, fields, content, idempotency_key)


@router.post("/api/files/content", status_code=201, responses=_UPLOADED)
def upload_content(
    user: CurrentUser, use_cases: InjectedUseCases, body: FileUpload, idempotency_key: IdempotencyKey = None
) -> FileOut:
    """Upload a small file as JSON, with its content as base64. Otherwise like `POST /api/files`."""
    try:
        content = decode(body.b64)
    except Base64Error as error:
        raise InvalidRequest(f"b64: {error}") from error
    return _store(use_cases, user, body, content, idempotency_key)


def _store(use_cases: UseCases, user: Identity, fields: FileFields, content: bytes, key: str | None) -> FileOut:
    session_id, app = find_origin(use_cases, user, fields)

    def create(id_body: IdBody | None) -> tuple[str, FileRecord]:
        record = use_cases.upload_file(user, fields.name, content, fields.mime, session_id, app, id_body)
        return f"{record.file_key}#{record.version}", record

    def read(stored: str) -> FileRecord:
        file_key, _, version = stored.partition("#")
        return use_cases.read_files(user, FileKey(file_key), int(version))

    described = FileFields.model_validate(fields.model_dump(include=set(FileFields.model_fields)))
    request = ("upload_file", described.model_dump_json().encode() + b"\0" + content)
    record = use_cases.run_once(user, key, request, create, read)
    return FileOut.of(record, use_cases.mint_links(record))


async def _read_form(request: Request) -> tuple[FileFields, bytes]:
    content_type = request.headers.get("content-type", "")
    if content_type.partition(";")[0].strip().lower() != "multipart/form-data":
        raise InvalidRequest("Send multipart/form-data.", content_type=content_type[:100])
    # Accept only UTF-8, because some of Python's other codecs return bytes or produce lone surrogates.
    if set(_CHARSET.findall(content_type.lower())) - {"utf-8", "utf8"}:
        raise InvalidRequest("The form must be encoded as UTF-8.")
    async with request.form(max_files=1, max_fields=10) as form:
        if unknown := sorted(form.keys() - _FORM_FIELDS):
            raise InvalidRequest(f"The form has unknown fields: {', '.join(unknown)[:200]}.")
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise InvalidRequest("The form has no file in the field 'file'.")
        fields = {
            "name": form.get("name") or file.filename or "",
            "mime": form.get("mime") or file.content_type or None,
            "session_id": form.get("session_id") or None,
            "app_key": form.get("app_key") or None,
        }
        try:
            return FileFields.model_validate(fields), await file.read()
        except ValidationError as error:
            raise RequestValidationError(error.errors(include_url=False, include_input=False)) from error


@router.get("/api/files", responses=examples.responses(200, examples.FILES, 403, 404, 422))
def list_files(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    session_id: Annotated[str | None, Query(max_length=100, description="Only files of this session.")] = None,
    source: Annotated[Source | None, Query(description="Only files of this source.")] = None,
    category: Annotated[str | None, Query(max_length=200, description="Only files of this category.")] = None,
    name_prefix: Annotated[
        str, Query(max_length=200, description="Only files whose name begins with this text, sorted by name.")
    ] = "",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> FilePage:
    """List the user's files, newest first. A page that is not the last may also have fewer than `limit` items."""
    file_filter = FileFilter(
        session_id=check_session_id(session_id) if session_id is not None else None,
        source=source,
        category=category,
        name_prefix=name_prefix,
    )
    page = use_cases.read_files.list(user, file_filter, limit, cursor)
    urls = use_cases.mint_links.for_files(page.items)
    files = [FileOut.of(record, url) for record, url in zip(page.items, urls, strict=True)]
    return FilePage(files=files, cursor=page.cursor)


@router.get("/api/files/{file_key}", responses=_READ)
def read_file(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    file_key: FilePath,
    content: Annotated[bool, Query(description="False: return the metadata and the link without the content.")] = True,  # noqa: FBT002  (a query parameter)
    version: Annotated[int | None, Query(ge=1, le=MAX_VERSION, description="By default the newest version.")] = None,
    *,
    response: Response,
) -> FileContent:
    """Read a file as JSON, with its content in `b64`. Use the download link for files over `inline_bytes`."""
    record = use_cases.read_files(user, file_key, version)
    response.headers["ETag"] = _etag(record)
    metadata = FileOut.of(record, use_cases.mint_links(record)).model_dump()
    if not content:
        return FileContent(**metadata)
    content_bytes = use_cases.read_files.content(record)
    if content_bytes is None:
        return FileContent(**metadata, s3_ref=StoreReference(key=record.key))
    return FileContent(**metadata, b64=b64encode(content_bytes).decode())


@router.get("/api/files/{file_key}/versions", responses=_VERSIONS)
def list_versions(
    user: CurrentUser, use_cases: InjectedUseCases, file_key: FilePath, limit: Limit = 50, cursor: Cursor = None
) -> FileVersions:
    """List the versions of a file, newest first, each with a link to exactly that version."""
    page = use_cases.read_files.list_versions(user, file_key, limit, cursor)
    urls = use_cases.mint_links.for_files(page.items)
    versions = [FileOut.of(record, url) for record, url in zip(page.items, urls, strict=True)]
    return FileVersions(versions=versions, cursor=page.cursor)


@router.post("/api/files/{file_key}/keep", responses=_PERMANENT)
def keep_file(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    file_key: FilePath,
    response: Response,
    if_match: IfMatch = None,
) -> FileOut:
    """Keep a deferred or temporary file, which would otherwise be deleted when it expires or its session ends."""
    record = use_cases.keep_file(user, file_key, _check(if_match))
    response.headers["ETag"] = _etag(record)
    return FileOut.of(record, use_cases.mint_links(record))


@router.delete("/api/files/{file_key}", status_code=204, responses=_DELETED)
def delete_file(user: CurrentUser, use_cases: InjectedUseCases, file_key: FilePath, if_match: IfMatch = None) -> None:
    """Delete a file with all its versions. Links to the file stop working. Safe to repeat.

    With `If-Match`, nothing is deleted if the file has got another version since the client read its `ETag`.
    """
    with suppress(FileNotFound):
        use_cases.remove_file(user, file_key, _check(if_match))

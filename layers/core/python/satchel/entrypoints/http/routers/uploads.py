"""Routes for uploads of any size: the client sends a file in parts directly to S3, to presigned URLs."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query

from satchel.domain.errors import UploadNotFound
from satchel.domain.ids import FileKey, IdBody, UploadId
from satchel.domain.uploads import Part, Upload
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.identity import CurrentUser
from satchel.entrypoints.http.parameters import (
    Cursor,
    IdempotencyKey,
    InjectedUseCases,
    Limit,
    UploadPath,
)
from satchel.entrypoints.http.problems import problem_responses
from satchel.entrypoints.http.schemas.files import FileOut
from satchel.entrypoints.http.schemas.uploads import (
    NewUpload,
    PartsToSign,
    SignedParts,
    StartedUpload,
    StoredPartOut,
    UploadOut,
    UploadPage,
    UploadWithParts,
)
from satchel.entrypoints.http.upload_origin import find_origin

router = APIRouter(tags=["files"])

_STARTED = examples.responses(201, examples.STARTED_UPLOAD, 400, 403, 404, 409, 413, 422, 503)
_READ = examples.responses(200, examples.UPLOAD_WITH_PARTS, 403, 404, 422)
_SIGNED = examples.responses(200, examples.SIGNED_PARTS, 400, 403, 404, 413, 422)
_COMPLETED = examples.responses(200, examples.FILE, 403, 404, 409, 413, 422, 503)
StoredLimit = Annotated[int, Query(ge=1, le=1000, description="Maximum number of parts in a page.")]


@router.post("/api/files/uploads", status_code=201, responses=_STARTED)
def begin_upload(
    body: NewUpload, user: CurrentUser, use_cases: InjectedUseCases, idempotency_key: IdempotencyKey = None
) -> StartedUpload:
    """Start an upload of any size. If it is not completed within a day, it is aborted.

    PUT each part, with exactly the signed length and checksum, to its presigned URL. Then complete the upload.
    """
    session_id, app = find_origin(use_cases, user, body)

    def create(id_body: IdBody | None) -> tuple[str, Upload]:
        upload = use_cases.begin_upload(user, body.name, body.size, body.mime, session_id, app, id_body)
        return upload.upload_id, upload

    def read(upload_id: str) -> Upload:
        return use_cases.read_uploads(user, UploadId(FileKey(upload_id)))

    upload = use_cases.run_once(user, idempotency_key, ("begin_upload", body.model_dump_json()), create, read)
    signed = use_cases.sign_parts(upload, body.parts())
    return StartedUpload(**UploadOut.of(upload).model_dump(), parts=signed)


@router.get("/api/files/uploads", responses=examples.responses(200, examples.UPLOADS, 403, 422))
def list_uploads(
    user: CurrentUser, use_cases: InjectedUseCases, limit: Limit = 50, cursor: Cursor = None
) -> UploadPage:
    """List the user's unfinished uploads, newest first. The client can resume any of them."""
    page = use_cases.read_uploads.list(user, limit, cursor)
    return UploadPage(uploads=[UploadOut.of(upload) for upload in page.items], cursor=page.cursor)


@router.get("/api/files/uploads/{upload_id}", responses=_READ)
def read_upload(
    user: CurrentUser,
    use_cases: InjectedUseCases,
    upload_id: UploadPath,
    limit: StoredLimit = 1000,
    cursor: Cursor = None,
) -> UploadWithParts:
    """Read an unfinished upload and a page of the parts that are already stored."""
    upload = use_cases.read_uploads(user, upload_id)
    page = use_cases.read_uploads.stored(upload, limit, cursor)
    stored = [StoredPartOut.of(part) for part in page.items]
    return UploadWithParts(**UploadOut.of(upload).model_dump(), stored=stored, cursor=page.cursor)


@router.post("/api/files/uploads/{upload_id}/parts", responses=_SIGNED)
def sign_parts(body: PartsToSign, user: CurrentUser, use_cases: InjectedUseCases, upload_id: UploadPath) -> SignedParts:
    """Create presigned URLs for at most 100 parts, valid for 15 minutes. The client can request new URLs for a part."""
    parts = [Part(number=part.number, sha256=part.sha256) for part in body.parts]
    return SignedParts(parts=use_cases.sign_parts(use_cases.read_uploads(user, upload_id), parts))


@router.post("/api/files/uploads/{upload_id}/complete", responses=_COMPLETED)
def complete_upload(user: CurrentUser, use_cases: InjectedUseCases, upload_id: UploadPath) -> FileOut:
    """Join the parts into a file. The same name in the same session creates a new version. Safe to repeat."""
    record = use_cases.complete_upload(user, upload_id)
    return FileOut.of(record, use_cases.mint_links(record))


@router.delete("/api/files/uploads/{upload_id}", status_code=204, responses=problem_responses(403, 404, 422))
def abort_upload(user: CurrentUser, use_cases: InjectedUseCases, upload_id: UploadPath) -> None:
    """Abort an unfinished upload and delete its stored parts. Safe to repeat."""
    with suppress(UploadNotFound):
        use_cases.abort_upload(user.name, upload_id)

"""Uploads of any size: the bytes go straight to the store, a part at a time, by presigned requests."""

from typing import Annotated

from fastapi import APIRouter, Query

from satchel.domain.uploads import Part
from satchel.entrypoints.http import examples
from satchel.entrypoints.http.dependencies import InjectedUseCases
from satchel.entrypoints.http.identity import Who
from satchel.entrypoints.http.paths import UploadPath, known_session
from satchel.entrypoints.http.problems import responses
from satchel.entrypoints.http.schemas.files import FileOut
from satchel.entrypoints.http.schemas.paging import Cursor, Limit
from satchel.entrypoints.http.schemas.uploads import (
    NewUpload,
    SignedParts,
    StoredPartOut,
    UploadBegun,
    UploadOut,
    UploadPage,
    UploadWithParts,
    WantedParts,
)

router = APIRouter(tags=["files"])

StoredLimit = Annotated[int, Query(ge=1, le=1000, description="Parts a page.")]


@router.post(
    "/api/files/uploads",
    status_code=201,
    responses=examples.shown(201, examples.UPLOAD_BEGUN) | responses(400, 403, 404, 409, 413, 422),
)
def begin_upload(body: NewUpload, who: Who, use_cases: InjectedUseCases) -> UploadBegun:
    """Begin an upload of any size. Nothing is listed before it is complete; after a day it is given up.

    PUT every part to its signed address with exactly its bytes: length and checksum are part of the signature.
    """
    session_id = known_session(body.session_id) if body.session_id is not None else None
    upload = use_cases.begin_upload(who, body.name, body.size, body.mime, session_id)
    signed = use_cases.sign_parts(upload, body.parts())
    return UploadBegun(**UploadOut.of(upload).model_dump(), parts=signed)


@router.get("/api/files/uploads", responses=examples.shown(200, examples.UPLOADS) | responses(403, 422))
def list_uploads(who: Who, use_cases: InjectedUseCases, limit: Limit = 50, cursor: Cursor = None) -> UploadPage:
    """List the person's uploads that are on their way, newest first: what may be resumed."""
    page = use_cases.read_uploads.list(who, limit, cursor)
    return UploadPage(uploads=[UploadOut.of(upload) for upload in page.items], cursor=page.cursor)


@router.get(
    "/api/files/uploads/{upload_id}",
    responses=examples.shown(200, examples.UPLOAD_WITH_PARTS) | responses(403, 404, 422),
)
def read_upload(
    who: Who, use_cases: InjectedUseCases, upload_id: UploadPath, limit: StoredLimit = 1000, cursor: Cursor = None
) -> UploadWithParts:
    """Read an upload on its way, with the parts that have come."""
    upload = use_cases.read_uploads(who, upload_id)
    page = use_cases.read_uploads.stored(upload, limit, cursor)
    stored = [StoredPartOut.of(part) for part in page.items]
    return UploadWithParts(**UploadOut.of(upload).model_dump(), stored=stored, cursor=page.cursor)


@router.post(
    "/api/files/uploads/{upload_id}/parts",
    responses=examples.shown(200, examples.SIGNED_PARTS) | responses(400, 403, 404, 413, 422),
)
def sign_parts(body: WantedParts, who: Who, use_cases: InjectedUseCases, upload_id: UploadPath) -> SignedParts:
    """Sign parts, at most 100 at a time and each as often as needed: an address is good for a quarter of an hour."""
    wanted = [Part(number=part.number, sha256=part.sha256) for part in body.parts]
    return SignedParts(parts=use_cases.sign_parts(use_cases.read_uploads(who, upload_id), wanted))


@router.post(
    "/api/files/uploads/{upload_id}/complete",
    responses=examples.shown(200, examples.FILE) | responses(403, 404, 409, 413, 422, 503),
)
def complete_upload(who: Who, use_cases: InjectedUseCases, upload_id: UploadPath) -> FileOut:
    """Make a file of the parts, under the rules of names of any upload. Again, the same file is returned."""
    record = use_cases.complete_upload(who, upload_id)
    return FileOut.of(record, use_cases.mint_links(record))


@router.delete("/api/files/uploads/{upload_id}", status_code=204, responses=responses(403, 404, 422))
def abort_upload(who: Who, use_cases: InjectedUseCases, upload_id: UploadPath) -> None:
    """Give an upload up; what has come of it is removed."""
    use_cases.abort_upload(who.name, upload_id)

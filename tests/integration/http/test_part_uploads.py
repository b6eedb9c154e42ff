"""Uploads in parts over HTTP. The tests of the S3 adapter cover presigned URLs and concurrent uploads."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import FileKey, UploadId, UserName
from satchel.domain.uploads import PART_BYTES
from tests.hashes import base64_sha256
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import ApiClient, Json, expected_file, problem, session_not_found
from tests.integration.http.backend import MAX_FILE, Backend

BODY = b"a,b\n1,2\n"
StartUpload = Callable[..., Json]


def not_found(upload_id: str) -> Json:
    message = "There is no such upload, or it has expired."
    return problem(404, "Not found", "E_UPLOAD_NOT_FOUND", message, upload_id=upload_id)


@pytest.fixture
def start_upload(http: TestClient) -> StartUpload:
    def post(**fields: object) -> Json:
        response = http.post("/api/files/uploads", json={"name": "a.csv", "size": len(BODY), **fields})
        assert response.status_code == 201, response.text
        upload: Json = response.json()
        return upload

    return post


def store_part(backend: Backend, user: UserName, upload_id: str, number: int = 1, body: bytes = BODY) -> None:
    """Store a part in S3, as a client does with a presigned URL."""
    upload = backend.uploads.get(user, UploadId(FileKey(upload_id)))
    assert upload is not None
    backend.store.client.upload_part(
        Bucket=backend.store.bucket,
        Key=upload.file.key,
        UploadId=upload.store_id,
        PartNumber=number,
        Body=body,
        ChecksumSHA256=base64_sha256(body),
    )


@pytest.mark.clause("v2.1:input:any-size")
def test_large_file_is_uploaded_in_parts(backend: Backend, user: UserName, http: TestClient, api: ApiClient) -> None:
    session_id, body = api.create_session(), bytes(PART_BYTES) + BODY
    upload = http.post(
        "/api/files/uploads", json={"name": "../größe.csv", "size": len(body), "session_id": session_id}
    ).json()
    upload_id = upload["upload_id"]
    now = backend.clock.now().isoformat().replace("+00:00", "Z")
    shown = {
        "upload_id": upload_id,
        "name": "../größe.csv",
        "mime": "text/csv",
        "size": len(body),
        "session_id": session_id,
        "part_bytes": PART_BYTES,
        "part_count": 2,
        "created_at": now,
        "expires_at": upload["expires_at"],
        "app": None,
    }
    assert upload == shown | {"parts": []}
    assert api.get_json("/api/files/uploads")["uploads"] == [shown]

    store_part(backend, user, upload_id, 2)
    stored = {"number": 2, "size": len(BODY), "sha256": base64_sha256(BODY)}
    assert api.get_json(f"/api/files/uploads/{upload_id}") == shown | {"stored": [stored], "cursor": None}
    early = http.post(f"/api/files/uploads/{upload_id}/complete")
    assert early.status_code == 409
    assert early.json() == problem(
        409, "Conflict", "E_UPLOAD_INCOMPLETE", "1 of 2 parts are missing.", missing=[1], part_count=2
    )

    store_part(backend, user, upload_id, 1, bytes(PART_BYTES))
    first, again = (http.post(f"/api/files/uploads/{upload_id}/complete") for _ in range(2))
    assert (first.status_code, again.status_code) == (200, 200)
    file = first.json()
    assert (file["name"], file["size"], file["session_id"]) == ("größe.csv", len(body), session_id)
    assert again.json()["file_key"] == file["file_key"]
    assert api.get_json("/api/files/uploads")["uploads"] == []
    assert [file["name"] for file in api.get_json(f"/api/files?session_id={session_id}")["files"]] == ["größe.csv"]


def test_small_file_is_signed_at_once_and_completed(
    backend: Backend,
    user: UserName,
    http: TestClient,
    start_upload: StartUpload,
) -> None:
    upload = start_upload(sha256=[base64_sha256(BODY)])
    [part] = upload["parts"]
    assert (part["number"], part["offset"], part["size"]) == (1, 0, len(BODY))
    assert part["headers"] == {"x-amz-checksum-sha256": base64_sha256(BODY)}
    assert "X-Amz-Signature=" in part["url"]
    store_part(backend, user, upload["upload_id"])

    uploaded = http.post(f"/api/files/uploads/{upload['upload_id']}/complete").json()

    assert uploaded == expected_file(backend, uploaded, info={"rows": 1, "columns": 2})
    assert http.get(uploaded["download_url"]).content == BODY


def test_parts_can_be_signed_repeatedly(http: TestClient, start_upload: StartUpload) -> None:
    upload = start_upload(size=3 * PART_BYTES)
    fields = {"parts": [{"number": number, "sha256": base64_sha256(BODY)} for number in (3, 1)]}
    for _ in range(2):
        signed = http.post(f"/api/files/uploads/{upload['upload_id']}/parts", json=fields)
        assert signed.status_code == 200
        assert [(part["number"], part["offset"]) for part in signed.json()["parts"]] == [(3, 2 * PART_BYTES), (1, 0)]


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [{"number": 0, "sha256": base64_sha256(b"")}],
        [{"number": 2, "sha256": base64_sha256(b"")}],
        [{"number": 10_001, "sha256": base64_sha256(b"")}],
        [{"number": 1, "sha256": "x"}],
        [{"number": 1}],
        [{"number": 1, "sha256": base64_sha256(b"")}] * 101,
    ],
)
def test_invalid_parts_are_rejected(http: TestClient, start_upload: StartUpload, parts: object) -> None:
    response = http.post(f"/api/files/uploads/{start_upload()['upload_id']}/parts", json={"parts": parts})
    assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")


def test_more_checksums_than_parts_are_rejected(http: TestClient, api: ApiClient) -> None:
    response = http.post("/api/files/uploads", json={"name": "a", "size": 1, "sha256": [base64_sha256(b"x")] * 2})
    assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")
    assert api.get_json("/api/files/uploads")["uploads"] == []


@pytest.mark.parametrize("size", [-1, 1.5, "many", None, 1 << 63])
def test_invalid_size_is_rejected(http: TestClient, size: object) -> None:
    response = http.post("/api/files/uploads", json={"name": "a", "size": size})
    assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")


@pytest.mark.clause("v2.1:errors:file-too-large")
def test_file_over_the_limit_is_rejected_at_the_start(http: TestClient, api: ApiClient) -> None:
    response = http.post("/api/files/uploads", json={"name": "a", "size": MAX_FILE + 1})

    message = "Uploaded file exceeds processing limits"
    details = {
        "file_size_bytes": MAX_FILE + 1,
        "current_limit_bytes": MAX_FILE,
        "suggestion": "Consider uploading a part or a summary of it",
    }
    meta_data = {
        "is_error": True,
        "reason": "FileSizeExceeded",
        "error_code": "E_FILE_TOO_LARGE",
        "details": details,
        "retryable": False,
    }
    assert response.status_code == 413
    assert response.json() == problem(
        413, "Too large", "E_FILE_TOO_LARGE", message, results={"error": message}, meta_data=meta_data
    )
    assert api.get_json("/api/files/uploads")["uploads"] == []


def test_aborted_upload_is_not_found(
    backend: Backend, user: UserName, http: TestClient, start_upload: StartUpload
) -> None:
    upload_id = start_upload()["upload_id"]
    store_part(backend, user, upload_id)
    assert http.delete(f"/api/files/uploads/{upload_id}").status_code == 204
    assert_missing(_send_all_requests(http, upload_id), upload_id)


def assert_missing(responses: Iterable[httpx2.Response], upload_id: str) -> None:
    """Check that an upload is not found, and that its deletion does nothing, as one that is repeated."""
    for response in responses:
        if response.request.method == "DELETE":
            assert (response.status_code, response.content) == (204, b"")
        else:
            assert (response.status_code, response.json()) == (404, not_found(upload_id))


def test_upload_of_another_user_gives_the_error_of_a_missing_one(
    http: TestClient, other_user: TestClient, start_upload: StartUpload
) -> None:
    upload_id = start_upload()["upload_id"]
    for each in (upload_id, random_id("f")):
        assert_missing(_send_all_requests(other_user, each), each)
    assert http.get(f"/api/files/uploads/{upload_id}").status_code == 200


@pytest.mark.parametrize("upload_id", ["x", "s" * 27, "f" * 200, "%00", "%2e%2e"])
def test_invalid_upload_id_is_not_found(http: TestClient, upload_id: str) -> None:
    for response in _send_all_requests(http, upload_id):
        assert (response.status_code, response.json()["error_code"]) == (404, "E_UPLOAD_NOT_FOUND")


def test_upload_to_another_users_or_ended_session_is_rejected(
    http: TestClient, api: ApiClient, other_user: TestClient
) -> None:
    session_id = api.create_session()
    response = other_user.post("/api/files/uploads", json={"name": "a", "size": 1, "session_id": session_id})
    assert (response.status_code, response.json()) == (404, session_not_found(session_id))
    http.delete(f"/api/sessions/{session_id}")
    response = http.post("/api/files/uploads", json={"name": "a", "size": 1, "session_id": session_id})
    assert (response.status_code, response.json()["error_code"]) == (409, "E_SESSION_ENDED")


def test_uploads_are_listed_in_pages(http: TestClient, start_upload: StartUpload) -> None:
    upload = {start_upload()["upload_id"] for _ in range(5)}
    seen, cursor = [], None
    while page := http.get("/api/files/uploads", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json():
        seen += [upload["upload_id"] for upload in page["uploads"]]
        if not (cursor := page["cursor"]):
            break
    assert (len(seen), set(seen)) == (5, upload)


def _send_all_requests(http: TestClient, upload_id: str) -> Iterator[Any]:
    url = f"/api/files/uploads/{upload_id}"
    yield http.get(url)
    yield http.post(f"{url}/parts", json={"parts": [{"number": 1, "sha256": base64_sha256(BODY)}]})
    yield http.post(f"{url}/complete")
    yield http.delete(url)

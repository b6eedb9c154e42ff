"""Uploads of any size over HTTP; what a signed part takes, and many uploads at once, are told elsewhere."""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import FileKey, UploadId, UserName
from satchel.domain.uploads import PART_BYTES
from tests.integration.aws.makers import fresh
from tests.integration.http.desk import Answer, Desk, problem, session_not_found, shown_file
from tests.integration.http.world import MAX_FILE, World

BODY = b"a,b\n1,2\n"


def sha256(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


def not_found(upload_id: str) -> Answer:
    told = "There is no such upload, or its time is over."
    return problem(404, "Not found", "E_UPLOAD_NOT_FOUND", told, upload_id=upload_id)


@pytest.fixture
def begin(http: TestClient) -> Any:  # noqa: ANN401  (a function)
    def post(**wanted: object) -> Answer:
        answer = http.post("/api/files/uploads", json={"name": "a.csv", "size": len(BODY), **wanted})
        assert answer.status_code == 201, answer.text
        begun: Answer = answer.json()
        return begun

    return post


def send(world: World, user: str, upload_id: str, number: int = 1, body: bytes = BODY) -> None:
    """Put a part, as the store takes it from one who has it signed."""
    upload = world.uploads.get(UserName(user), UploadId(FileKey(upload_id)))
    assert upload is not None
    world.store.client.upload_part(
        Bucket=world.store.bucket,
        Key=upload.file.key,
        UploadId=upload.store_id,
        PartNumber=number,
        Body=body,
        ChecksumSHA256=sha256(body),
    )


@pytest.mark.clause("v2.1:input:any-size")
def test_a_file_that_no_request_could_carry_is_uploaded_in_parts(
    world: World, user: str, http: TestClient, desk: Desk
) -> None:
    session_id, body = desk.session(), bytes(PART_BYTES) + BODY
    begun = http.post(
        "/api/files/uploads", json={"name": "../größe.csv", "size": len(body), "session_id": session_id}
    ).json()
    upload_id = begun["upload_id"]
    now = world.clock.now().isoformat().replace("+00:00", "Z")
    shown = {
        "upload_id": upload_id,
        "name": "../größe.csv",
        "mime": "text/csv",
        "size": len(body),
        "session_id": session_id,
        "part_bytes": PART_BYTES,
        "part_count": 2,
        "created_at": now,
        "expires_at": begun["expires_at"],
    }
    assert begun == shown | {"parts": []}
    assert desk.get("/api/files/uploads")["uploads"] == [shown]

    send(world, user, upload_id, 2)
    stored = {"number": 2, "size": len(BODY), "sha256": sha256(BODY)}
    assert desk.get(f"/api/files/uploads/{upload_id}") == shown | {"stored": [stored], "cursor": None}
    early = http.post(f"/api/files/uploads/{upload_id}/complete")
    assert early.status_code == 409
    assert early.json() == problem(
        409, "Conflict", "E_UPLOAD_INCOMPLETE", "1 of 2 parts have not come.", missing=[1], part_count=2
    )

    send(world, user, upload_id, 1, bytes(PART_BYTES))
    first, again = (http.post(f"/api/files/uploads/{upload_id}/complete") for _ in range(2))
    assert (first.status_code, again.status_code) == (200, 200)
    file = first.json()
    assert (file["name"], file["size"], file["session_id"]) == ("größe.csv", len(body), session_id)
    assert again.json()["file_key"] == file["file_key"]
    assert desk.get("/api/files/uploads")["uploads"] == []
    assert [one["name"] for one in desk.get(f"/api/files?session_id={session_id}")["files"]] == ["größe.csv"]


def test_a_small_one_is_signed_at_once_and_is_a_file_like_any_other(
    world: World,
    user: str,
    http: TestClient,
    begin: Any,  # noqa: ANN401  (a function)
) -> None:
    begun = begin(sha256=[sha256(BODY)])
    [part] = begun["parts"]
    assert (part["number"], part["offset"], part["size"]) == (1, 0, len(BODY))
    assert part["headers"] == {"x-amz-checksum-sha256": sha256(BODY)}
    assert "X-Amz-Signature=" in part["url"]
    send(world, user, begun["upload_id"])

    uploaded = http.post(f"/api/files/uploads/{begun['upload_id']}/complete").json()

    assert uploaded == shown_file(world, uploaded, info={"rows": 1, "columns": 2})
    assert http.get(uploaded["download_url"]).content == BODY


def test_parts_are_signed_anew_as_often_as_they_are_asked_for(http: TestClient, begin: Any) -> None:  # noqa: ANN401  (a function)
    begun = begin(size=3 * PART_BYTES)
    wanted = {"parts": [{"number": number, "sha256": sha256(BODY)} for number in (3, 1)]}
    for _ in range(2):
        signed = http.post(f"/api/files/uploads/{begun['upload_id']}/parts", json=wanted)
        assert signed.status_code == 200
        assert [(part["number"], part["offset"]) for part in signed.json()["parts"]] == [(3, 2 * PART_BYTES), (1, 0)]


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [{"number": 0, "sha256": sha256(b"")}],
        [{"number": 2, "sha256": sha256(b"")}],
        [{"number": 10_001, "sha256": sha256(b"")}],
        [{"number": 1, "sha256": "x"}],
        [{"number": 1}],
        [{"number": 1, "sha256": sha256(b"")}] * 101,
    ],
)
def test_parts_that_there_cannot_be_are_not_signed(http: TestClient, begin: Any, parts: object) -> None:  # noqa: ANN401  (a function)
    answer = http.post(f"/api/files/uploads/{begin()['upload_id']}/parts", json={"parts": parts})
    assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")


def test_more_checksums_than_parts_begin_nothing(http: TestClient, desk: Desk) -> None:
    answer = http.post("/api/files/uploads", json={"name": "a", "size": 1, "sha256": [sha256(b"x")] * 2})
    assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")
    assert desk.get("/api/files/uploads")["uploads"] == []


@pytest.mark.parametrize("size", [-1, 1.5, "many", None, 1 << 63])
def test_a_size_that_is_none_is_refused(http: TestClient, size: object) -> None:
    answer = http.post("/api/files/uploads", json={"name": "a", "size": size})
    assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")


@pytest.mark.clause("v2.1:errors:file-too-large")
def test_a_file_over_the_limit_is_refused_before_a_byte_is_sent(http: TestClient, desk: Desk) -> None:
    answer = http.post("/api/files/uploads", json={"name": "a", "size": MAX_FILE + 1})

    told = "Uploaded file exceeds processing limits"
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
    assert answer.status_code == 413
    assert answer.json() == problem(
        413, "Too large", "E_FILE_TOO_LARGE", told, results={"error": told}, meta_data=meta_data
    )
    assert desk.get("/api/files/uploads")["uploads"] == []


def test_an_upload_that_is_given_up_is_gone(world: World, user: str, http: TestClient, begin: Any) -> None:  # noqa: ANN401  (a function)
    upload_id = begin()["upload_id"]
    send(world, user, upload_id)
    assert http.delete(f"/api/files/uploads/{upload_id}").status_code == 204
    for answer in _every_way(http, upload_id):
        assert (answer.status_code, answer.json()) == (404, not_found(upload_id))


def test_an_upload_of_somebody_else_is_one_of_nobody(http: TestClient, stranger: TestClient, begin: Any) -> None:  # noqa: ANN401  (a function)
    assert http
    for upload_id in (begin()["upload_id"], fresh("f")):
        for answer in _every_way(stranger, upload_id):
            assert (answer.status_code, answer.json()) == (404, not_found(upload_id))


@pytest.mark.parametrize("upload_id", ["x", "s" * 27, "f" * 200, "%00", "%2e%2e"])
def test_what_cannot_be_an_id_is_not_found(http: TestClient, upload_id: str) -> None:
    for answer in _every_way(http, upload_id):
        assert (answer.status_code, answer.json()["error_code"]) == (404, "E_UPLOAD_NOT_FOUND")


def test_a_session_of_somebody_else_takes_no_upload(http: TestClient, desk: Desk, stranger: TestClient) -> None:
    session_id = desk.session()
    answer = stranger.post("/api/files/uploads", json={"name": "a", "size": 1, "session_id": session_id})
    assert (answer.status_code, answer.json()) == (404, session_not_found(session_id))
    http.delete(f"/api/sessions/{session_id}")
    answer = http.post("/api/files/uploads", json={"name": "a", "size": 1, "session_id": session_id})
    assert (answer.status_code, answer.json()["error_code"]) == (409, "E_SESSION_ENDED")


def test_uploads_are_listed_in_pages(http: TestClient, begin: Any) -> None:  # noqa: ANN401  (a function)
    begun = {begin()["upload_id"] for _ in range(5)}
    seen, cursor = [], None
    while page := http.get("/api/files/uploads", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json():
        seen += [upload["upload_id"] for upload in page["uploads"]]
        if not (cursor := page["cursor"]):
            break
    assert (len(seen), set(seen)) == (5, begun)


def _every_way(http: TestClient, upload_id: str) -> Iterator[Any]:
    url = f"/api/files/uploads/{upload_id}"
    yield http.get(url)
    yield http.post(f"{url}/parts", json={"parts": [{"number": 1, "sha256": sha256(BODY)}]})
    yield http.post(f"{url}/complete")
    yield http.delete(url)

"""A signed upload part accepts only the signed content, at its place and for a limited time, as on S3."""

import datetime as dt
from collections.abc import Callable

import botocore.auth
import httpx2
import pytest

from local.emulator.aws import resources
from local.emulator.aws.cloud import LocalCloud
from satchel.adapters import clients
from satchel.adapters.s3_files import S3Files
from satchel.adapters.s3_uploads import S3Uploads
from satchel.domain.ids import UserName, new_id_body
from satchel.domain.uploads import PART_URL_SECONDS, Part, Upload, new_uploaded_file, part_bytes_for
from tests.hashes import base64_sha256

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
BUCKET = "parts"
BODY = b"a,b\n1,2\n"
FORBIDDEN = 403
Headers = dict[str, str]
Tamper = Callable[[str, Headers, bytes], tuple[str, Headers, bytes]]


@pytest.fixture(scope="module")
def parts(cloud: LocalCloud) -> S3Uploads:
    assert cloud.endpoint_url
    resources.create_bucket(BUCKET, {})
    return S3Uploads(clients.s3.__wrapped__(), BUCKET)


@pytest.fixture
def upload(parts: S3Uploads) -> Upload:
    return begin_upload(parts, "a.csv", len(BODY))


def begin_upload(parts: S3Uploads, name: str, size: int) -> Upload:
    id_body = new_id_body(NOW, name.encode().rjust(10, b"0"))
    new = new_uploaded_file(UserName("alice"), None, name, None, size, NOW, id_body)
    store_id = parts.begin(new.key, new.mime)
    return Upload(file=new, store_id=store_id, part_bytes=part_bytes_for(size), expires_at=NOW + dt.timedelta(days=1))


def signed(parts: S3Uploads, upload: Upload, body: bytes = BODY) -> tuple[str, Headers]:
    return parts.presign_part(upload, Part(number=1, sha256=base64_sha256(body)), PART_URL_SECONDS)


def put(url: str, headers: Headers, body: bytes) -> tuple[int, str]:
    response = httpx2.put(url, headers=headers, content=body, timeout=60)
    return response.status_code, response.text


def stored_parts(parts: S3Uploads, upload: Upload) -> list[tuple[int, str | None]]:
    return [(part.size, part.sha256) for part in parts.list_parts(upload, 10, None).items]


def test_signed_content_is_accepted(parts: S3Uploads, upload: Upload) -> None:
    assert put(*signed(parts, upload), BODY)[0] == 200
    assert stored_parts(parts, upload) == [(len(BODY), base64_sha256(BODY))]
    parts.complete(upload, parts.list_parts(upload, 10, None).items)
    assert S3Files(parts.client, BUCKET).read(upload.file.key, 100) == BODY


TAMPERED: dict[str, Tamper] = {
    "another user's key": lambda url, headers, body: (url.replace("/alice/", "/bob/"), headers, body),
    "another name": lambda url, headers, body: (url.replace("a.csv", "b.csv"), headers, body),
    "another part": lambda url, headers, body: (url.replace("partNumber=1", "partNumber=2"), headers, body),
    "another upload": lambda url, headers, body: (url.replace("uploadId=", "uploadId=x"), headers, body),
    "a longer time": lambda url, headers, body: (url.replace("Expires=900", "Expires=9000"), headers, body),
    "fewer signed headers": lambda url, headers, body: (url.replace("content-length%3B", ""), headers, body),
    "another signature": lambda url, headers, body: (url[:-1] + ("0" if url[-1] != "0" else "1"), headers, body),
    "no signature": lambda url, headers, body: (url.partition("&X-Amz-Algorithm")[0], headers, body),
    "fewer bytes": lambda url, headers, body: (url, headers, body[:-1]),
    "more bytes": lambda url, headers, body: (url, headers, body + b"x"),
    "no bytes": lambda url, headers, _body: (url, headers, b""),
    "another checksum": lambda url, _headers, _body: (
        url,
        {"x-amz-checksum-sha256": base64_sha256(b"other by")},
        b"other by",
    ),
    "no checksum": lambda url, _headers, body: (url, {}, body),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED.keys())
def test_altered_request_is_forbidden(parts: S3Uploads, upload: Upload, tamper: Tamper) -> None:
    assert put(*tamper(*signed(parts, upload), BODY))[0] == FORBIDDEN
    assert stored_parts(parts, upload) == []


def test_content_of_unknown_length_is_forbidden(parts: S3Uploads, upload: Upload) -> None:
    url, headers = signed(parts, upload)
    response = httpx2.put(url, headers=headers, content=iter([BODY]), timeout=60)
    assert "content-length" not in response.request.headers
    assert response.status_code == FORBIDDEN
    assert stored_parts(parts, upload) == []


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE"])
def test_signed_part_only_accepts_put(parts: S3Uploads, upload: Upload, method: str) -> None:
    url, headers = signed(parts, upload)
    assert httpx2.request(method, url, headers=headers, timeout=60).status_code == FORBIDDEN


def test_other_content_of_the_same_length_is_a_bad_digest(parts: S3Uploads, upload: Upload) -> None:
    status, text = put(*signed(parts, upload), BODY[::-1])
    assert status == 400
    assert "BadDigest" in text
    assert stored_parts(parts, upload) == []


@pytest.mark.parametrize(("ago", "status"), [(PART_URL_SECONDS - 60, 200), (PART_URL_SECONDS, FORBIDDEN)])
def test_expired_signature_is_forbidden(
    parts: S3Uploads, upload: Upload, monkeypatch: pytest.MonkeyPatch, ago: int, status: int
) -> None:
    signed_at = dt.datetime.now(tz=dt.UTC) - dt.timedelta(seconds=ago)
    with monkeypatch.context() as patch:
        patch.setattr(botocore.auth, "get_current_datetime", lambda **_: signed_at.replace(tzinfo=None))
        url, headers = signed(parts, upload)
    assert put(url, headers, BODY)[0] == status


def test_part_of_a_completed_upload_is_not_found(parts: S3Uploads, upload: Upload) -> None:
    url, headers = signed(parts, upload)
    assert put(url, headers, BODY)[0] == 200
    parts.complete(upload, parts.list_parts(upload, 10, None).items)
    status, text = put(url, headers, BODY)
    assert status in {400, 404}
    assert "NoSuchUpload" in text


def test_empty_file_is_one_empty_part(parts: S3Uploads) -> None:
    upload = begin_upload(parts, "empty.csv", 0)
    assert put(*signed(parts, upload, b""), b"")[0] == 200
    parts.complete(upload, parts.list_parts(upload, 10, None).items)
    assert S3Files(parts.client, BUCKET).read(upload.file.key, 100) == b""

import io
import urllib.parse
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from satchel.adapters.s3_files import S3Files, S3Page
from satchel.domain.ids import UserName
from satchel.ports.storage import StoredObject
from tests.integration.aws.factories import new_file_key

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import TagTypeDef

MIB = 1 << 20


@pytest.fixture
def key(user: UserName) -> str:
    return f"{user}/uploads/20260301/{new_file_key()}/größe & co+1%.csv"


def put(store: S3Files, key: str, body: bytes = b"abc", mime: str = "text/csv") -> None:
    store.put(key, io.BytesIO(body), mime)


def versions(store: S3Files, prefix: str) -> int:
    pages = store.client.get_paginator("list_object_versions").paginate(Bucket=store.bucket, Prefix=prefix)
    return sum(len(page.get("Versions", [])) + len(page.get("DeleteMarkers", [])) for page in pages)


class ForwardOnlyStream:
    """A stream without seek that records the largest read."""

    def __init__(self, size: int) -> None:
        self._left = size
        self.max_read = 0

    def read(self, size: int = -1) -> bytes:
        self.max_read = max(self.max_read, self._left if size < 0 else size)
        count = self._left if size < 0 else min(size, self._left)
        self._left -= count
        return b"x" * count

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


class PartCounter(io.BytesIO):
    """A stream that counts the parts that were read from it and are not stored yet."""

    def __init__(self, body: bytes, client: "S3Client") -> None:
        super().__init__(body)
        self._held = 0
        self.max_held = 0
        client.meta.events.register("after-call.s3.UploadPart", self._stored)

    def read(self, size: int | None = -1) -> bytes:
        part = super().read(size)
        self._held += bool(part)
        self.max_held = max(self.max_held, self._held)
        return part

    def _stored(self, **_: object) -> None:
        self._held -= 1


class TestPut:
    def test_content_is_stored_with_its_type(self, store: S3Files, key: str) -> None:
        put(store, key, b"a,b\n1,2\n", "text/csv; charset=utf-8")

        stored = store.head(key)
        assert stored is not None
        assert stored == StoredObject(key=key, size=8, mime="text/csv; charset=utf-8", etag=stored.etag)
        assert store.read(key, 8) == b"a,b\n1,2\n"

    def test_empty_content_is_stored(self, store: S3Files, key: str) -> None:
        put(store, key, b"")

        assert store.read(key, 0) == b""

    @pytest.mark.clause("v2.1:large:streamed")
    def test_large_stream_is_read_part_by_part(self, store: S3Files, key: str) -> None:
        stream: Any = ForwardOnlyStream(20 * MIB + 1)

        store.put(key, stream, "application/octet-stream")

        stored = store.head(key)
        assert stored is not None
        assert stored.size == 20 * MIB + 1
        assert stream.max_read <= 8 * MIB

    @pytest.mark.parametrize("size", [3, 9 * MIB])
    def test_tags_are_set_on_single_and_multipart_uploads(self, store: S3Files, key: str, size: int) -> None:
        body: IO[bytes] = io.BytesIO(b"x" * size)

        store.put(key, body, "text/csv", {"expire-days": "3", "a": "b c=d+e/f"})

        tags = store.client.get_object_tagging(Bucket=store.bucket, Key=key)["TagSet"]
        assert {tag["Key"]: tag["Value"] for tag in tags} == {"expire-days": "3", "a": "b c=d+e/f"}

    def test_set_tags_replaces_all_tags(self, store: S3Files, key: str) -> None:
        def tags() -> list["TagTypeDef"]:
            return store.client.get_object_tagging(Bucket=store.bucket, Key=key)["TagSet"]

        store.put(key, io.BytesIO(b"x"), "text/csv", {"retention": "unkept"})
        store.set_tags(key, {})
        assert tags() == []
        store.set_tags(key, {"expire-days": "3"})
        assert tags() == [{"Key": "expire-days", "Value": "3"}]

    def test_set_tags_of_a_missing_object_raises(self, store: S3Files, key: str) -> None:
        with pytest.raises(FileNotFoundError):
            store.set_tags(key, {"expire-days": "3"})

    def test_few_parts_of_a_stream_are_held_in_memory(self, store: S3Files, key: str) -> None:
        body = PartCounter(b"x" * (80 * MIB), store.client)

        store.put(key, body, "text/csv")

        assert 0 < body.max_held <= 4

    @pytest.mark.parametrize("size", [0, 3, 20 * MIB + 1])
    def test_file_is_stored_after_its_path_was_deleted(
        self, store: S3Files, key: str, tmp_path: Path, size: int
    ) -> None:
        whole = b"".join(number.to_bytes(4, "big") for number in range(size // 4 + 1))[:size]
        path = tmp_path / "a"
        path.write_bytes(whole)

        with path.open("rb") as body:
            path.unlink()
            store.put(key, body, "text/csv; charset=utf-8")

        stored = store.head(key)
        assert stored is not None
        assert stored.mime == "text/csv; charset=utf-8"
        assert store.read(key, size) == whole

    @pytest.mark.parametrize("size", [3, 9 * MIB])
    def test_put_starts_at_the_position_of_the_stream(
        self, store: S3Files, key: str, tmp_path: Path, size: int
    ) -> None:
        (tmp_path / "a").write_bytes(b"head" + b"x" * size)

        with (tmp_path / "a").open("rb") as body:
            body.seek(4)
            store.put(key, body, "text/csv")

        assert store.read(key, size) == b"x" * size

    def test_second_put_creates_a_version(self, store: S3Files, key: str) -> None:
        put(store, key, b"one")
        put(store, key, b"two!")

        assert store.read(key, 10) == b"two!"
        assert versions(store, key) == 2


class TestReading:
    def test_missing_object_is_none(self, store: S3Files, key: str) -> None:
        assert store.head(key) is None
        assert store.read(key, 100) is None

    def test_deleted_object_is_none(self, store: S3Files, key: str) -> None:
        put(store, key)
        store.client.delete_object(Bucket=store.bucket, Key=key)

        assert store.head(key) is None
        assert store.read(key, 100) is None

    def test_object_over_the_limit_is_rejected(self, store: S3Files, key: str) -> None:
        put(store, key, b"x" * 11)

        with pytest.raises(ValueError, match="11 bytes, more than the limit of 10"):
            store.read(key, 10)
        assert store.read(key, 11) == b"x" * 11

    def test_other_errors_are_raised(self, store: S3Files, key: str) -> None:
        missing_bucket = S3Files(store.client, "no-such-bucket")

        for read in (lambda: missing_bucket.read(key, 1), lambda: missing_bucket.read_range(key, 0, 0)):
            with pytest.raises(ClientError):
                read()

    @pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 9), (3, 5), (9, 9)])
    def test_range_includes_both_ends(self, store: S3Files, key: str, first: int, last: int) -> None:
        put(store, key, b"0123456789")

        assert b"".join(store.read_range(key, first, last)) == b"0123456789"[first : last + 1]

    def test_range_of_a_missing_object_raises_immediately(self, store: S3Files, key: str) -> None:
        with pytest.raises(FileNotFoundError):
            store.read_range(key, 0, 0)

    def test_range_is_returned_in_small_chunks(self, store: S3Files, key: str) -> None:
        put(store, key, bytes(range(256)) * 12_000)

        chunks = list(store.read_range(key, 0, 3_071_999))

        assert b"".join(chunks) == bytes(range(256)) * 12_000
        assert max(map(len, chunks)) <= MIB


class TestPresignGet:
    def test_url_fixes_key_expiry_type_and_disposition(self, store: S3Files, key: str) -> None:
        url = store.presign_get(key, 60, "text/csv; charset=utf-8", 'attachment; filename="a b.csv"')

        parts = urllib.parse.urlsplit(url)
        query = dict(urllib.parse.parse_qsl(parts.query))
        assert urllib.parse.unquote(parts.path) == f"/{store.bucket}/{key}"
        assert query["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256"
        assert query["X-Amz-Expires"] == "60"
        assert query["X-Amz-SignedHeaders"] == "host"
        assert query["response-content-type"] == "text/csv; charset=utf-8"
        assert query["response-content-disposition"] == 'attachment; filename="a b.csv"'
        assert "X-Amz-Signature" in query

    def test_url_fixes_no_headers_by_default(self, store: S3Files, key: str) -> None:
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(store.presign_get(key, 60)).query)

        assert not [name for name in query if name.startswith("response-")]

    def test_signature_covers_every_parameter(self, store: S3Files, key: str) -> None:
        def signature(url: str) -> list[str]:
            return urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["X-Amz-Signature"]

        urls = [
            store.presign_get(key, 60, "text/csv", "inline"),
            store.presign_get(key + "x", 60, "text/csv", "inline"),
            store.presign_get(key, 61, "text/csv", "inline"),
            store.presign_get(key, 60, "text/html", "inline"),
            store.presign_get(key, 60, "text/csv", "attachment"),
        ]

        assert len({signature(url)[0] for url in urls}) == len(urls)


class TestDelete:
    def test_delete_removes_all_versions_and_markers(self, store: S3Files, key: str) -> None:
        put(store, key)
        put(store, key)
        store.client.delete_object(Bucket=store.bucket, Key=key)

        store.delete([key])

        assert versions(store, key) == 0

    def test_delete_does_not_touch_keys_with_the_same_prefix(self, store: S3Files, key: str) -> None:
        put(store, key)
        put(store, key + ".bak")

        store.delete([key])

        assert store.head(key) is None
        assert store.head(key + ".bak") is not None

    def test_delete_of_no_or_missing_objects_does_nothing(self, store: S3Files, key: str) -> None:
        store.delete([])
        store.delete([key, key])

    def test_delete_removes_more_than_a_thousand_versions(self, store: S3Files, user: UserName) -> None:
        keys = [f"{user}/uploads/{number}" for number in range(3)]
        for key in keys:
            for _ in range(345):
                store.client.put_object(Bucket=store.bucket, Key=key, Body=b"")

        store.delete(keys)

        assert versions(store, f"{user}/") == 0


def test_page_returns_the_stored_content_or_none(store: S3Files) -> None:
    page = S3Page(store.client, store.bucket)
    assert page.get("missing.html") is None
    page.put("index.html", b"<html>", "text/html", "no-cache")
    assert page.get("index.html") == b"<html>"

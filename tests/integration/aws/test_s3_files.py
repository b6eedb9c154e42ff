import io
import urllib.parse
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from satchel.adapters.s3_files import S3Files
from satchel.ports.storage import StoredObject
from tests.integration.aws.makers import fresh

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import TagTypeDef

MIB = 1 << 20


@pytest.fixture
def key(user: str) -> str:
    return f"{user}/uploads/20260301/{fresh('f')}/größe & co+1%.csv"


def put(store: S3Files, key: str, body: bytes = b"abc", mime: str = "text/csv") -> None:
    store.put(key, io.BytesIO(body), mime)


def versions(store: S3Files, prefix: str) -> int:
    pages = store.client.get_paginator("list_object_versions").paginate(Bucket=store.bucket, Prefix=prefix)
    return sum(len(page.get("Versions", [])) + len(page.get("DeleteMarkers", [])) for page in pages)


class Slow:
    """A stream that can be read once, forwards, and that counts what was asked of it at a time."""

    def __init__(self, size: int) -> None:
        self._left = size
        self.most = 0

    def read(self, size: int = -1) -> bytes:
        self.most = max(self.most, self._left if size < 0 else size)
        given = self._left if size < 0 else min(size, self._left)
        self._left -= given
        return b"x" * given

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


class Counted(io.BytesIO):
    """Counts how many of the parts that were read from it are not in the store yet."""

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
    def test_stores_bytes_with_their_type(self, store: S3Files, key: str) -> None:
        put(store, key, b"a,b\n1,2\n", "text/csv; charset=utf-8")

        stored = store.head(key)
        assert stored is not None
        assert stored == StoredObject(key=key, size=8, mime="text/csv; charset=utf-8", etag=stored.etag)
        assert store.read(key, 8) == b"a,b\n1,2\n"

    def test_stores_nothing_at_all(self, store: S3Files, key: str) -> None:
        put(store, key, b"")

        assert store.read(key, 0) == b""

    @pytest.mark.clause("v2.1:large:streamed")
    def test_reads_a_stream_of_any_size_part_by_part(self, store: S3Files, key: str) -> None:
        stream: Any = Slow(20 * MIB + 1)

        store.put(key, stream, "application/octet-stream")

        stored = store.head(key)
        assert stored is not None
        assert stored.size == 20 * MIB + 1
        assert stream.most <= 8 * MIB

    @pytest.mark.parametrize("size", [3, 9 * MIB])
    def test_tags_what_shall_expire_in_one_part_and_in_many(self, store: S3Files, key: str, size: int) -> None:
        body: IO[bytes] = io.BytesIO(b"x" * size)

        store.put(key, body, "text/csv", {"expire-days": "3", "a": "b c=d+e/f"})

        tags = store.client.get_object_tagging(Bucket=store.bucket, Key=key)["TagSet"]
        assert {tag["Key"]: tag["Value"] for tag in tags} == {"expire-days": "3", "a": "b c=d+e/f"}

    def test_takes_tags_away_and_gives_others(self, store: S3Files, key: str) -> None:
        def tags() -> list["TagTypeDef"]:
            return store.client.get_object_tagging(Bucket=store.bucket, Key=key)["TagSet"]

        store.put(key, io.BytesIO(b"x"), "text/csv", {"retention": "unkept"})
        store.tag(key, {})
        assert tags() == []
        store.tag(key, {"expire-days": "3"})
        assert tags() == [{"Key": "expire-days", "Value": "3"}]

    def test_an_object_that_is_not_there_has_no_tags(self, store: S3Files, key: str) -> None:
        with pytest.raises(FileNotFoundError):
            store.tag(key, {"expire-days": "3"})

    def test_holds_few_parts_of_a_stream_however_long_it_is(self, store: S3Files, key: str) -> None:
        body = Counted(b"x" * (80 * MIB), store.client)

        store.put(key, body, "text/csv")

        assert 0 < body.max_held <= 4

    @pytest.mark.parametrize("size", [0, 3, 20 * MIB + 1])
    def test_stores_a_file_even_when_its_name_is_gone(
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
    def test_begins_where_the_stream_stands(self, store: S3Files, key: str, tmp_path: Path, size: int) -> None:
        (tmp_path / "a").write_bytes(b"head" + b"x" * size)

        with (tmp_path / "a").open("rb") as body:
            body.seek(4)
            store.put(key, body, "text/csv")

        assert store.read(key, size) == b"x" * size

    def test_over_an_object_makes_a_version(self, store: S3Files, key: str) -> None:
        put(store, key, b"one")
        put(store, key, b"two!")

        assert store.read(key, 10) == b"two!"
        assert versions(store, key) == 2


class TestReading:
    def test_what_is_not_there_is_none(self, store: S3Files, key: str) -> None:
        assert store.head(key) is None
        assert store.read(key, 100) is None

    def test_what_was_deleted_is_none(self, store: S3Files, key: str) -> None:
        put(store, key)
        store.client.delete_object(Bucket=store.bucket, Key=key)

        assert store.head(key) is None
        assert store.read(key, 100) is None

    def test_more_than_allowed_is_refused(self, store: S3Files, key: str) -> None:
        put(store, key, b"x" * 11)

        with pytest.raises(ValueError, match="11 bytes; 10 were"):
            store.read(key, 10)
        assert store.read(key, 11) == b"x" * 11

    def test_another_error_is_no_absence(self, store: S3Files, key: str) -> None:
        elsewhere = S3Files(store.client, "no-such-bucket-of-ours")

        for look in (lambda: elsewhere.read(key, 1), lambda: elsewhere.chunks(key, 0, 0)):
            with pytest.raises(ClientError):
                look()

    @pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 9), (3, 5), (9, 9)])
    def test_a_range_includes_both_ends(self, store: S3Files, key: str, first: int, last: int) -> None:
        put(store, key, b"0123456789")

        assert b"".join(store.chunks(key, first, last)) == b"0123456789"[first : last + 1]

    def test_a_range_of_what_is_not_there_is_an_error_at_once(self, store: S3Files, key: str) -> None:
        with pytest.raises(FileNotFoundError):
            store.chunks(key, 0, 0)

    def test_a_range_comes_in_small_pieces(self, store: S3Files, key: str) -> None:
        put(store, key, bytes(range(256)) * 12_000)

        pieces = list(store.chunks(key, 0, 3_071_999))

        assert b"".join(pieces) == bytes(range(256)) * 12_000
        assert max(map(len, pieces)) <= MIB


class TestLink:
    def test_fixes_key_time_type_and_disposition(self, store: S3Files, key: str) -> None:
        link = store.link(key, 60, "text/csv; charset=utf-8", 'attachment; filename="a b.csv"')

        parts = urllib.parse.urlsplit(link)
        query = dict(urllib.parse.parse_qsl(parts.query))
        assert urllib.parse.unquote(parts.path) == f"/{store.bucket}/{key}"
        assert query["X-Amz-Algorithm"] == "AWS4-HMAC-SHA256"
        assert query["X-Amz-Expires"] == "60"
        assert query["X-Amz-SignedHeaders"] == "host"
        assert query["response-content-type"] == "text/csv; charset=utf-8"
        assert query["response-content-disposition"] == 'attachment; filename="a b.csv"'
        assert "X-Amz-Signature" in query

    def test_fixes_nothing_that_is_not_asked_for(self, store: S3Files, key: str) -> None:
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(store.link(key, 60)).query)

        assert not [name for name in query if name.startswith("response-")]

    def test_differs_for_each_thing_that_it_fixes(self, store: S3Files, key: str) -> None:
        def signature(link: str) -> list[str]:
            return urllib.parse.parse_qs(urllib.parse.urlsplit(link).query)["X-Amz-Signature"]

        links = [
            store.link(key, 60, "text/csv", "inline"),
            store.link(key + "x", 60, "text/csv", "inline"),
            store.link(key, 61, "text/csv", "inline"),
            store.link(key, 60, "text/html", "inline"),
            store.link(key, 60, "text/csv", "attachment"),
        ]

        assert len({signature(link)[0] for link in links}) == len(links)


class TestDelete:
    def test_takes_every_version_and_marker(self, store: S3Files, key: str) -> None:
        put(store, key)
        put(store, key)
        store.client.delete_object(Bucket=store.bucket, Key=key)

        store.delete([key])

        assert versions(store, key) == 0

    def test_spares_what_merely_begins_like_it(self, store: S3Files, key: str) -> None:
        put(store, key)
        put(store, key + ".bak")

        store.delete([key])

        assert store.head(key) is None
        assert store.head(key + ".bak") is not None

    def test_of_nothing_and_of_what_is_not_there_is_no_error(self, store: S3Files, key: str) -> None:
        store.delete([])
        store.delete([key, key])

    def test_takes_more_than_a_thousand_versions(self, store: S3Files, user: str) -> None:
        keys = [f"{user}/uploads/{number}" for number in range(3)]
        for key in keys:
            for _ in range(345):
                store.client.put_object(Bucket=store.bucket, Key=key, Body=b"")

        store.delete(keys)

        assert versions(store, f"{user}/") == 0

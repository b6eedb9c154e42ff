"""The bucket in memory."""

from collections.abc import Iterator, Sequence
from hashlib import md5
from typing import IO, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from satchel.domain.uploads import Part, StoredPart, Upload
from satchel.ports import Page
from satchel.ports.storage import StoredObject

_HOST = "https://bucket.example"


class StoredBody(NamedTuple):
    """What lies under a key."""

    body: bytes
    mime: str
    tags: dict[str, str]


class FakeFileStore:
    """Implements ``ports.file_store.FileStore``. ``objects`` is what there is now; ``written`` is every put."""

    def __init__(self) -> None:
        self.objects: dict[str, StoredBody] = {}
        self.written: list[str] = []

    def put(self, key: str, body: IO[bytes], mime: str, tags: dict[str, str] | None = None) -> None:
        self.objects[key] = StoredBody(body.read(), mime, tags or {})
        self.written.append(key)

    def set_tags(self, key: str, tags: dict[str, str]) -> None:
        if key not in self.objects:
            raise FileNotFoundError(key)
        self.objects[key] = self.objects[key]._replace(tags=tags)

    def head(self, key: str) -> StoredObject | None:
        kept = self.objects.get(key)
        if kept is None:
            return None
        etag = md5(kept.body, usedforsecurity=False).hexdigest()
        return StoredObject(key=key, size=len(kept.body), mime=kept.mime, etag=etag)

    def read(self, key: str, max_bytes: int) -> bytes | None:
        kept = self.objects.get(key)
        if kept is not None and len(kept.body) > max_bytes:
            raise ValueError(f"the object has {len(kept.body)} bytes; {max_bytes} were to be read at most")
        return kept.body if kept else None

    def read_range(self, key: str, first: int, last: int) -> Iterator[bytes]:
        yield self.objects[key].body[first : last + 1]

    def presign_get(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        said = {"X-Amz-Expires": seconds, "mime": mime or "", "disposition": disposition or "", "X-Amz-Signature": "s3"}
        return f"{_HOST}/{key}?{urlencode(said)}"

    def delete(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.objects.pop(key, None)

    def delete_prefix(self, prefix: str) -> Iterator[int]:
        """Two at a time, so that a test may break off in between."""
        while found := [key for key in self.objects if key.startswith(prefix)][:2]:
            self.delete(found)
            yield len(found)

    def fetch(self, url: str) -> bytes:
        """Answer one of our links, as the bucket would. Raises KeyError for any other."""
        address = urlsplit(url)
        assert f"{address.scheme}://{address.netloc}" == _HOST
        assert parse_qs(address.query)["X-Amz-Signature"] == ["s3"]
        return self.objects[address.path.removeprefix("/")].body


class FakePageStore:
    """Implements ``ports.storage.PageStore``: ``files``: content, media type and cache header by path."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, str, str]] = {}

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        self.files[path] = (content, media_type, cache)


class FakePartStore:
    """Implements ``ports.uploads.PartStore`` over a fake bucket. ``put`` is what a client does with an address."""

    def __init__(self, store: FakeFileStore) -> None:
        self._store = store
        self.mimes: dict[str, str] = {}
        self.bodies: dict[str, dict[int, bytes]] = {}
        self.aborted: list[str] = []

    def begin(self, key: str, mime: str) -> str:
        store_id = f"upload-{len(self.mimes) + 1}"
        self.mimes[store_id], self.bodies[store_id] = mime, {}
        assert key
        return store_id

    def presign_part(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        address = f"https://bucket.example/{upload.store_id}/{part.number}?seconds={seconds}"
        return address, {"x-checksum": part.sha256}

    def put(self, upload: Upload, number: int, body: bytes) -> None:
        self.bodies[upload.store_id][number] = body

    def list_parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        came = self.bodies.get(upload.store_id, {}).items()
        after = sorted((number, body) for number, body in came if number > int(cursor or 0))
        found = [StoredPart(number=number, size=len(body), etag=f"e{number}") for number, body in after[:limit]]
        return Page(items=found, cursor=str(found[-1].number) if len(after) > limit else None)

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        bodies = self.bodies.pop(upload.store_id, None)
        if bodies is not None:
            body = b"".join(bodies[part.number] for part in parts)
            self._store.objects[upload.file.key] = StoredBody(body, self.mimes[upload.store_id], {})

    def abort(self, upload: Upload) -> None:
        self.bodies.pop(upload.store_id, None)
        self.aborted.append(upload.store_id)

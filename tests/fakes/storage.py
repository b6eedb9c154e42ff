"""In-memory object storage, parts of uploads, and files of the web client."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import md5
from typing import IO, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

from satchel.domain.uploads import Part, StoredPart, Upload
from satchel.ports import Page
from satchel.ports.storage import StoredObject

_HOST = "https://bucket.example"


class StoredBody(NamedTuple):
    """A stored object."""

    body: bytes
    mime: str
    tags: dict[str, str]


class FakeFileStore:
    """Implements ``ports.storage.FileStore``. ``objects`` are the stored objects, ``written`` the keys of all puts."""

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
        stored = self.objects.get(key)
        if stored is None:
            return None
        etag = md5(stored.body, usedforsecurity=False).hexdigest()
        return StoredObject(key=key, size=len(stored.body), mime=stored.mime, etag=etag)

    def read(self, key: str, max_bytes: int) -> bytes | None:
        stored = self.objects.get(key)
        if stored is not None and len(stored.body) > max_bytes:
            raise ValueError(f"the object has {len(stored.body)} bytes, more than {max_bytes}")
        return stored.body if stored else None

    def read_range(self, key: str, first: int, last: int) -> Iterator[bytes]:
        yield self.objects[key].body[first : last + 1]

    def presign_get(self, key: str, seconds: int, mime: str | None = None, disposition: str | None = None) -> str:
        query = {
            "X-Amz-Expires": seconds,
            "mime": mime or "",
            "disposition": disposition or "",
            "X-Amz-Signature": "s3",
        }
        return f"{_HOST}/{key}?{urlencode(query)}"

    def delete(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.objects.pop(key, None)

    def delete_prefix(self, prefix: str, proceed: Callable[[], bool] = lambda: True) -> Iterator[int]:
        """Delete in pages of two, so that a test can stop between pages."""
        while (page := [key for key in self.objects if key.startswith(prefix)][:2]) and proceed():
            self.delete(page)
            yield len(page)

    def fetch(self, url: str) -> bytes:
        """Return the object of a presigned URL. Raise KeyError if it does not exist."""
        address = urlsplit(url)
        assert f"{address.scheme}://{address.netloc}" == _HOST
        assert parse_qs(address.query)["X-Amz-Signature"] == ["s3"]
        return self.objects[address.path.removeprefix("/")].body


class FakePageStore:
    """Implements ``ports.storage.PageStore``. ``files``: content, media type and cache header by path."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, str, str]] = {}

    def get(self, path: str) -> bytes | None:
        return self.files[path][0] if path in self.files else None

    def put(self, path: str, content: bytes, media_type: str, cache: str) -> None:
        self.files[path] = (content, media_type, cache)


class FakePartStore:
    """Implements ``ports.storage.PartStore`` for a ``FakeFileStore``. Tests upload parts with ``put``."""

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
        url = f"{_HOST}/{upload.store_id}/{part.number}?seconds={seconds}"
        return url, {"x-checksum": part.sha256}

    def put(self, upload: Upload, number: int, body: bytes) -> None:
        self.bodies[upload.store_id][number] = body

    def list_parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        uploaded = self.bodies.get(upload.store_id, {}).items()
        after = sorted((number, body) for number, body in uploaded if number > int(cursor or 0))
        parts = [StoredPart(number=number, size=len(body), etag=f"e{number}") for number, body in after[:limit]]
        return Page(items=parts, cursor=str(parts[-1].number) if len(after) > limit else None)

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        bodies = self.bodies.pop(upload.store_id, None)
        if bodies is not None:
            body = b"".join(bodies[part.number] for part in parts)
            self._store.objects[upload.file.key] = StoredBody(body, self.mimes[upload.store_id], {})

    def abort(self, upload: Upload) -> None:
        self.bodies.pop(upload.store_id, None)
        self.aborted.append(upload.store_id)

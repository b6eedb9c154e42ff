"""Uploads on their way, in memory, and the parts that the store has of them."""

from collections.abc import Sequence
from datetime import datetime

from satchel.domain.ids import UploadId, UserName
from satchel.domain.uploads import Part, StoredPart, Upload
from satchel.ports import Page
from tests.fakes.file_store import FakeFileStore, Kept
from tests.fakes.pages import page_of


class FakeUploads:
    """Implements ``ports.uploads.Uploads``."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], Upload] = {}

    def add(self, upload: Upload) -> None:
        self.kept[upload.file.user, upload.upload_id] = upload

    def get(self, user: UserName, upload_id: UploadId) -> Upload | None:
        return self.kept.get((user, upload_id))

    def list(self, user: UserName, limit: int, cursor: str | None) -> Page[Upload]:
        mine = sorted(((key, upload) for (owner, key), upload in self.kept.items() if owner == user), reverse=True)
        return page_of(mine, limit, cursor)

    def take(self, user: UserName, upload_id: UploadId) -> Upload | None:
        return self.kept.pop((user, upload_id), None)

    def due(self, now: datetime, limit: int) -> Sequence[Upload]:
        over = [upload for upload in self.kept.values() if upload.expires_at <= now]
        return sorted(over, key=lambda upload: upload.expires_at)[:limit]


class FakePartStore:
    """Implements ``ports.uploads.PartStore`` over a fake bucket. ``put`` is what a client does with an address."""

    def __init__(self, store: FakeFileStore) -> None:
        self._store = store
        self.mimes: dict[str, str] = {}
        self.bodies: dict[str, dict[int, bytes]] = {}
        self.gone: list[str] = []

    def begin(self, key: str, mime: str) -> str:
        store_id = f"upload-{len(self.mimes) + 1}"
        self.mimes[store_id], self.bodies[store_id] = mime, {}
        assert key
        return store_id

    def sign(self, upload: Upload, part: Part, seconds: int) -> tuple[str, dict[str, str]]:
        address = f"https://bucket.example/{upload.store_id}/{part.number}?seconds={seconds}"
        return address, {"x-checksum": part.sha256}

    def put(self, upload: Upload, number: int, body: bytes) -> None:
        self.bodies[upload.store_id][number] = body

    def parts(self, upload: Upload, limit: int, cursor: str | None) -> Page[StoredPart]:
        came = self.bodies.get(upload.store_id, {}).items()
        after = sorted((number, body) for number, body in came if number > int(cursor or 0))
        found = [StoredPart(number=number, size=len(body), etag=f"e{number}") for number, body in after[:limit]]
        return Page(items=found, cursor=str(found[-1].number) if len(after) > limit else None)

    def complete(self, upload: Upload, parts: Sequence[StoredPart]) -> None:
        bodies = self.bodies.pop(upload.store_id, None)
        if bodies is not None:
            body = b"".join(bodies[part.number] for part in parts)
            self._store.objects[upload.file.key] = Kept(body, self.mimes[upload.store_id], {})

    def abort(self, upload: Upload) -> None:
        self.bodies.pop(upload.store_id, None)
        self.gone.append(upload.store_id)

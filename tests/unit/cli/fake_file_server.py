"""Fake of the API routes for files of any size, and of the S3 bucket behind them."""

import json
import threading
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import httpx2

from satchel.entrypoints.http import examples
from tests.hashes import base64_sha256
from tests.unit.cli.fake_server import FakeServer, Fault, file_key, problem

PART_BYTES = 2 << 20  # small, so that small files have many parts
UPLOAD_ID = "f01jd3q2v4xk8m0a9b7c5d6e7f8"
_PAGE_SIZE = 2


class FakeFileServer(FakeServer):
    """A server with one upload at a time, under one key.

    The first uploads of parts fail with one of ``put_faults`` each. Each of ``cuts`` ends a download after this many
    bytes.
    """

    routes: ClassVar[list[tuple[str, str]]] = [
        (r"POST /api/files/uploads", "_begin_upload"),
        (r"GET /api/files/uploads", "_list_uploads"),
        (r"GET /api/files/uploads/([^/]+)", "_uploaded_parts"),
        (r"POST /api/files/uploads/([^/]+)/parts", "_sign_parts"),
        (r"POST /api/files/uploads/([^/]+)/complete", "_complete_upload"),
        (r"PUT /store/(\d+)", "_put_part"),
        (r"GET /api/files", "_list_files"),
        (r"GET /api/files/(f\w+)", "_file"),
        (r"(?:GET|HEAD) /api/files/download/([^/]+)", "_ranged_download"),
        *FakeServer.routes,
    ]

    def __init__(self) -> None:
        super().__init__()
        self.upload: dict[str, Any] | None = None
        self.parts: dict[int, bytes] = {}
        self.put_parts: list[int] = []
        self.signed_parts: list[int] = []
        self.put_faults: list[Fault] = []
        self.completed_uploads: list[bytes] = []
        self.files: list[dict[str, Any]] = []
        self.etag = '"f1"'
        self.cuts: list[int] = []
        self.ranges: list[str | None] = []
        self._lock = threading.Lock()

    def add_file(self, name: str, body: bytes, number: int = 1, created_at: str = "2026-03-01T12:00:00Z") -> None:
        """Add a file of the user."""
        self.contents[file_key(number)] = body
        link = f"/api/files/download/{file_key(number)}?token=t"
        record = {"file_key": file_key(number), "name": name, "size": len(body), "version": 1}
        self.files.append(examples.FILE | record | {"created_at": created_at, "download_url": link})

    def _begin_upload(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        count = max(1, -(-body["size"] // PART_BYTES))
        self.upload = (
            examples.STARTED_UPLOAD
            | {"session_id": None}
            | body
            | {"upload_id": UPLOAD_ID, "part_bytes": PART_BYTES, "part_count": count}
        )
        return httpx2.Response(201, json=self.upload | {"parts": []})

    def _list_uploads(self, request: httpx2.Request) -> httpx2.Response:
        if "cursor" not in request.url.params:
            return httpx2.Response(200, json={"uploads": [], "cursor": "more"})
        return httpx2.Response(200, json={"uploads": [self.upload] if self.upload else [], "cursor": None})

    def _uploaded_parts(self, request: httpx2.Request, _upload: str) -> httpx2.Response:
        after = int(request.url.params.get("cursor", "0"))
        numbers = [number for number in sorted(self.parts) if number > after]
        stored = [
            {"number": n, "size": len(self.parts[n]), "sha256": base64_sha256(self.parts[n])}
            for n in numbers[:_PAGE_SIZE]
        ]
        cursor = str(numbers[_PAGE_SIZE - 1]) if len(numbers) > _PAGE_SIZE else None
        return httpx2.Response(200, json={**(self.upload or {}), "stored": stored, "cursor": cursor})

    def _sign_parts(self, request: httpx2.Request, _upload: str) -> httpx2.Response:
        parts = json.loads(request.content)["parts"]
        self.signed_parts += [part["number"] for part in parts]
        signed = [
            {
                "number": p["number"],
                "url": f"http://satchel.test/store/{p['number']}",
                "headers": {"x-sum": p["sha256"]},
                "offset": (p["number"] - 1) * PART_BYTES,
                "size": PART_BYTES,
                "expires_at": "2026-03-01T12:15:00Z",
            }
            for p in parts
        ]
        return httpx2.Response(200, json={"parts": signed})

    def _put_part(self, request: httpx2.Request, number: str) -> httpx2.Response:
        body = request.read()
        assert "Authorization" not in request.headers
        assert "X-Satchel-User" not in request.headers
        assert int(request.headers["Content-Length"]) == len(body)
        assert request.headers["x-sum"] == base64_sha256(body)
        with self._lock:
            self.put_parts.append(int(number))
            if self.put_faults:
                fault = self.put_faults.pop(0)
                if isinstance(fault, BaseException):
                    raise fault
                return fault
            self.parts[int(number)] = body
        return httpx2.Response(200)

    def _complete_upload(self, _request: httpx2.Request, _upload: str) -> httpx2.Response:
        assert self.upload is not None
        missing = [n for n in range(1, self.upload["part_count"] + 1) if n not in self.parts]
        if missing:
            return problem(409, "Parts are missing.", "E_UPLOAD_INCOMPLETE")
        self.completed_uploads.append(b"".join(self.parts[number] for number in sorted(self.parts)))
        name = self.stored_names.get(self.upload["name"], self.upload["name"])
        record = {"file_key": UPLOAD_ID, "name": name, "size": self.upload["size"], "version": 1}
        self.upload = None
        return httpx2.Response(200, json=examples.FILE | record)

    def _list_files(self, request: httpx2.Request) -> httpx2.Response:
        prefix = request.url.params["name_prefix"]
        files = [file for file in self.files if file["name"].startswith(prefix)]
        return httpx2.Response(200, json={"files": files, "cursor": None})

    def _file(self, request: httpx2.Request, key: str) -> httpx2.Response:
        assert request.url.params["content"] == "false"
        matches = [file for file in self.files if file["file_key"] == key]
        if not matches:
            return problem(404, "There is no such file.", "E_FILE_NOT_FOUND")
        return httpx2.Response(200, json=matches[0])

    def _ranged_download(self, request: httpx2.Request, key: str) -> httpx2.Response:
        body, headers = self.contents[key], {"ETag": self.etag}
        if request.method == "HEAD":
            return httpx2.Response(200, headers=headers | {"Content-Length": str(len(body))})
        byte_range = request.headers.get("Range")
        self.ranges.append(byte_range)
        start = int(byte_range.removeprefix("bytes=").rstrip("-")) if byte_range else 0
        cut = self.cuts.pop(0) if self.cuts else None
        return httpx2.Response(206 if byte_range else 200, headers=headers, stream=_CutStream(body[start:], cut))


class _CutStream(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body whose connection breaks after this many bytes."""

    def __init__(self, body: bytes, after: int | None) -> None:
        self._body, self._after = body, after

    def __iter__(self) -> Any:  # noqa: ANN401  (an iterator of bytes)
        if self._after is None:
            yield self._body
            return
        yield self._body[: self._after]
        raise httpx2.ReadError("cut")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk

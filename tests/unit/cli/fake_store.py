"""The part of the API that carries files of any size, and the store behind it, in memory."""

import base64
import hashlib
import json
import threading
from typing import Any, ClassVar

import httpx2

from tests.unit.cli.fake_server import FakeServer, Fault, file_key, problem

PART = 2 << 20  # bytes; small ones make many parts of small files
UPLOAD = "f01jd3q2v4xk8m0a9b7c5d6e7f8"
_PAGE = 2


def sha256(body: bytes) -> str:
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


class FakeStore(FakeServer):
    """One upload at a time, under one key. ``put_faults`` come first, one a part; ``cuts`` end a download early."""

    routes: ClassVar[list[tuple[str, str]]] = [
        (r"POST /api/files/uploads", "_begin"),
        (r"GET /api/files/uploads", "_uploads"),
        (r"GET /api/files/uploads/([^/]+)", "_read"),
        (r"POST /api/files/uploads/([^/]+)/parts", "_sign"),
        (r"POST /api/files/uploads/([^/]+)/complete", "_complete"),
        (r"PUT /store/(\d+)", "_put"),
        (r"GET /api/files", "_list"),
        (r"GET /api/files/(f\w+)", "_file"),
        (r"(?:GET|HEAD) /api/files/download/([^/]+)", "_fetch"),
        *FakeServer.routes,
    ]

    def __init__(self) -> None:
        super().__init__()
        self.upload: dict[str, Any] | None = None
        self.parts: dict[int, bytes] = {}
        self.puts: list[int] = []
        self.signed: list[int] = []
        self.put_faults: list[Fault] = []
        self.completed: list[bytes] = []
        self.files: list[dict[str, Any]] = []
        self.etag = '"f1"'
        self.cuts: list[int] = []
        self.ranges: list[str | None] = []
        self._lock = threading.Lock()

    def keep(self, name: str, body: bytes, number: int = 1, created_at: str = "2026-03-01T12:00:00Z") -> None:
        """Let the person have a file."""
        self.contents[file_key(number)] = body
        link = f"/api/files/download/{file_key(number)}?token=t"
        shown = {"file_key": file_key(number), "name": name, "size": len(body), "version": 1}
        self.files.append(shown | {"created_at": created_at, "download_url": link})

    def _begin(self, request: httpx2.Request) -> httpx2.Response:
        wanted = json.loads(request.content)
        count = max(1, -(-wanted["size"] // PART))
        self.upload = wanted | {"upload_id": UPLOAD, "part_bytes": PART, "part_count": count}
        return httpx2.Response(201, json=self.upload | {"parts": []})

    def _uploads(self, request: httpx2.Request) -> httpx2.Response:
        if "cursor" not in request.url.params:
            return httpx2.Response(200, json={"uploads": [], "cursor": "more"})
        return httpx2.Response(200, json={"uploads": [self.upload] if self.upload else [], "cursor": None})

    def _read(self, request: httpx2.Request, _upload: str) -> httpx2.Response:
        after = int(request.url.params.get("cursor", "0"))
        there = [number for number in sorted(self.parts) if number > after]
        stored = [{"number": n, "size": len(self.parts[n]), "sha256": sha256(self.parts[n])} for n in there[:_PAGE]]
        cursor = str(there[_PAGE - 1]) if len(there) > _PAGE else None
        return httpx2.Response(200, json={**(self.upload or {}), "stored": stored, "cursor": cursor})

    def _sign(self, request: httpx2.Request, _upload: str) -> httpx2.Response:
        parts = json.loads(request.content)["parts"]
        self.signed += [part["number"] for part in parts]
        signed = [
            {
                "number": p["number"],
                "url": f"http://satchel.test/store/{p['number']}",
                "headers": {"x-sum": p["sha256"]},
            }
            for p in parts
        ]
        return httpx2.Response(200, json={"parts": signed})

    def _put(self, request: httpx2.Request, number: str) -> httpx2.Response:
        body = request.read()
        assert "Authorization" not in request.headers
        assert "X-Satchel-User" not in request.headers
        assert int(request.headers["Content-Length"]) == len(body)
        assert request.headers["x-sum"] == sha256(body)
        with self._lock:
            self.puts.append(int(number))
            if self.put_faults:
                fault = self.put_faults.pop(0)
                if isinstance(fault, BaseException):
                    raise fault
                return fault
            self.parts[int(number)] = body
        return httpx2.Response(200)

    def _complete(self, _request: httpx2.Request, _upload: str) -> httpx2.Response:
        assert self.upload is not None
        missing = [n for n in range(1, self.upload["part_count"] + 1) if n not in self.parts]
        if missing:
            return problem(409, "Parts are missing.", "E_UPLOAD_INCOMPLETE")
        self.completed.append(b"".join(self.parts[number] for number in sorted(self.parts)))
        name = self.renamed.get(self.upload["name"], self.upload["name"])
        shown = {"file_key": UPLOAD, "name": name, "size": self.upload["size"], "version": 1}
        self.upload = None
        return httpx2.Response(200, json=shown | {"created_at": "2026-03-01T12:00:00Z"})

    def _list(self, request: httpx2.Request) -> httpx2.Response:
        prefix = request.url.params["name_prefix"]
        found = [file for file in self.files if file["name"].startswith(prefix)]
        return httpx2.Response(200, json={"files": found, "cursor": None})

    def _file(self, request: httpx2.Request, key: str) -> httpx2.Response:
        assert request.url.params["content"] == "false"
        found = [file for file in self.files if file["file_key"] == key]
        return (
            httpx2.Response(200, json=found[0]) if found else problem(404, "There is no such file.", "E_FILE_NOT_FOUND")
        )

    def _fetch(self, request: httpx2.Request, key: str) -> httpx2.Response:
        body, headers = self.contents[key], {"ETag": self.etag}
        if request.method == "HEAD":
            return httpx2.Response(200, headers=headers | {"Content-Length": str(len(body))})
        asked = request.headers.get("Range")
        self.ranges.append(asked)
        first = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        cut = self.cuts.pop(0) if self.cuts else None
        return httpx2.Response(206 if asked else 200, headers=headers, stream=_Cut(body[first:], cut))


class _Cut(httpx2.SyncByteStream):
    """A body whose connection breaks after so many bytes."""

    def __init__(self, body: bytes, after: int | None) -> None:
        self._body, self._after = body, after

    def __iter__(self) -> Any:  # noqa: ANN401  (an iterator of bytes)
        if self._after is None:
            yield self._body
            return
        yield self._body[: self._after]
        raise httpx2.ReadError("cut")

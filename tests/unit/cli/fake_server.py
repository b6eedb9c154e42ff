"""Satchel's HTTP API in memory, as far as the command uses it: a handler for `httpx2.MockTransport`."""

import json
import re
from io import BytesIO
from typing import Any, ClassVar

import httpx2
from python_multipart import parse_form
from python_multipart.multipart import Field, File

from satchel.domain.responses import FinalResponse, ResponseArtifact, ResponseDeferred

SESSION = "s01jd3q2v4xk8m0a9b7c5d6e7f8"
TURN = "t01jd3q2v4xk8m0a9b7c5d6e7f9"
CALL = f"{TURN}-01-00"
Fault = httpx2.Response | BaseException


def file_key(number: int) -> str:
    return f"f{number:026d}"


def artifact(name: str, number: int = 1, *, mime: str = "text/plain", size: int = 5) -> ResponseArtifact:
    key = file_key(number)
    return ResponseArtifact(
        id=key,
        type="file",
        title=name,
        position=0,
        name=name,
        mime=mime,
        size=size,
        viewer="text",
        file_key=key,
        download_url=f"/api/files/download/{key}?token=t.{number}",
    )


def deferred(name: str, number: int) -> ResponseDeferred:
    key = file_key(number)
    return ResponseDeferred(
        name=name,
        file_key=key,
        mime="application/pdf",
        size=2_100_000,
        reason="needs a signature",
        next_actions=["Sign it", "Send it back"],
        download_url=f"/api/files/download/{key}?token=t.{number}",
    )


def response(**parts: Any) -> FinalResponse:  # noqa: ANN401  (fields of the model)
    return FinalResponse(**{"turn_id": TURN, "session_id": SESSION, "status": "complete", "message": "Done.", **parts})


def problem(status: int, detail: str, error_code: str) -> httpx2.Response:
    body = {"type": "about:blank", "title": "Error", "status": status, "detail": detail, "error_code": error_code}
    return httpx2.Response(status, json=body, headers={"Content-Type": "application/problem+json"})


class FakeServer:
    """One session, one turn. ``events`` are told ``page`` at a time; ``faults`` come first, one an events request."""

    routes: ClassVar[list[tuple[str, str]]] = [
        (r"POST /api/sessions", "_start_session"),
        (r"PATCH /api/sessions/([^/]+)", "_change_session"),
        (r"GET /api/config", "_config"),
        (r"GET /api/tools", "_tools"),
        (r"POST /api/files", "_upload"),
        (r"POST /api/sessions/([^/]+)/turns", "_start_turn"),
        (r"GET /api/sessions/([^/]+)/turns/([^/]+)/events", "_events"),
        (r"GET /api/sessions/([^/]+)/turns/([^/]+)", "_turn"),
        (r"GET /api/files/download/([^/]+)", "_download"),
    ]

    def __init__(
        self,
        final: FinalResponse | None = None,
        events: list[dict[str, Any]] | None = None,
        *,
        page: int = 2,
        faults: list[Fault] | None = None,
    ) -> None:
        self.final = final or response()
        self.history = [
            {"seq": seq, "turn_id": TURN, "at": "2025-11-21T10:00:00Z", **event}
            for seq, event in enumerate(events or [], 1)
        ]
        self.page = page
        self.faults = faults or []
        self.model = "offline"
        self.servers: list[dict[str, Any]] = []
        self.contents: dict[str, bytes] = {}
        self.renamed: dict[str, str] = {}
        self.chosen: list[str] = []
        self.asked: list[dict[str, Any]] = []
        self.uploads: list[tuple[str, str, bytes]] = []
        self.cursors: list[int] = []
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        for pattern, method in self.routes:
            if found := re.fullmatch(pattern, f"{request.method} {request.url.path}"):
                answered: httpx2.Response = getattr(self, method)(request, *found.groups())
                return answered
        return problem(404, f"There is no route {request.url.path}.", "E_NOT_FOUND")

    def _config(self, _request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={"user": "dev@example.com", "model": self.model})

    def _tools(self, _request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={"servers": self.servers})

    def _start_session(self, request: httpx2.Request) -> httpx2.Response:
        self.chosen += self._choice(request)
        return httpx2.Response(201, json={"session_id": SESSION, "status": "active"})

    def _change_session(self, request: httpx2.Request, session: str) -> httpx2.Response:
        if session != SESSION:
            return problem(404, "There is no such session.", "E_SESSION_NOT_FOUND")
        self.chosen += self._choice(request)
        return httpx2.Response(200, json={"session_id": SESSION, "status": "active"})

    @staticmethod
    def _choice(request: httpx2.Request) -> list[str]:
        said = json.loads(request.content)
        assert said.keys() <= {"model"}
        return list(said.values())

    def _upload(self, request: httpx2.Request) -> httpx2.Response:
        fields: dict[str, str] = {}

        def keep_field(field: Field) -> None:
            fields[(field.field_name or b"").decode()] = (field.value or b"").decode()

        def keep_file(part: File) -> None:
            name = (part.file_name or b"").decode()
            part.file_object.seek(0)
            self.uploads.append((fields["session_id"], name, part.file_object.read()))

        content_type = {"Content-Type": request.headers["Content-Type"].encode()}
        parse_form(content_type, BytesIO(request.content), keep_field, keep_file)
        _, name, body = self.uploads[-1]
        shown = {"file_key": file_key(900 + len(self.uploads)), "name": self.renamed.get(name, name)}
        kept = {"size": len(body), "version": 1, "created_at": "2025-11-21T10:00:00Z"}
        return httpx2.Response(201, json=shown | kept)

    def _start_turn(self, request: httpx2.Request, session: str) -> httpx2.Response:
        if session != SESSION:
            return problem(404, "There is no such session.", "E_SESSION_NOT_FOUND")
        self.asked.append(json.loads(request.content))
        return httpx2.Response(202, json={"turn_id": TURN, "session_id": SESSION, "status": "running"})

    def _events(self, request: httpx2.Request, _session: str, _turn: str) -> httpx2.Response:
        if self.faults:
            fault = self.faults.pop(0)
            if isinstance(fault, BaseException):
                raise fault
            return fault
        after = int(request.url.params["after"])
        self.cursors.append(after)
        page = self.history[after : after + self.page]
        last = after + len(page)
        return httpx2.Response(200, json={"events": page, "next": last, "done": last == len(self.history)})

    def _turn(self, _request: httpx2.Request, _session: str, _turn: str) -> httpx2.Response:
        return httpx2.Response(200, content=self.final.model_dump_json())

    def _download(self, request: httpx2.Request, key: str) -> httpx2.Response:
        if key not in self.contents or not request.url.params.get("token"):
            return problem(404, "There is no such file, or the link has expired.", "E_FILE_NOT_FOUND")
        return httpx2.Response(200, content=self.contents[key])

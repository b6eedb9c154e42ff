"""Fake of the API routes that the command line uses: a handler for `httpx2.MockTransport`."""

import json
import re
from io import BytesIO
from typing import Any, ClassVar

import httpx2
from python_multipart import parse_form
from python_multipart.multipart import Field, File

from satchel.domain.ids import FileKey, SessionId
from satchel.domain.responses import FinalResponse, ResponseArtifact, ResponseDeferred
from satchel.entrypoints.http import examples

SESSION = SessionId("s01jd3q2v4xk8m0a9b7c5d6e7f8")
TURN = "t01jd3q2v4xk8m0a9b7c5d6e7f9"
CALL = f"{TURN}-01-00"
Fault = httpx2.Response | BaseException


def file_key(number: int) -> FileKey:
    return FileKey(f"f{number:026d}")


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


def response(**fields: Any) -> FinalResponse:  # noqa: ANN401  (fields of the model)
    return FinalResponse(**{"turn_id": TURN, "session_id": SESSION, "status": "complete", "message": "Done.", **fields})


def problem(status: int, detail: str, error_code: str) -> httpx2.Response:
    body = {"type": "about:blank", "title": "Error", "status": status, "detail": detail, "error_code": error_code}
    return httpx2.Response(status, json=body, headers={"Content-Type": "application/problem+json"})


class FakeServer:
    """A server with one session and one turn, which records the requests.

    Each request for events returns up to ``page_size`` of the ``events``. The first requests for events fail with one
    of ``faults`` each. The first answers to questions get the ``refusals``.
    """

    routes: ClassVar[list[tuple[str, str]]] = [
        (r"POST /api/sessions", "_start_session"),
        (r"PATCH /api/sessions/([^/]+)", "_update_session"),
        (r"GET /api/config", "_config"),
        (r"GET /api/tools", "_tools"),
        (r"GET /api/prompts", "_list_prompts"),
        (r"POST /api/prompts", "_prompt"),
        (r"POST /api/files", "_upload"),
        (r"POST /api/sessions/([^/]+)/turns", "_start_turn"),
        (r"GET /api/sessions/([^/]+)/turns/([^/]+)/events", "_events"),
        (r"GET /api/sessions/([^/]+)/turns/([^/]+)", "_turn"),
        (r"POST /api/sessions/([^/]+)/turns/([^/]+)/calls/([^/]+)/input", "_answer"),
        (r"GET /api/files/download/([^/]+)", "_download"),
    ]

    def __init__(
        self,
        final_response: FinalResponse | None = None,
        events: list[dict[str, Any]] | None = None,
        *,
        page_size: int = 2,
        faults: list[Fault] | None = None,
    ) -> None:
        self.final_response = final_response or response()
        self.history = [
            {"seq": seq, "turn_id": TURN, "at": "2025-11-21T10:00:00Z", **event}
            for seq, event in enumerate(events or [], 1)
        ]
        self.page_size = page_size
        self.faults = faults or []
        self.model = "offline"
        self.servers: list[dict[str, Any]] = []
        self.prompts: list[dict[str, Any]] = []
        self.prompt_message: dict[str, Any] = {"text": "", "files": []}
        self.prompt_requests: list[dict[str, Any]] = []
        self.contents: dict[str, bytes] = {}
        self.stored_names: dict[str, str] = {}
        self.chosen_models: list[str] = []
        self.turn_requests: list[dict[str, Any]] = []
        self.uploads: list[tuple[str, str, bytes]] = []
        self.refusals: list[httpx2.Response] = []
        self.answers: list[dict[str, Any]] = []
        self.cursors: list[int] = []
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        for pattern, method in self.routes:
            if match := re.fullmatch(pattern, f"{request.method} {request.url.path}"):
                answer: httpx2.Response = getattr(self, method)(request, *match.groups())
                return answer
        return problem(404, f"There is no route {request.url.path}.", "E_NOT_FOUND")

    def _config(self, _request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json=examples.CONFIG | {"model": self.model})

    def _tools(self, _request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={"servers": [{"title": "", **each} for each in self.servers]})

    def _list_prompts(self, _request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, json={"prompts": self.prompts})

    def _prompt(self, request: httpx2.Request) -> httpx2.Response:
        self.prompt_requests.append(json.loads(request.content))
        return httpx2.Response(200, json=self.prompt_message)

    def _start_session(self, request: httpx2.Request) -> httpx2.Response:
        self.chosen_models += self._chosen_model(request)
        return httpx2.Response(201, json=examples.SESSION | {"session_id": SESSION})

    def _update_session(self, request: httpx2.Request, session: str) -> httpx2.Response:
        if session != SESSION:
            return problem(404, "There is no such session.", "E_SESSION_NOT_FOUND")
        self.chosen_models += self._chosen_model(request)
        return httpx2.Response(200, json=examples.SESSION | {"session_id": SESSION})

    @staticmethod
    def _chosen_model(request: httpx2.Request) -> list[str]:
        body = json.loads(request.content)
        assert body.keys() <= {"model"}
        return list(body.values())

    def _upload(self, request: httpx2.Request) -> httpx2.Response:
        fields: dict[str, str] = {}

        def store_field(field: Field) -> None:
            fields[(field.field_name or b"").decode()] = (field.value or b"").decode()

        def store_file(part: File) -> None:
            name = (part.file_name or b"").decode()
            part.file_object.seek(0)
            self.uploads.append((fields.get("session_id", ""), name, part.file_object.read()))

        content_type = {"Content-Type": request.headers["Content-Type"].encode()}
        parse_form(content_type, BytesIO(request.content), store_field, store_file)
        _, name, body = self.uploads[-1]
        record = examples.FILE | {"file_key": file_key(900 + len(self.uploads)), "size": len(body), "version": 1}
        record |= {"name": self.stored_names.get(name, name)}
        return httpx2.Response(201, json=record)

    def _start_turn(self, request: httpx2.Request, session: str) -> httpx2.Response:
        if session != SESSION:
            return problem(404, "There is no such session.", "E_SESSION_NOT_FOUND")
        self.turn_requests.append(json.loads(request.content))
        return httpx2.Response(202, json=examples.TURN_ACCEPTED | {"turn_id": TURN, "session_id": SESSION})

    def _events(self, request: httpx2.Request, _session: str, _turn: str) -> httpx2.Response:
        if self.faults:
            fault = self.faults.pop(0)
            if isinstance(fault, BaseException):
                raise fault
            return fault
        after = int(request.url.params["after"])
        self.cursors.append(after)
        page = self.history[after : after + self.page_size]
        last = after + len(page)
        return httpx2.Response(200, json={"events": page, "next": last, "done": last == len(self.history)})

    def _turn(self, _request: httpx2.Request, _session: str, _turn: str) -> httpx2.Response:
        return httpx2.Response(200, content=self.final_response.model_dump_json())

    def _answer(self, request: httpx2.Request, _session: str, _turn: str, call: str) -> httpx2.Response:
        answer = json.loads(request.content)
        self.answers.append(answer)
        if self.refusals:
            return self.refusals.pop(0)
        return httpx2.Response(200, json={"call_id": call, "input_id": answer["input_id"], "action": answer["action"]})

    def _download(self, request: httpx2.Request, key: str) -> httpx2.Response:
        if key not in self.contents or not request.url.params.get("token"):
            return problem(404, "There is no such file, or the link has expired.", "E_FILE_NOT_FOUND")
        return httpx2.Response(200, content=self.contents[key])

"""What a person does over HTTP, in short words; each asserts that it worked."""

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.testclient import TestClient

if TYPE_CHECKING:
    from tests.integration.http.world import World

Answer = dict[str, Any]
NO_TOKENS = {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0}


@dataclass(frozen=True)
class Desk:
    http: TestClient

    def session(self, **wanted: object) -> str:
        answer = self.http.post("/api/sessions", json=wanted)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["session_id"])

    def turn(self, session_id: str, message: str = "hello", **wanted: object) -> str:
        answer = self.http.post(f"/api/sessions/{session_id}/turns", json={"message": message, **wanted})
        assert answer.status_code in {200, 202}, answer.text
        return str(answer.json()["turn_id"])

    def upload(self, name: str, body: bytes = b"a,b\n1,2\n", **wanted: object) -> Answer:
        answer = self.http.post("/api/files", json={"name": name, "b64": b64(body), **wanted})
        assert answer.status_code == 201, answer.text
        uploaded: Answer = answer.json()
        return uploaded

    def get(self, path: str) -> Answer:
        answer = self.http.get(path)
        assert answer.status_code == 200, answer.text
        read: Answer = answer.json()
        return read


def b64(body: bytes) -> str:
    return base64.b64encode(body).decode()


def shown_file(world: "World", uploaded: Answer, **given: object) -> Answer:
    """A file as it is shown after ``upload("a.csv")``, to compare with."""
    return {
        "file_key": uploaded["file_key"],
        "name": "a.csv",
        "mime": "text/csv",
        "size": 8,
        "source": "uploaded",
        "version": 1,
        "session_id": None,
        "created_at": world.clock.now().isoformat().replace("+00:00", "Z"),
        "description": None,
        "category": None,
        "viewer": None,
        "auto_open": False,
        "temporary": False,
        "expires_at": None,
        "status": None,
        "reason": None,
        "next_actions": [],
        "info": {"rows": 1, "columns": 2},
        "download_url": uploaded["download_url"],
        **given,
    }


def problem(status: int, title: str, code: str, detail: str, **more: object) -> Answer:
    """A whole problem, to compare with."""
    wanted = {"type": "about:blank", "title": title, "status": status, "detail": detail, "error_code": code}
    return {**wanted, **more}


def session_not_found(session_id: str) -> Answer:
    return problem(404, "Not found", "E_SESSION_NOT_FOUND", "There is no such session.", session_id=session_id)


def turn_not_found(turn_id: str) -> Answer:
    return problem(404, "Not found", "E_TURN_NOT_FOUND", "There is no such turn in this session.", turn_id=turn_id)


def file_not_found(file: str) -> Answer:
    return problem(404, "Not found", "E_FILE_NOT_FOUND", "There is no such file.", file=file)


LINK_NOT_FOUND = problem(404, "Not found", "E_FILE_NOT_FOUND", "There is no such file, or the link has expired.")

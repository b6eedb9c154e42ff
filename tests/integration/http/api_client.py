"""A client of the API whose methods assert success, and the responses that tests expect."""

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.testclient import TestClient

if TYPE_CHECKING:
    from tests.integration.http.backend import Backend

Json = dict[str, Any]
NO_TOKENS = {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "media_tokens": 0}


@dataclass(frozen=True)
class ApiClient:
    """Sends frequent requests of one user. ``http`` sends any other."""

    http: TestClient

    def create_session(self, **fields: object) -> str:
        response = self.http.post("/api/sessions", json=fields)
        assert response.status_code == 201, response.text
        return str(response.json()["session_id"])

    def start_turn(self, session_id: str, message: str = "hello", **fields: object) -> str:
        response = self.http.post(f"/api/sessions/{session_id}/turns", json={"message": message, **fields})
        assert response.status_code in {200, 202}, response.text
        return str(response.json()["turn_id"])

    def upload(self, name: str, content: bytes = b"a,b\n1,2\n", **fields: object) -> Json:
        response = self.http.post("/api/files/content", json={"name": name, "b64": b64(content), **fields})
        assert response.status_code == 201, response.text
        uploaded: Json = response.json()
        return uploaded

    def get_json(self, path: str) -> Json:
        response = self.http.get(path)
        assert response.status_code == 200, response.text
        body: Json = response.json()
        return body


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def expected_file(backend: "Backend", uploaded: Json, **fields: object) -> Json:
    """Return the expected response for a file after ``upload("a.csv")``."""
    return {
        "file_key": uploaded["file_key"],
        "name": "a.csv",
        "mime": "text/csv",
        "size": 8,
        "source": "uploaded",
        "version": 1,
        "session_id": None,
        "created_at": backend.clock.now().isoformat().replace("+00:00", "Z"),
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
        "app": None,
        "download_url": uploaded["download_url"],
        **fields,
    }


def problem(status: int, title: str, code: str, detail: str, **extra: object) -> Json:
    """Return the expected body of an error response."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, "error_code": code}
    return {**body, **extra}


def session_not_found(session_id: str) -> Json:
    return problem(404, "Not found", "E_SESSION_NOT_FOUND", "There is no such session.", session_id=session_id)


def turn_not_found(turn_id: str) -> Json:
    return problem(404, "Not found", "E_TURN_NOT_FOUND", "There is no such turn in this session.", turn_id=turn_id)


def file_not_found(file: str) -> Json:
    return problem(404, "Not found", "E_FILE_NOT_FOUND", "There is no such file.", file=file)


LINK_NOT_FOUND = problem(404, "Not found", "E_FILE_NOT_FOUND", "There is no such file, or the link has expired.")

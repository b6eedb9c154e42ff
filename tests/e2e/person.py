"""A person with a browser: what the API is asked, in words of the tests."""

import json
import ssl
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

Json = dict[str, Any]
WAIT = {"Prefer": "wait=25"}
TLS = ssl.create_default_context()  # nothing here uses it, and each client would read all certificates anew
MAX_START_SECONDS = 30.0


def fetch(address: str) -> httpx2.Response:
    """Get what lies at an address, as somebody who is not signed in."""
    return httpx2.get(address, verify=TLS)


@dataclass(frozen=True)
class Person:
    """Somebody who is signed in."""

    url: str
    name: str
    groups: str = "users"

    def client(self) -> httpx2.Client:
        """Return a client that says who it is."""
        headers = {"X-Satchel-User": self.name, "X-Satchel-Groups": self.groups}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=60, verify=TLS)

    def call(self, method: str, path: str, **given: Any) -> httpx2.Response:  # noqa: ANN401  (what httpx2 takes)
        """Send one request."""
        with self.client() as client:
            return client.request(method, path, **given)

    def session(self, **wanted: object) -> str:
        """Start a session and return its id."""
        session_id: str = self.call("POST", "/api/sessions", json=wanted).json()["session_id"]
        return session_id

    def noted(self, name: str) -> Any:  # noqa: ANN401  (JSON)
        """Read what a tool writes down in the person's directory, as soon as it has."""
        place = Path("/tmp") / self.name / name
        deadline = time.monotonic() + MAX_START_SECONDS
        while not (place.exists() and place.read_text()):
            assert time.monotonic() < deadline, "the tool has not begun"
            time.sleep(0.02)
        return json.loads(place.read_text())

    def upload(self, session_id: str | None, name: str, body: bytes) -> Json:
        """Upload a file and return its record."""
        data = {"session_id": session_id} if session_id else {}
        answer = self.call("POST", "/api/files", data=data, files={"file": (name, body)})
        assert answer.status_code == httpx2.codes.CREATED, answer.text
        record: Json = answer.json()
        return record

    def ask(self, session_id: str, message: str, **more: object) -> Json:
        """Send a message and return the final response, however long it takes."""
        turn = self._send(session_id, message, WAIT, more)
        return turn if "tool_calls" in turn else self.wait_for(session_id, turn["turn_id"])

    def start(self, session_id: str, message: str, **more: object) -> Json:
        """Send a message and return at once."""
        return self._send(session_id, message, {}, more)

    def _send(self, session_id: str, message: str, headers: dict[str, str], more: Json) -> Json:
        body = {"message": message, **more}
        answer = self.call("POST", f"/api/sessions/{session_id}/turns", json=body, headers=headers)
        assert answer.is_success, answer.text
        turn: Json = answer.json()
        return turn

    def wait_for(self, session_id: str, turn_id: str) -> Json:
        """Follow the events to the end and return the final response."""
        self.events(session_id, turn_id)
        response: Json = self.call("GET", f"/api/sessions/{session_id}/turns/{turn_id}").json()
        return response

    def events(self, session_id: str, turn_id: str, after: int = 0) -> list[Json]:
        """Return all events of a turn after a cursor, waiting for its end."""
        found: list[Json] = []
        while True:
            path = f"/api/sessions/{session_id}/turns/{turn_id}/events"
            page = self.call("GET", path, params={"after": after, "wait": 20}).json()
            found += page["events"]
            after = page["next"]
            if page["done"]:
                return found

"""Client of the API for one signed-in user."""

import json
import ssl
import time
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

Json = dict[str, Any]
WAIT = {"Prefer": "wait=25"}
TLS = ssl.create_default_context()  # shared, because each client would otherwise read all certificates again
MAX_START_SECONDS = 120.0
MAX_LISTING_SECONDS = 250.0  # of all servers, at the same time
LOCAL_KEY = "local-key-of-all-systems-that-tests-start"
"""The key that every request to a local system needs, except those to its public routes."""

SESSION_COOKIE = "satchel-session"
"""The cookie of a system with passwords that is reached without TLS."""

_RUN = uuid.uuid4().hex[:8]


def run_user(name: str) -> str:
    """Return a user name that only this test run uses, because workspaces of all runs are in ``/tmp``."""
    return f"{name}-{_RUN}@example.com"


def fetch(url: str) -> httpx2.Response:
    """Send a GET request without signing in and without the key."""
    return httpx2.get(url, timeout=60, verify=TLS)


def wait_for_tools(url: str, *unavailable: str) -> None:
    """Wait until all servers of a system but the ``unavailable`` ones have listed their tools."""
    UserClient(url, run_user("observer")).wait_for_tools(*unavailable)


@dataclass(frozen=True)
class UserClient:
    """A signed-in user. ``groups`` are separated by commas. ``key`` is the key of the local system.

    A user with a ``session`` is signed in by the cookie of a system with passwords. All its requests then also name
    another user and other groups, which the system must not believe.
    """

    url: str
    name: str
    groups: str = "users"
    key: str = LOCAL_KEY
    session: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that identify the user."""
        if self.session is None:
            return {
                "Authorization": f"Bearer {self.key}",
                "X-Satchel-User": self.name,
                "X-Satchel-Groups": self.groups,
            }
        forged = {"X-Satchel-User": "victim@example.com", "X-Satchel-Groups": "users,staff"}
        return {"Cookie": f"{SESSION_COOKIE}={self.session}", "X-Satchel-Client": "test", **forged}

    def client(self) -> httpx2.Client:
        """Return an HTTP client that sends the headers of this user."""
        return httpx2.Client(base_url=self.url, headers=self.headers, timeout=60, verify=TLS)

    def request(self, method: str, path: str, **kwargs: Any) -> httpx2.Response:  # noqa: ANN401  (arguments of httpx2)
        """Send one request."""
        with self.client() as client:
            return client.request(method, path, **kwargs)

    def isolation_level(self) -> str:
        """Wait until runners have reported the isolation of tools, and return the weakest level."""
        deadline = time.monotonic() + MAX_START_SECONDS
        while (level := self.request("GET", "/api/config").json()["isolation_level"]) is None:
            assert time.monotonic() < deadline, "no runner reported its isolation in time"
            time.sleep(0.02)
        return str(level)

    def wait_for_tools(self, *unavailable: str) -> None:
        """Wait until all servers but the ``unavailable`` ones have listed their tools.

        A turn waits only ten seconds for servers, which a busy machine exceeds. One that it starts too late is started
        again.
        """
        deadline = time.monotonic() + MAX_LISTING_SECONDS
        while waiting := [server for server in self._servers() if not _is_listed(server, unavailable)]:
            assert time.monotonic() < deadline, f"some servers did not list their tools in time: {waiting}"
            time.sleep(0.5)  # below every limit of requests

    def _servers(self) -> list[Json]:
        servers: list[Json] = self.request("GET", "/api/tools").json()["servers"]
        return servers

    def create_session(self, **fields: object) -> str:
        """Create a session and return its id."""
        session_id: str = self.request("POST", "/api/sessions", json=fields).json()["session_id"]
        return session_id

    def read_note(self, name: str) -> Any:  # noqa: ANN401  (JSON)
        """Wait until a tool has written this file into the user's workspace, and return its JSON."""
        path = Path("/tmp") / self.name / name
        deadline = time.monotonic() + MAX_START_SECONDS
        while not (path.exists() and path.read_text()):
            assert time.monotonic() < deadline, "the tool did not start in time"
            time.sleep(0.02)
        return json.loads(path.read_text())

    def upload(self, session_id: str | None, name: str, body: bytes) -> Json:
        """Upload a file and return its record."""
        data = {"session_id": session_id} if session_id else {}
        response = self.request("POST", "/api/files", data=data, files={"file": (name, body)})
        assert response.status_code == httpx2.codes.CREATED, response.text
        record: Json = response.json()
        return record

    def ask(self, session_id: str, message: str, **fields: object) -> Json:
        """Send a message, wait for the end of the turn and return the final response."""
        turn = self._send(session_id, message, WAIT, fields)
        return turn if "tool_calls" in turn else self.wait_for_turn(session_id, turn["turn_id"])

    def start_turn(self, session_id: str, message: str, **fields: object) -> Json:
        """Send a message and return the started turn without waiting for its end."""
        return self._send(session_id, message, {}, fields)

    def _send(self, session_id: str, message: str, headers: dict[str, str], fields: Json) -> Json:
        body = {"message": message, **fields}
        response = self.request("POST", f"/api/sessions/{session_id}/turns", json=body, headers=headers)
        assert response.is_success, response.text
        turn: Json = response.json()
        return turn

    def wait_for_turn(self, session_id: str, turn_id: str) -> Json:
        """Poll the events until the turn ends and return the final response."""
        self.events(session_id, turn_id)
        response: Json = self.request("GET", f"/api/sessions/{session_id}/turns/{turn_id}").json()
        return response

    def wait_for_event(self, session_id: str, turn_id: str, kind: str) -> Json:
        """Wait for the first event of this type in a turn, and return it. Fail if the turn ends without it."""
        after, is_done = 0, False
        while not is_done:
            path = f"/api/sessions/{session_id}/turns/{turn_id}/events"
            page = self.request("GET", path, params={"after": after, "wait": 20}).json()
            for event in page["events"]:
                if event["type"] == kind:
                    return dict(event)
            after, is_done = page["next"], page["done"]
        raise AssertionError(f"the turn {turn_id} has ended without {kind}")

    def events(self, session_id: str, turn_id: str, after: int = 0) -> list[Json]:
        """Wait until the turn ends and return its events after the cursor."""
        events: list[Json] = []
        while True:
            path = f"/api/sessions/{session_id}/turns/{turn_id}/events"
            page = self.request("GET", path, params={"after": after, "wait": 20}).json()
            events += page["events"]
            after = page["next"]
            if page["done"]:
                return events


def _is_listed(server: Json, unavailable: Collection[str]) -> bool:
    return bool(server["status"] == ("unavailable" if server["name"] in unavailable else "ready"))

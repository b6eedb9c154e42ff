"""Users who work with the server until it is killed, and note what it acknowledged."""

import base64
import hashlib
import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx2

from tests.e2e.user_client import TLS, WAIT, Json, UserClient
from tests.kills.expectations import Expectations, digest, essence

_PART_BYTES = 5 << 20


class ServerGone(Exception):
    """The server was killed, so the request has no answer."""


class SessionBusy(Exception):
    """A turn of the session still runs, possibly one that the restarted server continues."""


@dataclass
class PendingApproval:
    """A turn that waits for its user's decision."""

    session: str
    turn_id: str
    message: str
    path: str


@dataclass
class BusyUser:
    """Sends random requests, one after the other. ``expected`` is what the server acknowledged."""

    name: str
    choose: random.Random
    expected: Expectations = field(default_factory=Expectations)
    pending: list[PendingApproval] = field(default_factory=list)
    uploads: list[Json] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _number: int = 0

    def work(self, url: str, stop: threading.Event) -> None:
        """Send requests until the server is gone. Note an unexpected response as a problem."""
        user = UserClient(url, self.name)
        actions = [
            self._send_message,
            self._upload,
            self._upload_in_parts,
            self._delete,
            self._rename,
            self._share,
            self._ask,
        ]
        while not stop.is_set():
            try:
                with suppress(SessionBusy):
                    self.choose.choice(actions)(user)
            except (httpx2.TransportError, ServerGone):
                return

    def check(self, url: str) -> list[str]:
        """Return all differences between what was acknowledged and what a restarted server has."""
        user = UserClient(url, self.name)
        return [*self.problems, *self.expected.check(user), *self._check_approvals(user), *self._finish_uploads(user)]

    # ------------------------------------------------------------------------------------------------------ actions

    def _send_message(self, user: UserClient) -> None:
        session = self._session(user)
        message = self._text('/calculator.evaluate {"expression": "%d+1"}')
        turn = self._request(user, "POST", f"/api/sessions/{session}/turns", json={"message": message}, headers=WAIT)
        self.expected.messages[turn["turn_id"]] = (session, message)
        if turn.get("status") == "complete" and "tool_calls" in turn:
            self.expected.responses[turn["turn_id"]] = essence(turn)

    def _upload(self, user: UserClient) -> None:
        name, body = self._text("file-%d.txt"), self.choose.randbytes(self.choose.choice([1, 1000, 300_000]))
        record = self._request(user, "POST", "/api/files", files={"file": (name, body)})
        self.expected.files[record["file_key"]] = (name, digest(body))

    def _upload_in_parts(self, user: UserClient) -> None:
        """Start an upload in parts and send its first part. ``check`` sends the others after a restart."""
        name, body = self._text("parts-%d.bin"), self.choose.randbytes(_PART_BYTES + 1000)
        upload = self._request(user, "POST", "/api/files/uploads", json={"name": name, "size": len(body)})
        upload |= {"name": name, "body": body}
        self.uploads.append(upload)
        _send_part(user, upload, 1)

    def _delete(self, user: UserClient) -> None:
        if not self.expected.files:
            return
        key = self.choose.choice(sorted(self.expected.files))
        del self.expected.files[key]  # without an answer, the file may be there or not
        for link in [link for link, (of_key, _) in self.expected.links.items() if of_key == key]:
            del self.expected.links[link]
        self._request(user, "DELETE", f"/api/files/{key}")
        self.expected.deleted.add(key)

    def _rename(self, user: UserClient) -> None:
        session, title = self._session(user), self._text("title %d")
        self.expected.titles.pop(session, None)
        self._request(user, "PATCH", f"/api/sessions/{session}", json={"title": title})
        self.expected.titles[session] = title

    def _share(self, user: UserClient) -> None:
        if not self.expected.files:
            return
        key = self.choose.choice(sorted(self.expected.files))
        link = self._request(user, "POST", f"/api/files/{key}/link")
        self.expected.links[link["url"]] = (key, self.expected.files[key][1])

    def _ask(self, user: UserClient) -> None:
        """Start a turn that waits for an approval, unless one waits already."""
        if self.pending:
            return
        session = self._request(user, "POST", "/api/sessions", json={})["session_id"]
        message = self._text('/approval.write {"name": "note-%d.txt", "text": "hello"}')
        turn = self._request(user, "POST", f"/api/sessions/{session}/turns", json={"message": message})["turn_id"]
        self.expected.messages[turn] = (session, message)
        event = user.wait_for_event(session, turn, "tool_approval_request")
        path = f"/api/sessions/{session}/turns/{turn}/calls/{event['call_id']}/approval"
        self.pending.append(PendingApproval(session, turn, message, path))

    # ------------------------------------------------------------------------------------------------------- checks

    def _check_approvals(self, user: UserClient) -> Iterator[str]:
        """Approve each waiting call, which must still be possible and complete its turn."""
        for approval in self.pending:
            request = user.request("GET", approval.path).json()
            decision = {"approved": True, "digest": request.get("digest")}
            answer = user.request("POST", approval.path, json=decision)
            turn = user.wait_for_turn(approval.session, approval.turn_id) if answer.is_success else {}
            results = [call.get("results") for call in turn.get("tool_calls", [])]
            if turn.get("status") != "complete" or results != [self.name]:
                yield f"the approval of {approval.turn_id} is lost: {answer.status_code} {answer.text[:300]} {turn}"
        self.pending.clear()

    def _finish_uploads(self, user: UserClient) -> Iterator[str]:
        for upload in self.uploads:
            numbers = range(1, upload["part_count"] + 1)
            stored = user.request("GET", f"/api/files/uploads/{upload['upload_id']}")
            if not stored.is_success:
                yield f"the upload {upload['name']} is lost: {stored.status_code} {stored.text[:300]}"
                continue
            if upload.get("acknowledged") and [part["number"] for part in stored.json()["stored"]] != [1]:
                yield f"the part of {upload['name']} is lost: {stored.text[:300]}"
            for number in numbers:
                _send_part(user, upload, number)
            record = user.request("POST", f"/api/files/uploads/{upload['upload_id']}/complete").json()
            self.expected.files[record["file_key"]] = (upload["name"], digest(upload["body"]))
        self.uploads.clear()

    # ------------------------------------------------------------------------------------------------------ helpers

    def _text(self, pattern: str) -> str:
        """Return a new text, and note that it was sent."""
        self._number += 1
        text = pattern % self._number
        self.expected.attempted.add(text)
        return text

    def _session(self, user: UserClient) -> str:
        if self.expected.titles and self.choose.random() < 0.8:
            return self.choose.choice(sorted(self.expected.titles))
        title = self._text("new %d")
        session: str = self._request(user, "POST", "/api/sessions", json={"title": title})["session_id"]
        self.expected.titles[session] = title
        return session

    def _request(self, user: UserClient, method: str, path: str, **options: Any) -> Any:  # noqa: ANN401  (JSON)
        """Return the response's JSON. Raise ServerGone for an error, and note it as a problem if it is not expected."""
        response = user.request(method, path, **options)
        if response.status_code == httpx2.codes.CONFLICT and response.json()["error_code"] == "E_TURN_RUNNING":
            raise SessionBusy
        if not response.is_success:
            self.problems.append(f"{method} {path}: {response.status_code} {response.text[:300]}")
            raise ServerGone
        return response.json() if response.content else None


def _send_part(user: UserClient, upload: Json, number: int) -> None:
    size = upload["part_bytes"]
    body = upload["body"][(number - 1) * size : number * size]
    sha256 = base64.b64encode(hashlib.sha256(body).digest()).decode()
    request = {"parts": [{"number": number, "sha256": sha256}]}
    path = f"/api/files/uploads/{upload['upload_id']}/parts"
    [part] = user.request("POST", path, json=request).json()["parts"]
    response = httpx2.put(part["url"], content=body, headers=part["headers"], verify=TLS, timeout=60)
    upload["acknowledged"] = response.is_success

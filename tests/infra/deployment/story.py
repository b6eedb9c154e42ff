"""A run that has every function do all that it is for: people, files, turns, connections, and what comes with time."""

import base64
import hashlib
import json
import shutil
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2

from local.aws.seams import status_changes
from tests.infra.deployment.counting import Meter, count
from tests.infra.deployment.doors import Json, Resident, SocketDoor, origin_of, routes
from tests.infra.deployment.stage import Stage

if TYPE_CHECKING:
    from infra.usage import Usage

_SERVER = Path(__file__).parent / "servers" / "main.py"
_DEPLOYED = {"source": "aws.cloudformation"}
_CALLS = (
    '/report.summarise {"filename": "sales.csv"}',
    '/legacy.read {"filenames": ["sales.csv", "small.txt", "later.txt"]}',
    '/calculator.take {"filename": "sales.csv"}',
    "/legacy.none {}",
)
_KINDS = {
    "talk": "What can you do?",
    "tools": '/legacy.read {"filenames": ["sales.csv"]}\n/calculator.take {"filename": "sales.csv"}',
    "file": '/report.summarise {"filename": "more.csv"}',
}
_LONG = 45_000  # characters of arguments, which no item of a call holds beside the others
_PATIENCE = 60.0
_SETTLED = timedelta(seconds=20)
_ENDED = timedelta(minutes=20)
_EXPIRED = timedelta(days=40)


def somebody(stage: Stage) -> Resident:
    """Return a person whom nobody has been before."""
    name = f"u{uuid.uuid4().hex[:12]}@example.com"
    return Resident(stage.outputs()["Url"], name, known=routes("HTTP"))


def use_own_server(stage: Stage) -> None:
    """Have ``legacy`` be ours: its tools make what the run needs, and one asks its owner first.

    ``calculator`` is ours, too, because ours starts at once; ``report`` stays what it is.
    """
    config = stage.opt / "servers" / "mcp.json"
    entries = json.loads(config.read_text(encoding="utf-8"))
    entries["legacy"]["require_approval"] = ["ask"]
    entries["calculator"]["files"] = "url"
    config.write_text(json.dumps(entries), encoding="utf-8")
    for name in ("legacy", "calculator"):
        shutil.copy(_SERVER, stage.opt / "servers" / name / "main.py")


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for something that others do meanwhile."""
    deadline = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.05)


class Story:
    """The run, chapter by chapter; what a chapter is for stands in its first line."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.person = somebody(stage)
        self.session_id = self.person.session()
        self._socket_routes = routes("WEBSOCKET")
        self.response: Json = {}
        self.pushed: list[Json] = []
        self.usages: dict[str, Usage] = {}

    def tell(self) -> None:
        """Go through all of it."""
        self.bring_the_page()
        self.bring_files()
        self.take_turns()
        self.count_turns()
        self.share_and_fetch()
        self.ask_the_owner()
        self.stop_and_lose()
        self.end_a_session()
        self.rotate_keys()
        self.let_time_pass()
        self.erase_a_person()

    def bring_the_page(self) -> None:
        """Serve the page that this deployment brought."""
        self.stage.invoke("PublishPage", _DEPLOYED)
        objects = self.stage.client("s3").list_objects_v2(Bucket=self.stage.physical("S3::Bucket")["SiteFiles"])[
            "Contents"
        ]
        assert {"index.html", "config.json"} <= {each["Key"] for each in objects}

    def bring_files(self) -> None:
        """Upload in one piece and in parts, finish one upload and give up another."""
        self.person.upload(self.session_id, "sales.csv", b"a,b\n1,2\n")
        body = b"in parts"
        wanted = {"name": "parts.txt", "size": len(body), "session_id": self.session_id}
        first, second = (self._call("POST", "/api/files/uploads", json=wanted) for _ in range(2))
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        signed = self._call(
            "POST", f"/api/files/uploads/{first['upload_id']}/parts", json={"parts": [{"number": 1, "sha256": digest}]}
        )["parts"][0]
        assert httpx2.put(signed["url"], content=body, headers=signed["headers"]).status_code == httpx2.codes.OK
        self._call("GET", f"/api/files/uploads/{first['upload_id']}")
        self._call("POST", f"/api/files/uploads/{first['upload_id']}/complete")
        self._call("GET", "/api/files/uploads")
        self._call("DELETE", f"/api/files/uploads/{second['upload_id']}")

    def take_turns(self) -> None:
        """Call tools that read and write every kind of file, over a connection that hears of it."""
        door = self._connected()
        made = self.person.start(self.session_id, "/legacy.make {}")
        self._follow(door, made["turn_id"])
        self.person.wait_for(self.session_id, made["turn_id"])
        wait_until(lambda: any(page.get("done") for page in door.said))
        self.pushed = [event for page in door.said for event in page.get("events", [])]
        door.say({"action": "unsubscribe", "turn_id": made["turn_id"]})
        door.leave()
        self.response = self._ask("\n".join(_CALLS))
        self._ask('/report.summarise {"filename": "absent.csv"}')

    def count_turns(self) -> None:
        """Take a turn of each kind once more, by itself, and count what it uses."""
        for kind, message in _KINDS.items():
            door, meter = self._connected(), Meter(self.stage.notes)
            if kind == "file":
                self.person.upload(self.session_id, "more.csv", b"a,b\n3,4\n")
            turn = str(self.person.start(self.session_id, message)["turn_id"])
            self._follow(door, turn)
            wait_until(lambda door=door: any(page.get("done") for page in door.said))  # type: ignore[misc]
            response = self._call("GET", self._path(turn))
            if kind == "file":
                for artifact in response["artifacts"]:
                    self._request("GET", artifact["download_url"])
            history = self.stage.client("stepfunctions").get_paginator("get_execution_history")
            self.usages[kind] = count(meter.since(), history.paginate(executionArn=self._execution(turn)))
            door.leave()

    def share_and_fetch(self) -> None:
        """Fetch files by link and inside JSON, share one, take the link back, delete the file."""
        listed = self._call("GET", "/api/files")["files"]
        for file in listed:
            answer = self._request("GET", f"/api/files/{file['file_key']}")
            link = answer.json()["download_url"]
            assert self._request("HEAD", link).is_success
            assert self._request("GET", link).status_code in {httpx2.codes.OK, httpx2.codes.TEMPORARY_REDIRECT}
            self._call("POST", f"/api/files/{file['file_key']}/keep")
        by_name = {file["name"]: file["file_key"] for file in listed}
        shared = self._call("POST", f"/api/files/{by_name['small.txt']}/link", json={})
        self._call("DELETE", f"/api/links/{shared['link_id']}")
        self._call("DELETE", "/api/links")
        for name in ("small.txt", "later.txt", "parts.txt"):
            self._call("DELETE", f"/api/files/{by_name[name]}")

    def ask_the_owner(self) -> None:
        """Wait for the owner's word on a call, and go on with it; asked again, the state is answered at once."""
        turn = self._waiting_turn()
        call = self._approval_of(turn)
        self._call("POST", f"{self._path(turn)}/calls/{call}/approval", json={"approved": True})
        self.person.wait_for(self.session_id, turn)
        again = {"user": self.person.name, "session_id": self.session_id, "turn_id": turn, "call_id": call}
        self.stage.invoke("Approval", {**again, "task_token": "of a second time"})

    def stop_and_lose(self) -> None:
        """Cancel a turn, lose one whose execution ends past Finish, and find one of which nobody was told."""
        turn = self._waiting_turn()
        self._call("DELETE", self._path(turn))
        self.person.wait_for(self.session_id, turn)
        turn = self._waiting_turn()
        self._stop_execution(turn)
        self.person.wait_for(self.session_id, turn)
        status_changes.listen(None)
        for looks in (self._read, self._subscribe):
            self.stage.pass_time(timedelta())
            turn = self._waiting_turn()
            self._stop_execution(turn)
            self.stage.pass_time(_SETTLED)
            looks(turn)
            assert self._call("GET", self._path(turn))["status"] != "running"
        self.stage.pass_time(timedelta())
        status_changes.listen(self.stage.happened)

    def end_a_session(self) -> None:
        """End a session whose tool made a file for its time alone, and one out of which such a file was kept."""
        kept, gone = self.person.session(), self.person.session()
        for session_id in (kept, gone):
            self.person.ask(session_id, "/legacy.pass_by {}")
        self._call("POST", f"/api/files/{self._files_of(kept)['passing.txt']}/keep")
        self._call("GET", f"/api/sessions/{gone}/audit")
        for session_id in (kept, gone):
            self._call("DELETE", f"/api/sessions/{session_id}")
        wait_until(lambda: not self._files_of(gone))
        assert self._files_of(kept)

    def rotate_keys(self) -> None:
        """Change the keys that sign links."""
        (secret,) = self.stage.physical("SecretsManager::Secret").values()
        client = self.stage.client("secretsmanager")
        client.rotate_secret(
            SecretId=secret, RotationLambdaARN=client.describe_secret(SecretId=secret)["RotationLambdaARN"]
        )

    def let_time_pass(self) -> None:
        """Sweep: once when sessions have ended for a while, once when everything has expired that can."""
        self._call("POST", "/api/files/uploads", json={"name": "never.txt", "size": 5})
        self._ask("/legacy.make {}\n/legacy.pass_by {}")
        for span in (_ENDED, _EXPIRED, _EXPIRED + _ENDED):
            self.stage.pass_time(span)
            self.stage.tick()
        self.stage.pass_time(timedelta())

    def erase_a_person(self) -> None:
        """Have everything of somebody deleted, a running turn and an upload among it, by the sweep."""
        self.person = somebody(self.stage)
        self.session_id = self.person.session()
        self.person.upload(self.session_id, "sales.csv", b"a,b\n1,2\n")
        self._ask("/legacy.make {}")
        self._call("POST", "/api/files/uploads", json={"name": "never.txt", "size": 5})
        self._waiting_turn()
        asked = self._call("DELETE", "/api/me")
        with self.stage.without("Erase"):
            self._call("DELETE", "/api/me", headers={"X-Satchel-Confirm": asked["confirm_token"]})
        self.stage.pass_time(_ENDED)
        self.stage.tick()
        wait_until(lambda: self._call("GET", "/api/me")["erasure"]["finished_at"] is not None)
        assert not self._call("GET", "/api/me")["usage"]["count"]

    def _request(self, method: str, path: str, **given: object) -> httpx2.Response:
        answer = self.person.call(method, path, **given)
        assert answer.status_code < httpx2.codes.BAD_REQUEST, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def _call(self, method: str, path: str, **given: object) -> Json:
        answer = self._request(method, path, **given)
        said: Json = answer.json() if answer.content else {}
        return said

    def _ask(self, message: str) -> Json:
        return self.person.ask(self.session_id, message)

    def _path(self, turn: str) -> str:
        return f"/api/sessions/{self.session_id}/turns/{turn}"

    def _read(self, turn: str) -> None:
        self._call("GET", self._path(turn))

    def _connected(self) -> SocketDoor:
        door = SocketDoor(self._socket_routes)
        ticket = self._call("POST", "/api/ws-ticket")["ticket"]
        assert door.connect(ticket, origin_of(self.person.url)) == httpx2.codes.OK
        return door

    def _follow(self, door: SocketDoor, turn: str) -> None:
        said = door.say({"action": "subscribe", "session_id": self.session_id, "turn_id": turn, "after": 0})
        assert said["type"] == "subscribed", said

    def _subscribe(self, turn: str) -> None:
        door = self._connected()
        self._follow(door, turn)
        door.close()  # without a word: who pushes finds out

    def _waiting_turn(self) -> str:
        long = json.dumps({"reason": "x" * _LONG})
        turn = str(self.person.start(self.session_id, f"/legacy.ask {long}")["turn_id"])
        wait_until(lambda: bool(self._approval_of(turn)))
        return turn

    def _approval_of(self, turn: str) -> str:
        events = self._call("GET", f"{self._path(turn)}/events", params={"after": 0})["events"]
        return next((event["call_id"] for event in events if event["type"] == "tool_approval_request"), "")

    def _files_of(self, session_id: str) -> dict[str, str]:
        listed = self._call("GET", "/api/files", params={"session_id": session_id})["files"]
        return {file["name"]: file["file_key"] for file in listed}

    def _execution(self, turn: str) -> str:
        (machine,) = self.stage.physical("StepFunctions::StateMachine").values()
        return f"{machine.replace(':stateMachine:', ':execution:')}:{turn}"

    def _stop_execution(self, turn: str) -> None:
        self.stage.client("stepfunctions").stop_execution(executionArn=self._execution(turn))

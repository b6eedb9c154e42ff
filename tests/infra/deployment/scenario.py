"""A run in which every function does all of its work: users, files, turns, connections, and the passage of time."""

import base64
import hashlib
import itertools
import json
import shutil
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import httpx2
from botocore.config import Config

from local.emulator.aws.moto_patches import dynamodb_streams, execution_events
from local.emulator.aws.moto_patches.lambda_invoke import HOST
from tests.infra.deployment.gateways import Json, SignedInUser, SocketClient, origin_of, routes
from tests.infra.deployment.system import DeployedSystem
from tests.infra.deployment.usage_counter import CallMeter, Pages, count

if TYPE_CHECKING:
    from infra.usage import Usage

_SERVER = Path(__file__).parent / "tool_server" / "main.py"
_DEPLOYMENT_EVENT = {"source": "aws.cloudformation"}
_TOOL_CALLS = (
    '/report.summarise {"filename": "sales.csv"}',
    '/legacy.read {"filenames": ["sales.csv", "small.txt", "later.txt"]}',
    '/calculator.take {"filename": "sales.csv"}',
    "/legacy.none {}",
)
_MESSAGES = {
    "talk": "What can you do?",
    "tools": '/legacy.read {"filenames": ["sales.csv"]}\n/calculator.take {"filename": "sales.csv"}',
    "file": '/report.summarise {"filename": "more.csv"}',
}
_LONG_ARGUMENT = 45_000  # characters; too long for the item of a call, so it is stored as an object
_TIMEOUT_SECONDS = 180.0
_AFTER_GRACE = timedelta(seconds=20)
_AFTER_SESSION_END = timedelta(minutes=20)
_AFTER_EXPIRY = timedelta(days=40)


def new_user(system: DeployedSystem) -> SignedInUser:
    """Return a user with a new random name."""
    name = f"u{uuid.uuid4().hex[:12]}@example.com"
    return SignedInUser(system.outputs()["Url"], name, created_routes=routes("HTTP"))


def install_tool_server(system: DeployedSystem) -> None:
    """Replace all servers but ``report`` by the tool server, and require approval for one tool.

    The tool server has the tools that the run needs, and it starts at once. ``report`` is not replaced.
    """
    config = system.opt / "servers" / "mcp.json"
    entries = json.loads(config.read_text(encoding="utf-8"))
    entries["legacy"]["require_approval"] = ["ask"]
    entries["calculator"]["files"] = "url"
    config.write_text(json.dumps(entries), encoding="utf-8")
    for name in ("legacy", "calculator", "documents"):
        shutil.copy(_SERVER, system.opt / "servers" / name / "main.py")


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds that functions fulfill in the background."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "timeout"
        time.sleep(0.05)


class Scenario:
    """The run. Each method is one part of it."""

    def __init__(self, system: DeployedSystem) -> None:
        self.system = system
        self.user = new_user(system)
        self.session_id = self.user.create_session()
        self._socket_routes = routes("WEBSOCKET")
        self.response: Json = {}
        self.pushed: list[Json] = []
        self.usages: dict[str, Usage] = {}

    def run(self) -> None:
        """Run all parts in order."""
        self.publish_page()
        self.read_public_keys()
        self.upload_files()
        self.run_turns()
        self.measure_turns()
        self.lose_a_first_round()
        self.use_a_prompt()
        self.download_and_share_files()
        self.repeat_requests()
        self.approve_a_call()
        self.cancel_and_lose_turns()
        self.end_sessions()
        self.rotate_keys()
        self.expire_data()
        self.erase_a_user()
        self.empty_the_page_bucket()

    def publish_page(self) -> None:
        """Publish the page of the deployment."""
        self.system.invoke("PublishPage", _DEPLOYMENT_EVENT)
        objects = self.system.client("s3").list_objects_v2(Bucket=self.system.physical_ids("S3::Bucket")["SiteFiles"])[
            "Contents"
        ]
        assert {"index.html", "config.json"} <= {each["Key"] for each in objects}

    def read_public_keys(self) -> None:
        """Read the keys that verify the tokens of dashboards."""
        (key,) = self.system.physical_ids("KMS::Key").values()
        assert [each["kid"] for each in self._call("GET", "/.well-known/jwks.json")["keys"]] == [key]

    def upload_files(self) -> None:
        """Upload in one request and in parts, complete one upload and abort another."""
        self.user.upload(self.session_id, "sales.csv", b"a,b\n1,2\n")
        body = b"in parts"
        upload = {"name": "parts.txt", "size": len(body), "session_id": self.session_id}
        first, second = (self._call("POST", "/api/files/uploads", json=upload) for _ in range(2))
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        signed = self._call(
            "POST", f"/api/files/uploads/{first['upload_id']}/parts", json={"parts": [{"number": 1, "sha256": digest}]}
        )["parts"][0]
        put = httpx2.put(signed["url"], content=body, headers=signed["headers"], timeout=60)
        assert put.status_code == httpx2.codes.OK
        self._call("GET", f"/api/files/uploads/{first['upload_id']}")
        self._call("POST", f"/api/files/uploads/{first['upload_id']}/complete")
        self._call("GET", "/api/files/uploads")
        self._call("DELETE", f"/api/files/uploads/{second['upload_id']}")

    def run_turns(self) -> None:
        """Call tools that read and write all kinds of files, with a connection that receives the events."""
        client = self.connect()
        turn = self.user.start_turn(self.session_id, "/legacy.make {}")
        self.follow(client, turn["turn_id"])
        self.user.wait_for_turn(self.session_id, turn["turn_id"])
        wait_until(lambda: any(page.get("done") for page in client.messages))
        self.pushed = [event for page in client.messages for event in page.get("events", [])]
        client.request({"action": "unsubscribe", "turn_id": turn["turn_id"]})
        client.disconnect()
        self.response = self._ask("\n".join(_TOOL_CALLS))
        self._ask('/report.summarise {"filename": "absent.csv"}')
        self._ask("/documents.make {}")

    def measure_turns(self) -> None:
        """Run one turn of each kind and measure its usage.

        Each record of the stream is pushed alone. The number of records in a batch would depend on the machine's load.
        """
        batch_size = self._set_stream_batch(1)
        for kind, message in _MESSAGES.items():
            client, meter = self.connect(), CallMeter(self.system.call_logs)
            if kind == "file":
                self.user.upload(self.session_id, "more.csv", b"a,b\n3,4\n")
            turn = str(self.user.start_turn(self.session_id, message)["turn_id"])
            self.follow(client, turn)
            wait_until(lambda client=client: any(page.get("done") for page in client.messages))  # type: ignore[misc]
            response = self._call("GET", self._path(turn))
            if kind == "file":
                for artifact in response["artifacts"]:
                    self._request("GET", artifact["download_url"])
            # The page knows the end of the turn before the execution ends.
            wait_until(lambda turn=turn: not self.is_running(turn))  # type: ignore[misc]
            wait_until(dynamodb_streams.is_idle)
            self.usages[kind] = count(meter.new_calls(), self._history(turn))
            client.disconnect()
        self._set_stream_batch(batch_size)

    def _set_stream_batch(self, size: int) -> int:
        """Set how many records of the stream are pushed at once, and return the previous number."""
        client = self.system.client("lambda")
        (mapping,) = client.list_event_source_mappings()["EventSourceMappings"]
        client.update_event_source_mapping(UUID=mapping["UUID"], BatchSize=size)
        return int(mapping["BatchSize"])

    def lose_a_first_round(self) -> None:
        """Let the function of a first round die, so that an execution repeats the round."""
        with self.system.dying_first_rounds():
            response = self._ask("What can you do?")
        assert response["status"] == "complete"
        assert self._execution_status(response["turn_id"]) is not None

    def use_a_prompt(self) -> None:
        """Get the message of a prompt."""
        self.system.invoke("Refresh", _DEPLOYMENT_EVENT)
        prompt = {"server": "legacy", "name": "greet", "arguments": {"name": "Ada"}}
        assert self._call("POST", "/api/prompts", json=prompt) == {"text": "Greet Ada.", "files": []}

    def download_and_share_files(self) -> None:
        """Download files by link and as JSON, share one, revoke the links, delete files."""
        files = self._call("GET", "/api/files")["files"]
        for file in files:
            answer = self._request("GET", f"/api/files/{file['file_key']}")
            link = answer.json()["download_url"]
            assert self._request("HEAD", link).is_success
            assert self._request("GET", link).status_code in {httpx2.codes.OK, httpx2.codes.TEMPORARY_REDIRECT}
            self._call("POST", f"/api/files/{file['file_key']}/keep")
        by_name = {file["name"]: file["file_key"] for file in files}
        shared = self._call("POST", f"/api/files/{by_name['small.txt']}/link", json={})
        self._call("DELETE", f"/api/links/{shared['link_id']}")
        self._call("DELETE", "/api/links")
        for name in ("small.txt", "later.txt", "parts.txt"):
            self._call("DELETE", f"/api/files/{by_name[name]}")

    def repeat_requests(self) -> None:
        """Share a chat and make a token, each twice with one key, so that the second request replaces the secret."""
        key = {"Idempotency-Key": "k1"}
        share, make = f"/api/sessions/{self.session_id}/links", "/api/me/tokens"
        for path, body, secret in ((share, {}, "url"), (make, {"name": "program"}, "token")):
            first, second = (self._call("POST", path, json=body, headers=key) for _ in range(2))
            assert first.pop(secret) != second.pop(secret)
            assert first == second

    def approve_a_call(self) -> None:
        """Approve a call. A second invocation of its state then answers at once."""
        turn = self._waiting_turn()
        call = self._approval_of(turn)
        approval = f"{self._path(turn)}/calls/{call}/approval"
        digest = self._call("GET", approval)["digest"]
        self._call("POST", approval, json={"approved": True, "digest": digest})
        self.user.wait_for_turn(self.session_id, turn)
        event = {"user": self.user.name, "session_id": self.session_id, "turn_id": turn, "call_id": call}
        self.system.invoke("Dispatch", {**event, "approval": 1, "task_token": "second"})

    def cancel_and_lose_turns(self) -> None:
        """Cancel a turn, stop the execution of another, and detect stopped ones without the event of their end."""
        turn = self._waiting_turn()
        self._call("DELETE", self._path(turn))
        self.user.wait_for_turn(self.session_id, turn)
        turn = self._waiting_turn()
        self._stop_execution(turn)
        self.user.wait_for_turn(self.session_id, turn)
        execution_events.set_listener(None)
        for look_up in (self._read, self._subscribe):
            self.system.set_clock_offset(timedelta())
            turn = self._waiting_turn()
            self._stop_execution(turn)
            self.system.set_clock_offset(_AFTER_GRACE)
            look_up(turn)
            assert self._call("GET", self._path(turn))["status"] != "running"
        self.system.set_clock_offset(timedelta())
        execution_events.set_listener(self.system.publish_event)

    def end_sessions(self) -> None:
        """End a session with a temporary file, and another whose temporary file the user keeps."""
        keeping, ending = self.user.create_session(), self.user.create_session()
        for session_id in (keeping, ending):
            self.user.ask(session_id, "/legacy.make_temporary {}")
        self._call("POST", f"/api/files/{self._files_of(keeping)['temporary.txt']}/keep")
        self._call("GET", f"/api/sessions/{ending}/audit")
        for session_id in (keeping, ending):
            self._call("DELETE", f"/api/sessions/{session_id}")
        wait_until(lambda: not self._files_of(ending))
        assert self._files_of(keeping)

    def rotate_keys(self) -> None:
        """Rotate the keys that sign links."""
        (secret,) = self.system.physical_ids("SecretsManager::Secret").values()
        client = self.system.client("secretsmanager")
        client.rotate_secret(
            SecretId=secret, RotationLambdaARN=client.describe_secret(SecretId=secret)["RotationLambdaARN"]
        )

    def expire_data(self) -> None:
        """Sweep when the grace period of sessions is over, and when all data has expired."""
        self._call("POST", "/api/files/uploads", json={"name": "never.txt", "size": 5})
        self._ask("/legacy.make {}\n/legacy.make_temporary {}")
        for offset in (_AFTER_SESSION_END, _AFTER_EXPIRY, _AFTER_EXPIRY + _AFTER_SESSION_END):
            self.system.set_clock_offset(offset)
            self.system.run_schedules()
        self.system.set_clock_offset(timedelta())

    def erase_a_user(self) -> None:
        """Delete all data of a user by the sweep, including a running turn and an unfinished upload."""
        self.user = new_user(self.system)
        self.session_id = self.user.create_session()
        self.user.upload(self.session_id, "sales.csv", b"a,b\n1,2\n")
        self._ask("/legacy.make {}")
        self._call("POST", "/api/files/uploads", json={"name": "never.txt", "size": 5})
        self._waiting_turn()
        response = self._call("DELETE", "/api/me")
        with self.system.disabled("Erase"):
            self._call("DELETE", "/api/me", headers={"X-Satchel-Confirm": response["confirm_token"]})
        # The second pass begins 16 minutes after the first.
        offsets = (number * _AFTER_SESSION_END for number in itertools.count(1))

        def is_finished() -> bool:
            self.system.set_clock_offset(next(offsets))
            self.system.run_schedules()
            return self._call("GET", "/api/me")["erasure"]["finished_at"] is not None

        wait_until(is_finished)
        assert not self._call("GET", "/api/me")["usage"]["count"]

    def empty_the_page_bucket(self) -> None:
        """Announce the deletion of the page's bucket, as CloudFormation does with the stack, and delete the bucket."""
        store = self.system.client("s3")
        bucket = self.system.physical_ids("S3::Bucket")["SiteFiles"]
        store.create_bucket(Bucket="results")
        # The emulated AWS checks signatures of version 4 only.
        signer = boto3.client("s3", config=Config(signature_version="s3v4"))
        event = {
            "RequestType": "Delete",
            "ResponseURL": signer.generate_presigned_url("put_object", {"Bucket": "results", "Key": "result"}),
            "StackId": "stack",
            "RequestId": "request",
            "LogicalResourceId": "EmptiedPage",
            "ResourceProperties": {"Bucket": bucket},
        }
        self.system.invoke("EmptiedPageEmpty", event)
        result = json.loads(store.get_object(Bucket="results", Key="result")["Body"].read())
        assert result["Status"] == "SUCCESS", result
        store.delete_bucket(Bucket=bucket)

    def _request(self, method: str, path: str, **kwargs: object) -> httpx2.Response:
        answer = self.user.request(method, path, **kwargs)
        assert answer.status_code < httpx2.codes.BAD_REQUEST, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    def _call(self, method: str, path: str, **kwargs: object) -> Json:
        answer = self._request(method, path, **kwargs)
        body: Json = answer.json() if answer.content else {}
        return body

    def _ask(self, message: str) -> Json:
        return self.user.ask(self.session_id, message)

    def _path(self, turn: str) -> str:
        return f"/api/sessions/{self.session_id}/turns/{turn}"

    def _read(self, turn: str) -> None:
        self._call("GET", self._path(turn))

    def connect(self) -> SocketClient:
        """Open a connection."""
        client = SocketClient(self._socket_routes)
        ticket = self._call("POST", "/api/ws-ticket")["ticket"]
        assert client.connect(ticket, origin_of(self.user.url)) == httpx2.codes.OK
        return client

    def follow(self, client: SocketClient, turn: str) -> None:
        """Subscribe a connection to a turn."""
        response = client.request({"action": "subscribe", "session_id": self.session_id, "turn_id": turn, "after": 0})
        assert response["type"] == "subscribed", response

    def _subscribe(self, turn: str) -> None:
        client = self.connect()
        self.follow(client, turn)
        client.close()  # without $disconnect: push detects the lost connection

    def _waiting_turn(self) -> str:
        arguments = json.dumps({"reason": "x" * _LONG_ARGUMENT})
        turn = str(self.user.start_turn(self.session_id, f"/legacy.ask {arguments}")["turn_id"])
        wait_until(lambda: bool(self._approval_of(turn)))
        return turn

    def _approval_of(self, turn: str) -> str:
        events = self._call("GET", f"{self._path(turn)}/events", params={"after": 0})["events"]
        return next((event["call_id"] for event in events if event["type"] == "tool_approval_request"), "")

    def _files_of(self, session_id: str) -> dict[str, str]:
        files = self._call("GET", "/api/files", params={"session_id": session_id})["files"]
        return {file["name"]: file["file_key"] for file in files}

    def _execution(self, turn: str) -> str:
        (machine,) = self.system.physical_ids("StepFunctions::StateMachine").values()
        return f"{machine.replace(':stateMachine:', ':execution:')}:{turn}"

    def is_running(self, turn: str) -> bool:
        """Return True if a first round runs, or the execution of a turn."""
        return HOST.is_running(self.system.functions["Think"].name) or self._execution_status(turn) == "RUNNING"

    def _execution_status(self, turn: str) -> str | None:
        client = self.system.client("stepfunctions")
        try:
            return str(client.describe_execution(executionArn=self._execution(turn))["status"])
        except client.exceptions.ExecutionDoesNotExist:
            return None

    def _history(self, turn: str) -> Pages:
        """Return the pages of the history of a turn's execution, none if it had no execution."""
        if self._execution_status(turn) is None:
            return []
        history = self.system.client("stepfunctions").get_paginator("get_execution_history")
        pages: Pages = history.paginate(executionArn=self._execution(turn))
        return pages

    def _stop_execution(self, turn: str) -> None:
        self.system.client("stepfunctions").stop_execution(executionArn=self._execution(turn))

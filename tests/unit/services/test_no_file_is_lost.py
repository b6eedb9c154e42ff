"""Every byte that a tool returned without error can be downloaded afterwards, unless the user deleted it."""

from base64 import b64encode
from contextlib import AbstractContextManager, nullcontext
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from starlette.testclient import TestClient

from satchel.contract import build_model_view, normalize
from satchel.domain.calls import Call
from satchel.entrypoints.http.app import create_app
from satchel.entrypoints.http.identity import identity_from_headers
from satchel.services.calls.runner_report import build_report
from satchel.services.calls.store_artifacts import StoreArtifacts
from tests.unit.services.orders import order
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

MAX_BYTES = 1000
WORKSPACE = Path("/workspace")
NAMES = st.sampled_from(["a.txt", "b.txt", "a?.txt", "a*.txt", "a (2).txt"])


class ToolFile(BaseModel):
    """A file that a tool returns. It is a deferred artifact if it has ``expires_hours``."""

    name: str
    id: str | None
    expires_hours: int | None

    def artifact(self, body: bytes) -> dict[str, Any]:
        """Return the artifact as the tool returns it."""
        fields = {"name": self.name, "mime": "text/plain", "id": self.id}
        if self.expires_hours is None:
            return fields | {"b64": b64encode(body).decode()}
        return fields | {"path": body.decode(), "expires_hours": self.expires_hours}


class ToolCall(BaseModel):
    """A call that returns these files, even if it fails."""

    files: list[ToolFile]
    failed: bool
    temporary: bool

    def result(self, bodies: list[bytes]) -> dict[str, Any]:
        """Return the result of the tool."""
        files = list(zip(self.files, bodies, strict=True))
        return {
            "results": "done",
            "artifacts": [file.artifact(body) for file, body in files if file.expires_hours is None],
            "deferred_artifacts": [file.artifact(body) for file, body in files if file.expires_hours is not None],
            "meta_data": {"is_error": self.failed},
            "display": {"storage_action": "temporary" if self.temporary else "store"},
        }


class Step(BaseModel):
    """A turn in a session, whose calls end in their order or the other way; then perhaps an upload and a deletion."""

    session: int
    calls: list[ToolCall]
    is_reversed: bool
    uploaded: str | None
    deleted: int | None


FILES = st.builds(
    ToolFile,
    name=NAMES,
    id=st.sampled_from([None, None, "one", "two"]),
    expires_hours=st.sampled_from([None, None, 1, 9]),
)
CALLS = st.builds(ToolCall, files=st.lists(FILES, max_size=3), failed=st.booleans(), temporary=st.booleans())
STEPS = st.builds(
    Step,
    session=st.integers(0, 1),
    calls=st.lists(CALLS, max_size=4),
    is_reversed=st.booleans(),
    uploaded=st.none() | NAMES,
    deleted=st.none() | st.integers(0, 9),
)


def open_path(path: str, workspace: Path, max_bytes: int) -> AbstractContextManager[IO[bytes]]:
    """Open a file of the workspace. For simplicity, its content is its path."""
    assert (workspace, max_bytes) == (WORKSPACE, MAX_BYTES)
    return nullcontext(BytesIO(path.encode()))


class History:
    """Runs steps, and remembers the contents that must be available. All contents are different."""

    def __init__(self) -> None:
        self.world = World()
        self.sessions = [self.world.session() for _ in range(2)]
        self.count = 0
        self.available: set[bytes] = set()
        self.http = TestClient(create_app(self.world.use_cases, identity_from_headers))
        self.http.headers["X-Satchel-User"] = ALICE.name

    def run(self, step: Step) -> None:
        session = self.sessions[step.session]
        turn = self.world.turn(session)
        calls = [(self.world.call(turn, index=index), call) for index, call in enumerate(step.calls)]
        returned = {body for call, spec in calls[:: -1 if step.is_reversed else 1] for body in self.finish(call, spec)}
        self.world.complete(turn)
        response = self.get(f"/api/sessions/{session.session_id}/turns/{turn.turn_id}")
        files = response["artifacts"] + response["deferred_artifacts"]
        assert sorted(map(self.download, files)) == sorted(returned)
        assert len({file["name"] for file in files}) == len(files)
        self.available |= returned
        if step.uploaded is not None:
            body = self.new_content()
            self.world.upload(step.uploaded, body, session)
            self.available.add(body)
        if step.deleted is not None and (keys := self.file_keys()):
            key = keys[step.deleted % len(keys)]
            self.available -= set(map(self.download, self.versions(key)))
            assert self.http.delete(f"/api/files/{key}").is_success

    def finish(self, call: Call, spec: ToolCall) -> list[bytes]:
        """End a call, as a runner does. Return the contents of its files if it did not fail."""
        bodies = [self.new_content() for _ in spec.files]
        output = normalize(spec.result(bodies))
        ids = {"call_id": call.call_id, "turn_id": call.turn_id, "session_id": call.session_id}
        store = StoreArtifacts(self.world.store, open_path, MAX_BYTES)
        stored, problems = store(order().model_copy(update=ids), WORKSPACE, output)
        self.world.finish_call(call, build_report(output, build_model_view(output), stored, problems))
        return [] if spec.failed else bodies

    def new_content(self) -> bytes:
        self.count += 1
        return f"content {self.count}".encode()

    def get(self, path: str) -> Any:  # noqa: ANN401  (JSON)
        response = self.http.get(path)
        assert response.status_code == 200, response.text
        return response.json()

    def file_keys(self) -> list[str]:
        return [file["file_key"] for file in self.get("/api/files?limit=100")["files"]]

    def versions(self, key: str) -> list[dict[str, Any]]:
        versions: list[dict[str, Any]] = self.get(f"/api/files/{key}/versions?limit=100")["versions"]
        return versions

    def download(self, file: dict[str, Any]) -> bytes:
        return self.http.get(file["download_url"]).raise_for_status().content


@pytest.mark.clause("v2.1:artifacts:same-turn", "v2.1:artifacts:versions", "v2.1:artifacts:failed-call")
@settings(max_examples=40, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=4))
def test_every_content_can_be_downloaded_unless_the_call_failed_or_it_was_deleted(steps: list[Step]) -> None:
    history = History()
    for step in steps:
        history.run(step)
    contents = [history.download(version) for key in history.file_keys() for version in history.versions(key)]
    assert sorted(contents) == sorted(history.available)

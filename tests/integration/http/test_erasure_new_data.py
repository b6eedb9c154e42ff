"""Data that a user stores during and after an erasure: it is refused with an error, or it stays."""

import io
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from satchel.domain.errors import ErasureRunning
from satchel.domain.events import NewEvent
from satchel.domain.ids import SessionId, TurnId, UserName, call_id
from satchel.domain.object_keys import object_key
from satchel.domain.steps import TurnStep
from satchel.domain.users import LATE_WRITE_GRACE
from satchel.services.turns.finish_turn import Ending
from tests.integration.aws.factories import make_session, make_turn
from tests.integration.http.api_client import ApiClient, b64
from tests.integration.http.backend import Backend, record_file
from tests.integration.http.erasure import confirm_erasure, find_leftovers, run_erasure, time_for, turn_ids

REFUSED = (409, "E_ERASING")


def try_to_store(api: ApiClient, method: str, path: str, body: dict[str, Any]) -> tuple[int, str | None]:
    """Send a request. Return its status and error code."""
    response = api.http.request(method, path, json=body)
    return response.status_code, response.json().get("error_code")


def begin_upload(api: ApiClient) -> str:
    response = api.http.post("/api/files/uploads", json={"name": "half.bin", "size": 10})
    assert response.status_code == 201, response.text
    return str(response.json()["upload_id"])


def write_late(backend: Backend, user: UserName, session_id: str, turn_id: str) -> None:
    """Write what a tool call and its functions may still write after its turn was stopped."""
    call = call_id(TurnId(turn_id), 0, 0)
    backend.events.append(TurnId(turn_id), NewEvent(type="tool_log", payload={"call_id": call, "message": "late"}))
    for key in (f"{user}/turns/{turn_id}/{call}/outcome.json", f"{user}/turns/{turn_id}/texts/a.json"):
        backend.store.put(key, io.BytesIO(b"{}"), "application/json")
    session = backend.sessions.get(user, SessionId(session_id))
    assert session is None
    backend.open_dashboard(user, session_id)
    ended = make_turn(make_session(user, session_id=session_id), turn_id=turn_id, ended_at=backend.clock.now())
    is_ended = backend.turns.end(ended, NewEvent(type="response_complete", payload={}), {})
    assert not is_ended  # but it has stored the words


@contextmanager
def before_request(backend: Backend, operation: str, action: Callable[[], object]) -> Iterator[None]:
    """Run ``action`` once, before the next request of this operation to DynamoDB or S3 is sent."""
    clients = [backend.table.client, backend.store.client]
    waiting = [action]

    def run(**_: object) -> None:
        if waiting:
            waiting.pop()()

    events = f"before-call.*.{operation}"
    for client in clients:
        client.meta.events.register(events, run)
    try:
        yield
    finally:
        for client in clients:
            client.meta.events.unregister(events, run)
    assert not waiting


class TestSecondPass:
    def test_second_pass_keeps_everything_stored_since_the_first(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        old_session = api.create_session()
        old_turn = api.start_turn(old_session)
        confirm_erasure(api.http)
        run_erasure(backend, user)
        write_late(backend, user, old_session, old_turn)
        backend.clock.advance(600)
        session_id = api.create_session()
        file, upload_id, turn_id = api.upload("new.csv"), begin_upload(api), api.start_turn(session_id)
        usage = api.get_json("/api/me")["usage"]

        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        assert run_erasure(backend, user)

        assert api.get_json("/api/me")["erasure"]["finished_at"] is not None
        assert find_leftovers(backend, [old_session, old_turn]) == []
        file = api.get_json(f"/api/files/{file['file_key']}")
        assert api.http.get(file["download_url"]).status_code == 200
        assert api.get_json("/api/me")["usage"] == usage == {"bytes": 8, "count": 1}
        assert api.get_json(f"/api/files/uploads/{upload_id}")["upload_id"] == upload_id
        assert api.get_json(f"/api/sessions/{session_id}/turns/{turn_id}")["status"] == "running"
        assert turn_id not in dict(backend.workflow.stopped)

    def test_second_pass_deletes_a_file_that_a_stopped_turn_stored_late(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)
        session = backend.sessions.get(user, SessionId(session_id))
        assert session is not None
        confirm_erasure(api.http)
        run_erasure(backend, user)
        record_file(backend, session, {"name": "late.txt"}, deferred=False)
        unrecorded = object_key(user, "artifacts", f"f{turn_id[1:]}", "late.txt")  # type: ignore[arg-type]
        backend.store.put(unrecorded, io.BytesIO(b"late"), "text/plain")
        api.upload("new.csv", session_id=api.create_session())

        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        assert run_erasure(backend, user)

        leftovers = find_leftovers(backend, [session_id, unrecorded])
        assert [key for key in leftovers if not key.startswith("CALLS#")] == []  # the sample call is of another turn
        assert api.get_json("/api/me")["usage"] == {"bytes": 8, "count": 1}
        assert [file["name"] for file in api.get_json("/api/files")["files"]] == ["new.csv"]

    def test_second_pass_deletes_late_writes_of_a_turn_that_was_cancelled_before(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        """A cancelled tool call ends at its runner's next heartbeat, and its function may still store the result."""
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)
        assert api.http.delete(f"/api/sessions/{session_id}/turns/{turn_id}").is_success
        confirm_erasure(api.http)
        run_erasure(backend, user)
        write_late(backend, user, session_id, turn_id)

        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        assert run_erasure(backend, user)

        assert api.get_json("/api/me")["erasure"]["finished_at"] is not None
        assert find_leftovers(backend, [user, session_id, turn_id]) == []

    def test_erasure_long_after_a_cancellation_needs_no_second_pass(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)
        assert api.http.delete(f"/api/sessions/{session_id}/turns/{turn_id}").is_success
        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        confirm_erasure(api.http)

        assert run_erasure(backend, user)

        assert api.get_json("/api/me")["erasure"]["finished_at"] is not None

    def test_second_erasure_deletes_new_data_and_the_late_writes_of_the_first(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        old_session = api.create_session()
        old_turn = api.start_turn(old_session)
        confirm_erasure(api.http)
        run_erasure(backend, user)
        backend.clock.advance(60)
        session_id = api.create_session()

        again = confirm_erasure(api.http)
        assert (again["cleared_at"], again["finished_at"]) == (None, None)
        run_erasure(backend, user)
        write_late(backend, user, old_session, old_turn)
        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        run_erasure(backend, user)

        assert find_leftovers(backend, [user, old_session, old_turn, session_id]) == []
        assert api.get_json("/api/me")["erasure"]["finished_at"] is not None


class TestDuringTheErasure:
    def test_new_data_is_refused_until_all_older_data_is_deleted(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id, file = api.create_session(), {"name": "a.csv", "b64": b64(b"a\n")}
        upload = begin_upload(api)
        requests: list[tuple[str, str, dict[str, Any]]] = [
            ("POST", "/api/sessions", {}),
            ("POST", f"/api/sessions/{session_id}/turns", {"message": "hello"}),
            ("POST", "/api/files/content", file),
            ("POST", "/api/files/content", file | {"session_id": session_id}),
            ("POST", "/api/files/uploads", {"name": "b.bin", "size": 10}),
        ]
        confirm_erasure(api.http)

        assert [try_to_store(api, *request) for request in requests] == [REFUSED] * len(requests)
        assert not run_erasure(backend, user, time_for(1))
        assert try_to_store(api, "POST", "/api/sessions", {}) == REFUSED
        assert run_erasure(backend, user)

        assert find_leftovers(backend, [user, session_id, upload]) == []
        backend.clock.advance(1)
        assert api.create_session()

    def test_upload_that_is_complete_during_the_erasure_is_refused(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        response = api.http.post("/api/files/uploads", json={"name": "empty.bin", "size": 0})
        upload_id = response.json()["upload_id"]
        upload = backend.uploads.get(user, upload_id)
        assert upload is not None
        backend.store.put(upload.file.key, io.BytesIO(b""), "application/octet-stream")  # as after joining the parts
        confirm_erasure(api.http)

        assert try_to_store(api, "POST", f"/api/files/uploads/{upload_id}/complete", {}) == REFUSED

        run_erasure(backend, user)
        assert find_leftovers(backend, [user]) == []

    @pytest.mark.parametrize(
        ("operation", "path", "body"),
        [
            ("TransactWriteItems", "/api/sessions", {}),
            ("PutObject", "/api/files/content", {"name": "a.csv", "b64": b64(b"a\n")}),
            ("TransactWriteItems", "/api/files/content", {"name": "a.csv", "b64": b64(b"a\n")}),
            ("CreateMultipartUpload", "/api/files/uploads", {"name": "b.bin", "size": 10}),
        ],
    )
    def test_request_that_began_before_the_erasure_and_ends_after_it_leaves_nothing(
        self, backend: Backend, api: ApiClient, user: UserName, operation: str, path: str, body: dict[str, Any]
    ) -> None:
        def erase_everything() -> None:
            backend.clock.advance(1)
            confirm_erasure(api.http)
            assert run_erasure(backend, user)

        with before_request(backend, operation, erase_everything):
            assert try_to_store(api, "POST", path, body) == REFUSED

        assert find_leftovers(backend, [user]) == []

    @pytest.mark.parametrize(
        "operation", ["GetItem", "Query", "UpdateItem", "TransactWriteItems", "ListObjectVersions", "DeleteObjects"]
    )
    def test_slow_process_deletes_nothing_after_another_has_completed_the_erasure(
        self, backend: Backend, api: ApiClient, user: UserName, operation: str
    ) -> None:
        api.upload("old.csv", session_id=api.create_session())
        confirm_erasure(api.http)
        stored: list[dict[str, Any]] = []

        def complete_and_store() -> None:
            assert run_erasure(backend, user)
            backend.clock.advance(1)
            begin_upload(api)
            stored.append(api.upload("new.csv", session_id=api.create_session()))

        with before_request(backend, operation, complete_and_store):
            run_erasure(backend, user)

        assert api.start_turn(stored[0]["session_id"])
        assert api.http.get(stored[0]["download_url"]).status_code == 200
        assert len(api.get_json("/api/sessions")["sessions"]) == 1
        assert len(api.get_json("/api/files/uploads")["uploads"]) == 1
        assert api.get_json("/api/me")["usage"] == {"bytes": 8, "count": 1}


class TestTurnsDuringTheErasure:
    """The transaction that begins a turn does not check the record of the erasure, which its request reads before.

    So each test stops a request between its read and its transaction.
    """

    def delay_turn(
        self, backend: Backend, api: ApiClient, session_id: str, action: Callable[[], object]
    ) -> tuple[int, str | None]:
        """Run ``action`` before the transaction that begins a turn. Return the status and error code of the request."""
        with before_request(backend, "TransactWriteItems", action):
            return try_to_store(api, "POST", f"/api/sessions/{session_id}/turns", {"message": "hello"})

    def test_turn_that_begins_before_its_session_is_found_is_stopped_and_erased(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session()

        assert self.delay_turn(backend, api, session_id, lambda: confirm_erasure(api.http)) == (202, None)

        (turn_id,) = turn_ids(backend, session_id)
        assert run_erasure(backend, user)
        assert turn_id in dict(backend.workflow.stopped)
        write_late(backend, user, session_id, turn_id)
        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        assert run_erasure(backend, user)
        assert find_leftovers(backend, [user, session_id, turn_id]) == []

    def test_turn_that_begins_while_its_session_is_being_found_is_stopped_and_erased(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session = backend.sessions.get(user, SessionId(api.create_session()))
        assert session is not None
        turn = make_turn(session, created_at=backend.clock.now())  # its request has read that there is no erasure
        confirm_erasure(api.http)

        with before_request(backend, "UpdateItem", lambda: backend.turns.begin(turn, None)):
            assert run_erasure(backend, user)

        assert turn.turn_id in dict(backend.workflow.stopped)
        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        assert run_erasure(backend, user)
        assert find_leftovers(backend, [user, session.session_id, turn.turn_id]) == []

    @pytest.mark.parametrize("key", [None, "once"])
    def test_turn_is_refused_as_soon_as_its_session_is_found(
        self, backend: Backend, api: ApiClient, user: UserName, key: str | None
    ) -> None:
        session_id = SessionId(api.create_session())
        session = backend.sessions.get(user, session_id)
        assert session is not None
        turn = make_turn(session, created_at=backend.clock.now())

        def find_session() -> None:
            confirm_erasure(api.http)
            backend.sessions.refuse_turns(user, session_id)

        assert self.delay_turn(backend, api, session_id, find_session) == REFUSED
        with pytest.raises(ErasureRunning):
            backend.turns.begin(turn, key)

        assert turn_ids(backend, session_id) == []
        assert run_erasure(backend, user)
        assert find_leftovers(backend, [user, session_id]) == []
        erasure = backend.erasures.get(user)
        assert erasure is not None
        assert erasure.late == []

    def test_turn_that_ends_before_its_session_is_found_is_erased_and_no_other_begins(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session()

        assert self.delay_turn(backend, api, session_id, lambda: confirm_erasure(api.http)) == (202, None)
        (turn_id,) = turn_ids(backend, session_id)
        step = TurnStep(user=user, session_id=SessionId(session_id), turn_id=TurnId(turn_id))
        backend.use_cases.finish_turn(step, Ending.LOST)
        assert try_to_store(api, "POST", f"/api/sessions/{session_id}/turns", {"message": "more"}) == REFUSED

        assert run_erasure(backend, user)
        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        assert run_erasure(backend, user)
        assert find_leftovers(backend, [user, session_id, turn_id]) == []

    @pytest.mark.parametrize("steps", range(1, 6))
    def test_turn_is_refused_after_each_step_of_an_interrupted_erasure(
        self, backend: Backend, api: ApiClient, user: UserName, steps: int
    ) -> None:
        session_id = api.create_session()
        api.upload("a.csv", session_id=session_id)

        def begin_erasure() -> None:
            backend.clock.advance(1)
            confirm_erasure(api.http)
            run_erasure(backend, user, time_for(steps))

        assert self.delay_turn(backend, api, session_id, begin_erasure) == REFUSED
        run_erasure(backend, user)
        assert find_leftovers(backend, [user, session_id]) == []

    def test_turn_that_began_before_the_erasure_and_ends_after_it_leaves_nothing(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session()

        def erase_everything() -> None:
            backend.clock.advance(1)
            confirm_erasure(api.http)
            assert run_erasure(backend, user)

        assert self.delay_turn(backend, api, session_id, erase_everything) == REFUSED
        assert find_leftovers(backend, [user, session_id]) == []

    def test_session_created_after_the_erasure_starts_turns(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        confirm_erasure(api.http)
        assert run_erasure(backend, user)
        backend.clock.advance(1)

        assert api.start_turn(api.create_session())


class TestLateEnd:
    """The end of a turn may be reported after the erasure: EventBridge reports the stop of its execution later."""

    @pytest.mark.parametrize("cancelled", [True, False])
    def test_end_after_the_erasure_is_no_error_and_stores_nothing(
        self, backend: Backend, api: ApiClient, user: UserName, *, cancelled: bool
    ) -> None:
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)
        if cancelled:
            assert api.http.delete(f"/api/sessions/{session_id}/turns/{turn_id}").is_success
        confirm_erasure(api.http)
        assert run_erasure(backend, user)

        step = TurnStep(user=user, session_id=session_id, turn_id=turn_id)
        assert [backend.use_cases.finish_turn(step, ending) for ending in Ending] == [None] * len(Ending)

        assert find_leftovers(backend, [user, session_id, turn_id]) == []

    def test_turn_erased_while_it_ends_gets_no_last_event(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)

        def erase() -> None:
            confirm_erasure(api.http)
            assert run_erasure(backend, user)

        step = TurnStep(user=user, session_id=session_id, turn_id=turn_id)
        with before_request(backend, "TransactWriteItems", erase):
            assert backend.use_cases.finish_turn(step, Ending.LOST) is None

        assert find_leftovers(backend, [user, session_id, turn_id]) == []


class _Deeds:
    """Random requests of one user. ``accepted`` are the ids of what the API accepted, with the way to read it again."""

    def __init__(self, backend: Backend, api: ApiClient, user: UserName, chance: random.Random) -> None:
        self.backend, self.api, self.user, self.chance = backend, api, user, chance
        self.accepted: dict[str, str] = {}
        self.sessions: list[str] = []
        self.turns: list[tuple[str, str]] = []

    def do_one(self) -> None:
        deed = self.chance.choice([self._session, self._turn, self._file, self._upload, self._late_write, self._wait])
        deed()

    def _post(self, path: str, body: dict[str, Any], id_field: str, read: str) -> str | None:
        response = self.api.http.post(path, json=body)
        if not response.is_success:
            assert response.status_code in {404, 409}, response.text
            return None
        new_id = str(response.json()[id_field])
        self.accepted[new_id] = read.format(new_id)
        return new_id

    def _session(self) -> None:
        if session_id := self._post("/api/sessions", {}, "session_id", "/api/sessions/{}"):
            self.sessions.append(session_id)

    def _turn(self) -> None:
        if self.sessions:
            path = f"/api/sessions/{self.chance.choice(self.sessions)}"
            if turn_id := self._post(f"{path}/turns", {"message": "hello"}, "turn_id", f"{path}/turns/{{}}"):
                self.turns.append((path.rpartition("/")[2], turn_id))

    def _file(self) -> None:
        session_id = self.chance.choice([None, *self.sessions])
        body = {"name": "a.csv", "b64": b64(b"a\n"), "session_id": session_id}
        self._post("/api/files/content", body, "file_key", "/api/files/{}")

    def _upload(self) -> None:
        self._post("/api/files/uploads", {"name": "b.bin", "size": 9}, "upload_id", "/api/files/uploads/{}")

    def _late_write(self) -> None:
        stopped = dict(self.backend.workflow.stopped)
        for session_id, turn_id in self.turns:
            erasure = self.backend.erasures.get(self.user)
            if turn_id in stopped and erasure and erasure.finished_at is None and erasure.cleared_at:
                write_late(self.backend, self.user, session_id, turn_id)
                return

    def _wait(self) -> None:
        self.backend.clock.advance(self.chance.choice([0.001, 1, 30]))


@pytest.mark.parametrize("seed", range(4))
def test_random_requests_around_an_erasure_keep_all_newer_and_no_older_data(
    backend: Backend, api: ApiClient, user: UserName, seed: int
) -> None:
    deeds = _Deeds(backend, api, user, random.Random(seed))  # noqa: S311  (repeatable)
    for _ in range(12):
        deeds.do_one()
    older, deeds.accepted = deeds.accepted, {}
    backend.clock.advance(1)
    confirm_erasure(api.http)
    for _ in range(16):
        deeds.do_one()
        if deeds.chance.random() < 0.5:
            run_erasure(backend, user, time_for(deeds.chance.randrange(1, 6)))
    backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
    for _ in range(3):
        run_erasure(backend, user)
        deeds.do_one()
        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())

    assert api.get_json("/api/me")["erasure"]["finished_at"] is not None
    assert find_leftovers(backend, list(older)) == []
    assert {path for path in deeds.accepted.values() if api.http.get(path).status_code != 200} == set()
    assert older
    assert deeds.accepted

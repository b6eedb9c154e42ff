"""The deletion of all data of a user is complete and exactly counted, even if it is interrupted at any point."""

import io
from collections.abc import Callable

import pytest
from moto.backends import get_backend
from starlette.testclient import TestClient

from local.emulator.aws.cloud import ACCOUNT
from satchel.adapters.dynamodb.items import runner_partition
from satchel.domain.events import NewEvent
from satchel.domain.ids import FileKey, TurnId, UserName, call_id
from satchel.domain.object_keys import call_objects_prefixes
from satchel.domain.users import LATE_WRITE_GRACE
from tests.integration.aws.factories import random_id
from tests.integration.aws.recorded_requests import record_requests
from tests.integration.http.api_client import ApiClient
from tests.integration.http.backend import Backend
from tests.integration.http.erasure import (
    KillAfter,
    confirm_erasure,
    find_data,
    find_leftovers,
    identifiers,
    run_erasure,
    time_for,
    turn_ids,
)
from tests.pictures import png

NOTHING = {"files": 0, "versions": 0, "sessions": 0, "turns": 0, "events": 0, "links": 0}


@pytest.fixture
def stored_counts(backend: Backend, api: ApiClient, user: UserName) -> dict[str, int]:
    """Create data of every kind for the user. Return the expected counts."""
    sessions = [api.create_session() for _ in range(3)]
    for number in range(4):
        api.upload(f"{number}.csv", session_id=sessions[0])
    api.upload("0.csv", b"newer", session_id=sessions[0])
    shared = api.upload("library.csv")
    for _ in range(2):
        assert api.http.post(f"/api/files/{shared['file_key']}/link").is_success
    for _ in range(2):
        turn_id = api.start_turn(sessions[1])
        backend.complete_turn(user, sessions[1], turn_id)
        backend.store.put(f"{user}/turns/{turn_id}/c/outcome.json", io.BytesIO(b"{}"), "application/json")
    events = sum(len(backend.events.list_after(TurnId(turn_id), 0, 100)) for turn_id in turn_ids(backend, sessions[1]))
    upload = api.http.post("/api/files/uploads", json={"name": "half.bin", "size": 10})
    assert upload.status_code == 201, upload.text
    return {"files": 5, "versions": 6, "sessions": 3, "turns": 2, "events": events, "links": 2}


class TestErasure:
    def test_erasure_deletes_all_data_and_counts_it(
        self, backend: Backend, api: ApiClient, stored_counts: dict[str, int], user: UserName, other_user: TestClient
    ) -> None:
        theirs = ApiClient(other_user).upload("theirs.csv")
        ids = identifiers(backend, user)
        assert confirm_erasure(api.http)["erased"] == NOTHING

        assert run_erasure(backend, user)

        assert find_leftovers(backend, ids) == []
        me = api.get_json("/api/me")
        assert me["usage"] == {"bytes": 0, "count": 0}
        assert me["erasure"]["erased"] == stored_counts
        assert me["erasure"]["finished_at"] == backend.clock.now().isoformat().replace("+00:00", "Z")
        assert other_user.get(f"/api/files/{theirs['file_key']}").status_code == 200

    def test_erasure_deletes_the_views_that_models_see(self, backend: Backend, api: ApiClient, user: UserName) -> None:
        photo = backend.files.get(user, FileKey(api.upload("photo.png", png(90, 60))["file_key"]))
        assert photo is not None
        call = call_id(TurnId(random_id("t")), 0, 0)
        view = f"{call_objects_prefixes(user, call)[0]}/image-0.png"
        backend.store.put(view, io.BytesIO(png()), "image/png")
        backend.files.add_view(photo, view, len(png()))
        assert len(find_data(backend, view)) == 2  # an item and an object
        confirm_erasure(api.http)

        assert run_erasure(backend, user)

        assert find_data(backend, view) == []
        assert find_leftovers(backend, [user]) == []

    @pytest.mark.parametrize("steps", [1, 2, 3, 7])
    def test_interrupted_erasure_continues_with_exact_counts(
        self, backend: Backend, api: ApiClient, stored_counts: dict[str, int], user: UserName, steps: int
    ) -> None:
        ids = identifiers(backend, user)
        confirm_erasure(api.http)

        calls = 0
        while not run_erasure(backend, user, time_for(steps)):
            calls += 1
            assert calls < 100

        assert calls > 0
        assert find_leftovers(backend, ids) == []
        assert api.get_json("/api/me")["erasure"]["erased"] == stored_counts

    def test_erasure_killed_at_any_request_continues_with_exact_counts(
        self, backend: Backend, api: ApiClient, stored_counts: dict[str, int], user: UserName
    ) -> None:
        ids = identifiers(backend, user)
        confirm_erasure(api.http)

        for requests_before_kill in range(1, 200):
            with KillAfter(backend, requests_before_kill):
                try:
                    done = run_erasure(backend, user)
                except KeyboardInterrupt:
                    continue
            assert done
            break

        assert find_leftovers(backend, ids) == []
        assert api.get_json("/api/me")["erasure"]["erased"] == stored_counts

    def test_second_confirmation_continues_the_running_erasure(
        self, backend: Backend, api: ApiClient, stored_counts: dict[str, int], user: UserName
    ) -> None:
        first = confirm_erasure(api.http)
        run_erasure(backend, user, time_for(2))
        backend.clock.advance(60)

        again = confirm_erasure(api.http)

        assert again["started_at"] == first["started_at"]
        assert run_erasure(backend, user)
        assert api.get_json("/api/me")["erasure"]["erased"] == stored_counts

    def test_user_can_start_again_after_the_erasure(
        self, backend: Backend, api: ApiClient, stored_counts: dict[str, int], user: UserName
    ) -> None:
        confirm_erasure(api.http)
        run_erasure(backend, user)
        assert stored_counts
        api.upload("new.csv", session_id=api.create_session())
        ids = identifiers(backend, user)

        assert confirm_erasure(api.http)["erased"] == NOTHING
        run_erasure(backend, user)

        erased = api.get_json("/api/me")["erasure"]["erased"]
        assert erased == NOTHING | {"files": 1, "versions": 1, "sessions": 1}
        assert find_leftovers(backend, ids) == []

    def test_erasure_deletes_more_objects_than_one_request_can(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        client = backend.store.client
        moto_s3 = get_backend("s3")[ACCOUNT]["aws"]  # requests would take ten times as long
        for number in range(1100):
            moto_s3.put_object(backend.store.bucket, f"{user}/uploads/20260301/{number}/a", b"")
        confirm_erasure(api.http)

        with record_requests(client) as requests:
            run_erasure(backend, user)

        assert find_data(backend, f"{user}/") == []
        deleted = [len(params["Delete"]["Objects"]) for name, params in requests if name == "DeleteObjects"]
        assert (sum(deleted), max(deleted)) == (1100, 1000)

    def test_unconfirmed_erasure_deletes_nothing(
        self, backend: Backend, stored_counts: dict[str, int], user: UserName
    ) -> None:
        before = find_data(backend, user)
        assert stored_counts

        assert run_erasure(backend, user)

        assert find_data(backend, user) == before


class TestRunningTurns:
    def test_running_turn_is_stopped_and_its_late_writes_are_deleted(
        self, backend: Backend, api: ApiClient, user: UserName
    ) -> None:
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)
        backend.request_approval(user, session_id, turn_id)  # the turn has a call
        partition = runner_partition(call_id(TurnId(turn_id), 0, 0))
        ids = identifiers(backend, user)
        confirm_erasure(api.http)

        assert run_erasure(backend, user)

        assert turn_id in dict(backend.workflow.stopped)
        assert find_leftovers(backend, ids) == []
        assert api.get_json("/api/me")["erasure"]["finished_at"] is None
        backend.events.append(TurnId(turn_id), NewEvent(type="tool_log", payload={"call_id": "c", "message": "late"}))
        backend.table.put({"pk": partition, "sk": "EVENT#00000001", "doc": "late"})
        backend.store.put(f"{user}/turns/{turn_id}/c/outcome.json", io.BytesIO(b"{}"), "application/json")
        assert find_leftovers(backend, ids) != []

        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        assert run_erasure(backend, user)

        assert find_leftovers(backend, ids) == []
        assert api.get_json("/api/me")["erasure"]["finished_at"] is not None


class TestSweep:
    @pytest.fixture
    def sweep(self, backend: Backend) -> Callable[[int], int]:
        return backend.use_cases.sweep.erasures

    def test_sweep_continues_an_interrupted_erasure(
        self, backend: Backend, api: ApiClient, user: UserName, sweep: Callable[[int], int]
    ) -> None:
        confirm_erasure(api.http)
        backend.erasure_starter.started.clear()

        sweep(100)

        assert user in backend.erasure_starter.started
        backend.erasure_starter.started.clear()
        sweep(100)
        assert user not in backend.erasure_starter.started  # not again before the started deletion had time to finish
        backend.clock.advance(LATE_WRITE_GRACE.total_seconds())
        sweep(100)
        assert user in backend.erasure_starter.started

    def test_sweep_ignores_a_finished_erasure(
        self, backend: Backend, api: ApiClient, user: UserName, sweep: Callable[[int], int]
    ) -> None:
        confirm_erasure(api.http)
        run_erasure(backend, user)
        backend.erasure_starter.started.clear()

        backend.clock.advance(86_400)
        sweep(100)

        assert user not in backend.erasure_starter.started


def test_helpers_find_existing_data(backend: Backend, api: ApiClient, user: UserName) -> None:
    api.upload("a.csv", session_id=api.create_session())

    assert len(find_data(backend, *identifiers(backend, user))) > 5
    assert find_data(backend, random_id("s")) == []

"""Everything of a person goes: in pieces, broken off anywhere, counted to the last, with nothing left."""

import io
from collections.abc import Callable

import pytest
from moto.backends import get_backend
from starlette.testclient import TestClient

from local.emulator.aws.cloud import ACCOUNT
from satchel.domain.events import NewEvent
from satchel.domain.ids import TurnId
from satchel.domain.users import GRACE
from tests.integration.aws.makers import fresh
from tests.integration.aws.recorded import recorded
from tests.integration.http.desk import Desk
from tests.integration.http.erasing import (
    confirmed,
    everything,
    go_on,
    killed_after,
    left,
    time_for,
    turns_of,
    words_of,
)
from tests.integration.http.world import World

NOTHING = {"files": 0, "versions": 0, "sessions": 0, "turns": 0, "events": 0, "links": 0}


@pytest.fixture
def full(world: World, desk: Desk, user: str) -> dict[str, int]:
    """A person who has some of everything; how much of it."""
    sessions = [desk.session() for _ in range(3)]
    for number in range(4):
        desk.upload(f"{number}.csv", session_id=sessions[0])
    desk.upload("0.csv", b"newer", session_id=sessions[0])
    shared = desk.upload("library.csv")
    for _ in range(2):
        assert desk.http.post(f"/api/files/{shared['file_key']}/link").is_success
    for _ in range(2):
        turn_id = desk.turn(sessions[1])
        world.answer(user, sessions[1], turn_id)
        world.store.put(f"{user}/turns/{turn_id}/c/outcome.json", io.BytesIO(b"{}"), "application/json")
    events = sum(len(world.events.after(TurnId(turn_id), 0, 100)) for turn_id in turns_of(world, sessions[1]))
    begun = desk.http.post("/api/files/uploads", json={"name": "half.bin", "size": 10})
    assert begun.status_code == 201, begun.text
    return {"files": 5, "versions": 6, "sessions": 3, "turns": 2, "events": events, "links": 2}


class TestErasure:
    def test_leaves_nothing_and_says_what_went(
        self, world: World, desk: Desk, full: dict[str, int], user: str, stranger: TestClient
    ) -> None:
        theirs = Desk(stranger).upload("theirs.csv")
        words = words_of(world, user)
        assert confirmed(desk.http)["erased"] == NOTHING

        assert go_on(world, user)

        assert left(world, words) == []
        me = desk.get("/api/me")
        assert me["usage"] == {"bytes": 0, "count": 0}
        assert me["erasure"]["erased"] == full
        assert me["erasure"]["finished_at"] == world.clock.now().isoformat().replace("+00:00", "Z")
        assert stranger.get(f"/api/files/{theirs['file_key']}").status_code == 200

    @pytest.mark.parametrize("steps", [1, 2, 3, 7])
    def test_broken_off_and_begun_again_it_forgets_and_doubles_nothing(
        self, world: World, desk: Desk, full: dict[str, int], user: str, steps: int
    ) -> None:
        words = words_of(world, user)
        confirmed(desk.http)

        calls = 0
        while not go_on(world, user, time_for(steps)):
            calls += 1
            assert calls < 100

        assert calls > 0
        assert left(world, words) == []
        assert desk.get("/api/me")["erasure"]["erased"] == full

    def test_killed_at_any_request_and_begun_again_it_forgets_and_doubles_nothing(
        self, world: World, desk: Desk, full: dict[str, int], user: str
    ) -> None:
        words = words_of(world, user)
        confirmed(desk.http)

        for most in range(1, 200):
            with killed_after(world, most):
                try:
                    done = go_on(world, user)
                except KeyboardInterrupt:
                    continue
            assert done
            break

        assert left(world, words) == []
        assert desk.get("/api/me")["erasure"]["erased"] == full

    def test_asked_again_while_it_goes_on_it_goes_on(
        self, world: World, desk: Desk, full: dict[str, int], user: str
    ) -> None:
        first = confirmed(desk.http)
        go_on(world, user, time_for(2))
        world.clock.advance(60)

        again = confirmed(desk.http)

        assert again["started_at"] == first["started_at"]
        assert go_on(world, user)
        assert desk.get("/api/me")["erasure"]["erased"] == full

    def test_after_it_the_person_begins_anew(self, world: World, desk: Desk, full: dict[str, int], user: str) -> None:
        confirmed(desk.http)
        go_on(world, user)
        assert full
        desk.upload("new.csv", session_id=desk.session())
        words = words_of(world, user)

        assert confirmed(desk.http)["erased"] == NOTHING
        go_on(world, user)

        erased = desk.get("/api/me")["erasure"]["erased"]
        assert erased == NOTHING | {"files": 1, "versions": 1, "sessions": 1}
        assert left(world, words) == []

    def test_of_more_objects_than_one_request_names_leaves_none(self, world: World, desk: Desk, user: str) -> None:
        client = world.store.client
        behind = get_backend("s3")[ACCOUNT]["aws"]  # a request for each would take ten times as long
        for number in range(1100):
            behind.put_object(world.store.bucket, f"{user}/uploads/20260301/{number}/a", b"")
        confirmed(desk.http)

        with recorded(client) as requests:
            go_on(world, user)

        assert everything(world, f"{user}/") == []
        deleted = [len(params["Delete"]["Objects"]) for name, params in requests if name == "DeleteObjects"]
        assert (sum(deleted), max(deleted)) == (1100, 1000)

    def test_what_nobody_confirmed_does_nothing(self, world: World, full: dict[str, int], user: str) -> None:
        before = everything(world, user)
        assert full

        assert go_on(world, user)

        assert everything(world, user) == before


class TestRunningTurns:
    def test_are_stopped_and_looked_at_once_more_when_they_can_write_no_more(
        self, world: World, desk: Desk, user: str
    ) -> None:
        session_id = desk.session()
        turn_id = desk.turn(session_id)
        words = words_of(world, user)
        confirmed(desk.http)

        assert go_on(world, user)

        assert turn_id in dict(world.workflow.stopped)
        assert left(world, words) == []
        assert desk.get("/api/me")["erasure"]["finished_at"] is None
        world.events.append(TurnId(turn_id), NewEvent(type="tool_log", payload={"call_id": "c", "message": "late"}))
        world.store.put(f"{user}/turns/{turn_id}/c/outcome.json", io.BytesIO(b"{}"), "application/json")
        assert left(world, words) != []

        world.clock.advance(GRACE.total_seconds())
        assert go_on(world, user)

        assert left(world, words) == []
        assert desk.get("/api/me")["erasure"]["finished_at"] is not None


class TestSweep:
    @pytest.fixture
    def sweep(self, world: World) -> Callable[[int], int]:
        return world.use_cases.sweep.erasures

    def test_goes_on_with_what_was_broken_off(
        self, world: World, desk: Desk, user: str, sweep: Callable[[int], int]
    ) -> None:
        confirmed(desk.http)
        world.erasure_starter.started.clear()

        sweep(100)

        assert user in world.erasure_starter.started
        world.erasure_starter.started.clear()
        sweep(100)
        assert user not in world.erasure_starter.started  # not again before it had the time
        world.clock.advance(GRACE.total_seconds())
        sweep(100)
        assert user in world.erasure_starter.started

    def test_leaves_alone_what_is_finished(
        self, world: World, desk: Desk, user: str, sweep: Callable[[int], int]
    ) -> None:
        confirmed(desk.http)
        go_on(world, user)
        world.erasure_starter.started.clear()

        world.clock.advance(86_400)
        sweep(100)

        assert user not in world.erasure_starter.started


def test_ids_of_these_tests_are_found_where_they_are(world: World, desk: Desk, user: str) -> None:
    desk.upload("a.csv", session_id=desk.session())

    assert len(everything(world, *words_of(world, user))) > 5
    assert everything(world, fresh("s")) == []

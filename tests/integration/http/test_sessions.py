import pytest
from starlette.testclient import TestClient

from tests.integration.aws.makers import fresh
from tests.integration.http.desk import NO_TOKENS, Desk, problem, session_not_found
from tests.integration.http.world import World


def shown(world: World, session_id: str, **given: object) -> dict[str, object]:
    now = world.clock.now().isoformat().replace("+00:00", "Z")
    return {
        "session_id": session_id,
        "title": None,
        "model": None,
        "status": "active",
        "created_at": now,
        "last_used_at": now,
        "running_turn": None,
        "usage": NO_TOKENS,
        **given,
    }


class TestStart:
    @pytest.mark.parametrize("body", [None, {}, {"title": None}])
    def test_needs_nothing(self, world: World, http: TestClient, body: object) -> None:
        answer = http.post("/api/sessions") if body is None else http.post("/api/sessions", json=body)

        assert answer.status_code == 201
        assert answer.json() == shown(world, answer.json()["session_id"])

    def test_takes_a_title(self, world: World, http: TestClient) -> None:
        answer = http.post("/api/sessions", json={"title": "Zahlen “2026” \U0001f4c8\x00"})

        assert answer.json() == shown(world, answer.json()["session_id"], title="Zahlen “2026” \U0001f4c8\x00")

    def test_refuses_a_title_that_is_too_long(self, http: TestClient) -> None:
        answer = http.post("/api/sessions", json={"title": "x" * 201})

        assert answer.status_code == 422
        assert answer.json() == problem(
            422,
            "Invalid request",
            "E_INVALID_REQUEST",
            "body.title: String should have at most 200 characters",
            errors=[{"field": "body.title", "message": "String should have at most 200 characters"}],
        )

    def test_takes_a_model_that_the_person_may_choose_and_no_other(self, world: World, user: str) -> None:
        admin, other = world.person(user, "admins"), world.person(f"other-{user}")
        wanted = {"model": "careful", "instructions": "Be brief."}

        answer = admin.post("/api/sessions", json=wanted)

        assert answer.json() == shown(world, answer.json()["session_id"], model="careful")
        read = admin.get(f"/api/sessions/{answer.json()['session_id']}").json()
        assert (read["model"], read["instructions"]) == ("careful", "Be brief.")
        for model in ("careful", "nonesuch"):
            refused = other.post("/api/sessions", json={"model": model})
            said = f"There is no such model: {model}. There are: quick."
            assert refused.json() == problem(
                422, "Invalid request", "E_UNKNOWN_MODEL", said, model=model, models=["quick"]
            )


class TestChange:
    def test_changes_what_is_said_and_nothing_else(self, world: World, user: str) -> None:
        http = world.person(user, "admins")
        session_id = Desk(http).session(title="Numbers", instructions="Be brief.")

        answer = http.patch(f"/api/sessions/{session_id}", json={"model": "careful"})
        assert (answer.status_code, answer.json()) == (
            200,
            shown(world, session_id, title="Numbers", model="careful"),
        )
        http.patch(f"/api/sessions/{session_id}", json={"model": None, "instructions": None})

        read = Desk(http).get(f"/api/sessions/{session_id}")
        assert (read["title"], read["model"], read["instructions"]) == ("Numbers", None, None)

    def test_is_felt_by_the_next_turn(self, world: World, user: str) -> None:
        desk = Desk(world.person(user, "admins"))
        session_id = desk.session()
        first = desk.turn(session_id)
        world.answer(user, session_id, first)
        desk.http.patch(f"/api/sessions/{session_id}", json={"model": "careful"})
        second = desk.turn(session_id)

        models = [desk.get(f"/api/sessions/{session_id}/turns/{turn}")["model"] for turn in (first, second)]
        assert models == ["quick", "careful"]

    def test_refuses_what_is_no_model_of_theirs_no_session_of_theirs_or_over(
        self, http: TestClient, desk: Desk
    ) -> None:
        session_id = desk.session()
        refused = http.patch(f"/api/sessions/{session_id}", json={"model": "careful"})
        assert (refused.status_code, refused.json()["error_code"]) == (422, "E_UNKNOWN_MODEL")

        somebody_elses = fresh("s")
        assert http.patch(f"/api/sessions/{somebody_elses}", json={}).json() == session_not_found(somebody_elses)

        http.delete(f"/api/sessions/{session_id}")
        assert http.patch(f"/api/sessions/{session_id}", json={"title": "x"}).json()["error_code"] == "E_SESSION_ENDED"

    def test_a_turn_is_refused_whose_model_the_person_has_lost(self, world: World, user: str) -> None:
        session_id = Desk(world.person(user, "admins")).session(model="careful")
        refused = world.person(user).post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})
        assert (refused.status_code, refused.json()["error_code"]) == (422, "E_UNKNOWN_MODEL")


class TestList:
    def test_is_newest_first_in_pages(self, world: World, http: TestClient, desk: Desk) -> None:
        made = []
        for _ in range(3):
            made.append(desk.session())
            world.clock.advance(1)

        first = desk.get("/api/sessions?limit=2")
        second = desk.get(f"/api/sessions?limit=2&cursor={first['cursor']}")

        assert [session["session_id"] for session in first["sessions"] + second["sessions"]] == made[::-1]
        assert second["cursor"] is None
        assert http.get("/api/sessions").json()["cursor"] is None

    def test_is_empty_for_a_new_person(self, http: TestClient) -> None:
        assert http.get("/api/sessions").json() == {"sessions": [], "cursor": None}

    @pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.5", ""])
    def test_refuses_a_limit_out_of_bounds(self, http: TestClient, limit: str) -> None:
        answer = http.get("/api/sessions", params={"limit": limit})

        assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")

    @pytest.mark.parametrize("cursor", ["", "x", "VFVSTiM=", "ÄÖ", "\x00", "a" * 2000])
    def test_refuses_a_cursor_that_it_did_not_give(self, http: TestClient, cursor: str) -> None:
        answer = http.get("/api/sessions", params={"cursor": cursor})

        assert answer.status_code == 422
        assert answer.json() == problem(
            422,
            "Invalid request",
            "E_INVALID_REQUEST",
            "The cursor is not one that this list gave.",
            cursor=cursor[:100],
        )

    def test_goes_on_in_ones_own_list_with_the_cursor_of_another(
        self, http: TestClient, desk: Desk, stranger: TestClient
    ) -> None:
        mine = [desk.session(), desk.session()]
        theirs = Desk(stranger)
        theirs.session()
        theirs.session()
        cursor = theirs.get("/api/sessions?limit=1")["cursor"]

        seen = http.get("/api/sessions", params={"cursor": cursor}).json()["sessions"]

        assert {session["session_id"] for session in seen} <= set(mine)


class TestRead:
    def test_shows_the_session_with_its_turns_oldest_first(self, world: World, user: str, desk: Desk) -> None:
        session_id = desk.session(title="Numbers")
        turns = []
        for message in ("first", "second"):
            turns.append(desk.turn(session_id, message))
            world.answer(user, session_id, turns[-1], f"answer to {message}")
            world.clock.advance(1)
        now = world.clock.now().isoformat()
        third = desk.turn(session_id, "third")

        read = desk.get(f"/api/sessions/{session_id}")

        assert [turn["turn_id"] for turn in read["turns"]] == [*turns, third]
        assert read["turns"][0] == {
            "turn_id": turns[0],
            "status": "complete",
            "model": "quick",
            "message": "first",
            "answer": "answer to first",
            "usage": NO_TOKENS,
            "error": None,
            "created_at": read["turns"][0]["created_at"],
            "ended_at": read["turns"][0]["created_at"],
        }
        assert (read["title"], read["running_turn"], read["cursor"]) == ("Numbers", third, None)
        assert read["last_used_at"] == now.replace("+00:00", "Z")

    def test_pages_through_the_turns(self, world: World, user: str, desk: Desk) -> None:
        session_id = desk.session()
        turns = []
        for _ in range(3):
            turns.append(desk.turn(session_id))
            world.answer(user, session_id, turns[-1])
            world.clock.advance(1)

        first = desk.get(f"/api/sessions/{session_id}?limit=2")
        second = desk.get(f"/api/sessions/{session_id}?limit=2&cursor={first['cursor']}")

        assert [turn["turn_id"] for turn in first["turns"] + second["turns"]] == turns

    @pytest.mark.parametrize("verb", ["GET", "DELETE"])
    def test_tells_somebody_elses_session_from_none_by_nothing(
        self, desk: Desk, stranger: TestClient, verb: str
    ) -> None:
        theirs, none = desk.session(), fresh("s")

        for session_id in (theirs, none):
            answer = stranger.request(verb, f"/api/sessions/{session_id}")
            assert (answer.status_code, answer.json()) == (404, session_not_found(session_id))

    @pytest.mark.parametrize("wrong", ["x", "t01kabcdefghjkmnpqrstvwxyz0", "S01KABCDEFGHJKMNPQRSTVWXYZ0", "s" * 300])
    def test_finds_no_session_by_what_is_no_id(self, http: TestClient, wrong: str) -> None:
        answer = http.get(f"/api/sessions/{wrong}")

        assert (answer.status_code, answer.json()) == (404, session_not_found(wrong[:100]))


class TestEnd:
    def test_is_safe_to_repeat_and_leaves_the_session_to_read(self, http: TestClient, desk: Desk) -> None:
        session_id = desk.session()

        for _ in range(2):
            answer = http.delete(f"/api/sessions/{session_id}")
            assert (answer.status_code, answer.content) == (204, b"")

        assert desk.get(f"/api/sessions/{session_id}")["status"] == "ended"

    def test_takes_no_further_turns(self, http: TestClient, desk: Desk) -> None:
        session_id = desk.session()
        http.delete(f"/api/sessions/{session_id}")

        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})

        assert answer.status_code == 409
        assert answer.json() == problem(
            409, "Conflict", "E_SESSION_ENDED", "This session has ended.", session_id=session_id
        )

    def test_cancels_the_turn_that_runs(self, world: World, http: TestClient, desk: Desk) -> None:
        session_id = desk.session()
        turn_id = desk.turn(session_id)

        assert http.delete(f"/api/sessions/{session_id}").status_code == 204

        assert desk.get(f"/api/sessions/{session_id}/turns/{turn_id}")["status"] == "cancelled"
        assert (turn_id, "cancelled by the user") in world.workflow.stopped

    def test_kills_the_links_of_its_files_but_keeps_the_files(self, http: TestClient, desk: Desk) -> None:
        session_id = desk.session()
        uploaded = desk.upload("a.csv", session_id=session_id)
        assert http.get(uploaded["download_url"]).status_code == 200

        http.delete(f"/api/sessions/{session_id}")

        assert http.get(uploaded["download_url"]).status_code == 404
        again = desk.get(f"/api/files/{uploaded['file_key']}")
        assert http.get(again["download_url"]).status_code == 200

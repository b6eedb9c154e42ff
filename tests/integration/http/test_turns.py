import pytest
from starlette.testclient import TestClient

from satchel.domain.ids import SessionId, TurnId
from tests.integration.aws.makers import fresh
from tests.integration.http.desk import NO_TOKENS, Desk, file_not_found, problem, session_not_found, turn_not_found
from tests.integration.http.world import MAX_MESSAGE, World


@pytest.fixture
def session_id(desk: Desk) -> str:
    return desk.session()


def final(session_id: str, turn_id: str, **given: object) -> dict[str, object]:
    return {
        "turn_id": turn_id,
        "session_id": session_id,
        "status": "running",
        "message": "",
        "model": "quick",
        "usage": NO_TOKENS,
        "artifacts": [],
        "deferred_artifacts": [],
        "display": {
            "open_canvas": False,
            "primary_file": None,
            "mode": None,
            "viewer_hint": None,
            "storage_action": "store",
            "category_hint": None,
            "notification": None,
        },
        "canvas": None,
        "tool_calls": [],
        "error": None,
        **given,
    }


class TestTake:
    def test_accepts_and_says_where_to_look(self, world: World, http: TestClient, user: str, session_id: str) -> None:
        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})

        assert answer.status_code == 202
        turn_id = answer.json()["turn_id"]
        url = f"/api/sessions/{session_id}/turns/{turn_id}"
        assert answer.json() == {
            "turn_id": turn_id,
            "session_id": session_id,
            "status": "running",
            "turn_url": url,
            "events_url": f"{url}/events",
        }
        assert (user, session_id, turn_id) in world.workflow.started
        assert "preference-applied" not in answer.headers

    def test_may_be_limited_to_tools_and_told_of_files(self, world: World, desk: Desk, session_id: str) -> None:
        key = desk.upload("a.csv", session_id=session_id)["file_key"]

        turn_id = desk.turn(session_id, tools=["report", "report.summarise"], files=["a.csv", key])

        turn = world.turns.get(SessionId(session_id), TurnId(turn_id))
        assert turn is not None
        assert (turn.tools, turn.files) == (["report", "report.summarise"], [key, key])

    def test_is_refused_while_another_runs(self, http: TestClient, desk: Desk, session_id: str) -> None:
        turn_id = desk.turn(session_id)

        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "again"})

        assert answer.status_code == 409
        assert answer.json() == problem(
            409, "Conflict", "E_TURN_RUNNING", "A turn is still running in this session.", turn_id=turn_id
        )

    def test_is_refused_in_a_session_of_nobody_or_somebody_else(self, desk: Desk, stranger: TestClient) -> None:
        for session_id in (desk.session(), fresh("s")):
            answer = stranger.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"})
            assert (answer.status_code, answer.json()) == (404, session_not_found(session_id))

    @pytest.mark.parametrize("tool", ["report.other", "vault", "vault.open", "", "nothing", "report."])
    def test_is_refused_for_tools_that_the_person_does_not_have(
        self, http: TestClient, session_id: str, tool: str
    ) -> None:
        body = {"message": "hello", "tools": ["report", tool]}

        answer = http.post(f"/api/sessions/{session_id}/turns", json=body)

        assert answer.status_code == 422
        assert answer.json() == problem(
            422, "Invalid request", "E_UNKNOWN_TOOL", f"There is no such tool or server: {tool}", unknown=[tool]
        )

    @pytest.mark.parametrize("name", ["missing.csv", "../../x", "..\\x", "", "\x00", "f01kabcdefghjkmnpqrstvwxyz0"])
    def test_is_refused_for_files_that_are_not_there(self, http: TestClient, session_id: str, name: str) -> None:
        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello", "files": [name]})

        assert (answer.status_code, answer.json()) == (404, file_not_found(name))

    def test_is_refused_for_somebody_elses_file_as_for_none(
        self, http: TestClient, session_id: str, stranger: TestClient
    ) -> None:
        theirs = Desk(stranger).upload("theirs.csv")

        for wanted in (theirs["file_key"], "theirs.csv"):
            answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello", "files": [wanted]})
            assert (answer.status_code, answer.json()) == (404, file_not_found(wanted))

    def test_is_refused_for_a_message_of_a_megabyte(self, http: TestClient, session_id: str) -> None:
        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "x" * 1_000_000})

        assert answer.status_code == 413
        assert answer.json() == problem(
            413,
            "Too large",
            "E_TOO_LARGE",
            "The message has 1000000 bytes; 100000 are allowed. Send long text as a file.",
            limit_bytes=MAX_MESSAGE,
        )

    @pytest.mark.parametrize("text", ["x", "ä", "\U0001f4c8", '"', "\\", "\n"])
    def test_takes_the_longest_message_whatever_it_is_made_of(
        self, world: World, user: str, desk: Desk, session_id: str, text: str
    ) -> None:
        message = text * (MAX_MESSAGE // len(text.encode()))

        turn_id = desk.turn(session_id, message)
        world.answer(user, session_id, turn_id)

        assert desk.get(f"/api/sessions/{session_id}")["turns"][0]["message"] == message

    def test_counts_control_characters_by_the_room_that_they_take(self, http: TestClient, session_id: str) -> None:
        """An item of the table has 400 KB, and JSON writes each of these in six bytes."""
        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "\x00" * MAX_MESSAGE})

        assert (answer.status_code, answer.json()["error_code"]) == (413, "E_TOO_LARGE")

    @pytest.mark.parametrize("field", ["tools", "files"])
    def test_is_refused_for_more_names_than_anybody_needs(
        self, http: TestClient, desk: Desk, session_id: str, field: str
    ) -> None:
        named = {"tools": "report", "files": desk.upload("a.csv")["file_key"]}[field]

        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello", field: [named] * 20_000})

        assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")


class TestPreferWait:
    def test_answers_with_the_final_response_of_a_turn_that_ends_in_time(
        self, world: World, http: TestClient, session_id: str
    ) -> None:
        world.workflow.on_start = world.answer

        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": "wait=5"})

        assert answer.status_code == 200
        assert answer.json() == final(session_id, answer.json()["turn_id"], status="complete", message="done")
        assert answer.headers["preference-applied"] == "wait=5"
        assert answer.headers["content-type"] == "application/json"

    def test_accepts_when_the_turn_takes_longer(self, http: TestClient, session_id: str) -> None:
        answer = http.post(
            f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": "respond-async, wait=1"}
        )

        assert (answer.status_code, answer.json()["status"]) == (202, "running")
        assert answer.headers["preference-applied"] == "wait=1"

    def test_ends_when_the_server_closes(self, world: World, http: TestClient, session_id: str) -> None:
        world.closing = True

        answer = http.post(
            f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": "wait=25"}
        )

        assert answer.status_code == 202

    @pytest.mark.parametrize("prefer", ["", "wait", "wait=x", "wait=-1", "wait=0", "return=minimal"])
    def test_is_not_asked_for_by_other_words(self, http: TestClient, session_id: str, prefer: str) -> None:
        answer = http.post(f"/api/sessions/{session_id}/turns", json={"message": "hello"}, headers={"Prefer": prefer})

        assert answer.status_code == 202
        assert "preference-applied" not in answer.headers


class TestIdempotencyKey:
    def send(
        self, http: TestClient, session_id: str, key: str, message: str = "hello"
    ) -> tuple[int, dict[str, object]]:
        answer = http.post(
            f"/api/sessions/{session_id}/turns", json={"message": message}, headers={"Idempotency-Key": key}
        )
        return answer.status_code, answer.json()

    def test_again_is_the_same_turn_started_once(self, world: World, http: TestClient, session_id: str) -> None:
        first, second = (self.send(http, session_id, "once") for _ in range(2))

        assert first == second
        assert [start for start in world.workflow.started if start[1] == session_id] == [
            (http.headers["X-Satchel-User"], session_id, first[1]["turn_id"]),
        ]

    def test_again_after_the_end_is_the_final_response(
        self, world: World, http: TestClient, user: str, session_id: str
    ) -> None:
        _, accepted = self.send(http, session_id, "once")
        turn_id = str(accepted["turn_id"])
        world.answer(user, session_id, turn_id)

        assert self.send(http, session_id, "once") == (
            200,
            final(session_id, turn_id, status="complete", message="done"),
        )

    def test_with_another_message_is_a_conflict(self, http: TestClient, session_id: str) -> None:
        _, accepted = self.send(http, session_id, "once")

        assert self.send(http, session_id, "once", "another") == (
            409,
            problem(
                409,
                "Conflict",
                "E_IDEMPOTENCY_KEY_REUSED",
                "This Idempotency-Key was used for another message.",
                turn_id=accepted["turn_id"],
            ),
        )

    def test_has_a_limit(self, http: TestClient, session_id: str) -> None:
        assert self.send(http, session_id, "k" * 201)[0] == 422


class TestRead:
    def test_shows_what_there_is_so_far_and_then_the_end(
        self, world: World, user: str, desk: Desk, session_id: str
    ) -> None:
        turn_id = desk.turn(session_id)
        url = f"/api/sessions/{session_id}/turns/{turn_id}"

        assert desk.get(url) == final(session_id, turn_id)
        world.answer(user, session_id, turn_id, "grün")
        assert desk.get(url) == final(session_id, turn_id, status="complete", message="grün")

    def test_settles_a_turn_whose_execution_is_gone(self, world: World, desk: Desk, session_id: str) -> None:
        turn_id = desk.turn(session_id)
        world.workflow.ended(turn_id)
        world.clock.advance(16)

        read = desk.get(f"/api/sessions/{session_id}/turns/{turn_id}")

        assert (read["status"], read["error"]["error_code"]) == ("failed", "E_TURN_FAILED")
        desk.turn(session_id)

    @pytest.mark.parametrize(("verb", "tail"), [("GET", ""), ("DELETE", ""), ("GET", "/events")])
    def test_finds_only_turns_of_the_persons_own_session(
        self, http: TestClient, desk: Desk, stranger: TestClient, session_id: str, verb: str, tail: str
    ) -> None:
        turn_id, other, none = desk.turn(session_id), desk.session(), fresh("t")

        def ask(client: TestClient, session: str, turn: str) -> tuple[int, object]:
            answer = client.request(verb, f"/api/sessions/{session}/turns/{turn}{tail}")
            return answer.status_code, answer.json()

        assert ask(stranger, session_id, turn_id) == (404, session_not_found(session_id))
        assert ask(http, other, turn_id) == (404, turn_not_found(turn_id))
        assert ask(http, session_id, none) == (404, turn_not_found(none))
        assert ask(http, session_id, "x") == (404, turn_not_found("x"))


class TestCancel:
    def test_ends_the_turn_and_stops_its_execution(
        self, world: World, http: TestClient, desk: Desk, session_id: str
    ) -> None:
        turn_id = desk.turn(session_id)

        answer = http.delete(f"/api/sessions/{session_id}/turns/{turn_id}")

        assert answer.status_code == 200
        assert answer.json() == final(
            session_id,
            turn_id,
            status="cancelled",
            error={"error_code": "E_CANCELLED", "message": "The turn was cancelled."},
        )
        assert turn_id not in world.workflow.running
        desk.turn(session_id)

    def test_leaves_a_turn_that_has_ended_as_it_is(
        self, world: World, http: TestClient, user: str, desk: Desk, session_id: str
    ) -> None:
        turn_id = desk.turn(session_id)
        world.answer(user, session_id, turn_id)

        answer = http.delete(f"/api/sessions/{session_id}/turns/{turn_id}")

        assert (answer.status_code, answer.json()["status"]) == (200, "complete")

import json
import logging
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.table import Query
from satchel.contract import Canvas
from satchel.domain.calls import CallResult
from satchel.domain.canvas import MAX_DETAILS_BYTES, CanvasAction, admitted
from satchel.domain.ids import CanvasId, SessionId, TurnId, UserName
from tests.integration.aws.makers import a_call, fresh, someone
from tests.integration.http.desk import Desk, problem
from tests.integration.http.world import World

URL = "/api/canvas/monitor-42/actions"
PRESSED = {"action": "acknowledge", "details": {"alert": 17}}
ASKING = Canvas(id="monitor-42", url="https://dash.example/view", title="Live", token="<capability-token>")


def not_found(canvas_id: str) -> dict[str, object]:
    return problem(404, "Not found", "E_CANVAS_NOT_FOUND", "There is no such dashboard.", canvas_id=canvas_id)


def logged(world: World, session_id: str) -> list[CanvasAction]:
    items, _ = world.table.query(Query(f"SESSION#{session_id}", "ACTION#"))
    return [CanvasAction.model_validate_json(str(item["doc"])) for item in items]


@pytest.fixture
def session_id(world: World, user: str, desk: Desk) -> str:
    """A session in which a dashboard was opened."""
    session_id = SessionId(desk.session())
    world.dashboard(user, session_id)
    return session_id


class TestActions:
    def test_are_answered_and_kept_with_who_is_signed_in(
        self, world: World, http: TestClient, user: str, session_id: str
    ) -> None:
        dashboard = world.dashboards.get(UserName(user), CanvasId("monitor-42"), session_id)
        assert dashboard is not None

        answer = http.post(URL, json=PRESSED)

        assert answer.status_code == 201
        assert answer.json() == {
            "action_id": answer.json()["action_id"],
            "canvas_id": "monitor-42",
            "session_id": session_id,
            "call_id": dashboard.call_id,
            "user": user,
            "action": "acknowledge",
            "details": {"alert": 17},
            "at": world.clock.now().isoformat().replace("+00:00", "Z"),
        }
        assert logged(world, session_id) == [CanvasAction.model_validate(answer.json())]

    def test_are_in_the_log_by_their_person(
        self, http: TestClient, user: str, session_id: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.INFO)

        http.post(URL, json=PRESSED)

        (line,) = [vars(record) for record in caplog.records if record.message == "canvas action"]
        assert (line["user"], line["canvas_id"], line["action"], line["session_id"]) == (
            user,
            "monitor-42",
            "acknowledge",
            session_id,
        )

    def test_are_nobody_elses_whatever_the_request_says(
        self, world: World, http: TestClient, user: str, session_id: str
    ) -> None:
        answer = http.post(URL, json={**PRESSED, "user": "mallory@example.com", "call_id": "x", "action_id": "y"})

        assert answer.json()["user"] == user
        assert [action.user for action in logged(world, session_id)] == [user]

    def test_need_no_details(self, http: TestClient, session_id: str) -> None:
        del session_id

        assert http.post(URL, json={"action": "refresh"}).json()["details"] == {}

    @pytest.mark.parametrize("canvas_id", ["größe \U0001f4c8", "a#b?c=d", "...", "a+b;c"])
    def test_reach_a_dashboard_of_any_id(
        self, world: World, http: TestClient, user: str, desk: Desk, canvas_id: str
    ) -> None:
        world.dashboard(user, desk.session(), canvas_id)

        answer = http.post(f"/api/canvas/{quote(canvas_id, safe='')}/actions", json=PRESSED)

        assert (answer.status_code, answer.json()["canvas_id"]) == (201, canvas_id)

    def test_are_of_the_session_that_is_named(self, world: World, http: TestClient, user: str, desk: Desk) -> None:
        first, second = desk.session(), desk.session()
        for session_id in (first, second):
            world.dashboard(user, session_id)

        assert http.post(URL, json={**PRESSED, "session_id": first}).json()["session_id"] == first


class TestRefusals:
    def test_of_somebody_elses_dashboard_are_those_of_one_that_is_not_there(
        self, world: World, stranger: TestClient, session_id: str
    ) -> None:
        for body in (PRESSED, {**PRESSED, "session_id": session_id}):
            answer = stranger.post(URL, json=body)
            assert (answer.status_code, answer.json()) == (404, not_found("monitor-42"))
        assert logged(world, session_id) == []

    @pytest.mark.parametrize("canvas_id", ["monitor-43", "x" * 129, "%00", "%5c", "%0a"])
    def test_of_a_dashboard_that_is_not_there_name_it(self, http: TestClient, canvas_id: str) -> None:
        answer = http.post(f"/api/canvas/{canvas_id}/actions", json=PRESSED)

        assert (answer.status_code, answer.json()["error_code"]) == (404, "E_CANVAS_NOT_FOUND")

    def test_of_a_session_that_is_none_say_so(self, http: TestClient, session_id: str) -> None:
        del session_id

        for wrong in ("nothing", "../x"):
            answer = http.post(URL, json={**PRESSED, "session_id": wrong})
            assert (answer.status_code, answer.json()["error_code"]) == (404, "E_SESSION_NOT_FOUND")
        assert http.post(URL, json={**PRESSED, "session_id": fresh("s")}).json() == not_found("monitor-42")

    def test_of_an_ended_session_are_a_conflict(self, world: World, http: TestClient, session_id: str) -> None:
        http.delete(f"/api/sessions/{session_id}")

        answer = http.post(URL, json=PRESSED)

        assert (answer.status_code, answer.json()) == (
            409,
            problem(409, "Conflict", "E_SESSION_ENDED", "This session has ended.", session_id=session_id),
        )
        assert logged(world, session_id) == []

    def test_of_long_details_say_what_is_allowed(self, world: World, http: TestClient, session_id: str) -> None:
        longest = {"text": "x" * (MAX_DETAILS_BYTES - len(json.dumps({"text": ""})))}
        assert http.post(URL, json={"action": "a", "details": longest}).status_code == 201

        answer = http.post(URL, json={"action": "a", "details": {"text": longest["text"] + "x"}})

        said = f"The details may have {MAX_DETAILS_BYTES} bytes."
        expected = problem(413, "Too large", "E_TOO_LARGE", said, limit_bytes=MAX_DETAILS_BYTES)
        assert (answer.status_code, answer.json()) == (413, expected)
        assert len(logged(world, session_id)) == 1

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"action": ""},
            {"action": None},
            {"action": 5},
            {"action": "x" * 201},
            {"action": "a", "details": []},
            {"action": "a", "details": "text"},
            {"action": "a", "details": None},
            {"action": "a", "session_id": 5},
        ],
    )
    def test_of_another_form_come_before_anything_is_kept(
        self, world: World, http: TestClient, session_id: str, body: object
    ) -> None:
        answer = http.post(URL, json=body)

        assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")
        assert logged(world, session_id) == []

    def test_of_a_person_without_a_name_come_first(self, world: World) -> None:
        assert world.person("../x").post(URL, json=PRESSED).status_code == 403


class TestTokens:
    @pytest.fixture
    def turn_url(self, world: World, desk: Desk, session_id: str) -> str:
        """A turn in which a tool opened a dashboard that wants a token."""
        turn_id = TurnId(desk.turn(session_id))
        turn = world.turns.get(session_id, turn_id)
        assert turn is not None
        call = a_call(turn)
        world.calls.add([call])
        world.calls.settle(turn_id, call.call_id, CallResult(is_error=False, canvas=admitted(ASKING)))
        return f"/api/sessions/{session_id}/turns/{turn_id}"

    def test_come_with_the_turn_and_are_never_the_tools_own(self, desk: Desk, turn_url: str) -> None:
        canvas = desk.get(turn_url)["canvas"]

        assert canvas == {
            "open": True,
            "id": "monitor-42",
            "persistence": "session",
            "type": "iframe",
            "url": "https://dash.example/view",
            "title": "Live",
            "mode": None,
            "wants_token": True,
            "token": canvas["token"],
        }
        assert canvas["token"].count(".") == 2

    def test_fetch_no_file(self, desk: Desk, http: TestClient, turn_url: str) -> None:
        file_key = desk.upload("a.csv")["file_key"]
        token = desk.get(turn_url)["canvas"]["token"]

        answer = http.get(f"/api/files/download/{file_key}?token={token}")

        assert (answer.status_code, answer.json()["error_code"]) == (404, "E_FILE_NOT_FOUND")

    def test_do_not_sign_anybody_in(self, world: World, desk: Desk, turn_url: str) -> None:
        token = desk.get(turn_url)["canvas"]["token"]

        answer = world.person(someone()).post(f"{URL}?token={token}", json=PRESSED)

        assert answer.json() == not_found("monitor-42")

    def test_are_not_in_events(self, world: World, user: str, desk: Desk, http: TestClient, turn_url: str) -> None:
        _, _, _, session_id, _, turn_id = turn_url.split("/")
        token = desk.get(turn_url)["canvas"]["token"]
        world.answer(user, session_id, turn_id)

        events = http.get(f"{turn_url}/events")

        assert events.json()["events"][-1]["response"]["canvas"]["wants_token"] is True
        assert token not in events.text
        assert '"token"' not in events.text

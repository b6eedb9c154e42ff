"""Requests that arrive at the same moment: exactly one of opposite requests takes effect, and counts stay exact."""

from collections import Counter
from collections.abc import Callable

from starlette.testclient import TestClient

from satchel.domain.events import FINAL_EVENTS
from satchel.domain.ids import SessionId, TurnId, UserName
from tests.integration.aws.factories import run_concurrently
from tests.integration.http.api_client import ApiClient, Json, b64
from tests.integration.http.backend import Backend

Response = tuple[int, Json]


def send_at_once(*requests: Callable[[], Response]) -> list[Response]:
    """Send all requests at the same moment. Return the responses in order."""
    responses = run_concurrently(requests)
    assert [response for response in responses if isinstance(response, Exception)] == []
    return [response for response in responses if not isinstance(response, Exception)]


def request(http: TestClient, method: str, path: str, **kwargs: object) -> Callable[[], Response]:
    def send() -> Response:
        response = http.request(method, path, **kwargs)  # type: ignore[arg-type]
        return response.status_code, response.json() if response.text.startswith("{") else {}

    return send


def test_one_of_ten_opposite_decisions_stands(backend: Backend, api: ApiClient, user: UserName) -> None:
    session_id = api.create_session()
    turn_id = api.start_turn(session_id)
    url = backend.request_approval(user, session_id, turn_id)

    digest = api.get_json(url)["digest"]

    decisions = [{"approved": True, "digest": digest}, {"approved": False}] * 5
    responses = send_at_once(*(request(api.http, "POST", url, json=decision) for decision in decisions))

    assert Counter(status for status, _ in responses) == {200: 5, 409: 5}
    accepted = {number % 2 == 0 for number, (status, _) in enumerate(responses) if status == 200}
    (event,) = (event for event in backend.events.list_after(TurnId(turn_id), 0, 100) if "approved" in event.payload)
    assert {event.payload["approved"]} == accepted


def test_one_of_ten_turns_of_a_session_starts(backend: Backend, api: ApiClient) -> None:
    session_id = api.create_session()

    turn = request(api.http, "POST", f"/api/sessions/{session_id}/turns", json={"message": "hello"})
    responses = send_at_once(*[turn] * 10)

    assert Counter(status for status, _ in responses) == {202: 1, 409: 9}
    assert len(api.get_json(f"/api/sessions/{session_id}")["turns"]) == 1
    assert len([started for _, started, _ in backend.workflow.started if started == session_id]) == 1


def test_ten_requests_with_one_idempotency_key_start_one_turn(backend: Backend, api: ApiClient) -> None:
    session_id = api.create_session()

    turn = request(
        api.http,
        "POST",
        f"/api/sessions/{session_id}/turns",
        json={"message": "hello"},
        headers={"Idempotency-Key": "k"},
    )
    responses = send_at_once(*[turn] * 10)

    assert {status for status, _ in responses} == {202}
    assert len({body["turn_id"] for _, body in responses}) == 1
    assert len([started for _, started, _ in backend.workflow.started if started == session_id]) == 1


def test_turn_that_is_cancelled_while_it_finishes_ends_once(backend: Backend, api: ApiClient, user: UserName) -> None:
    for _ in range(6):
        session_id = api.create_session()
        turn_id = api.start_turn(session_id)
        url = f"/api/sessions/{session_id}/turns/{turn_id}"

        def finish(session_id: str = session_id, turn_id: str = turn_id) -> Response:
            backend.complete_turn(user, session_id, turn_id)
            return 0, {}

        send_at_once(finish, request(api.http, "DELETE", url))

        events = backend.events.list_after(TurnId(turn_id), 0, 100)
        final = [event.type for event in events if event.type in FINAL_EVENTS]
        turn = backend.turns.get(SessionId(session_id), TurnId(turn_id))
        assert turn is not None
        assert final == [{"complete": "response_complete", "cancelled": "turn_failed"}[turn.status]]
        assert api.start_turn(session_id)  # the session is not locked


def test_requests_for_one_file_at_once_leave_an_exact_count(api: ApiClient) -> None:
    for _ in range(5):
        file = api.upload("a.csv")
        url = f"/api/files/{file['file_key']}"
        upload = request(api.http, "POST", "/api/files/content", json={"name": "a.csv", "b64": b64(b"a,b\n1,2\n")})

        responses = send_at_once(
            request(api.http, "DELETE", url),
            upload,
            request(api.http, "GET", file["download_url"]),
            request(api.http, "POST", f"{url}/link"),
        )

        assert {status for status, _ in responses} <= {200, 201, 204, 404, 409}
        listed = api.get_json("/api/files")["files"]
        assert [item["name"] for item in listed if api.http.get(item["download_url"]).status_code != 200] == []
        versions = [
            version
            for item in listed
            for version in api.get_json(f"/api/files/{item['file_key']}/versions")["versions"]
        ]
        usage = api.get_json("/api/me")["usage"]
        assert (usage["count"], usage["bytes"]) == (len(listed), sum(version["size"] for version in versions))


def test_session_that_ends_beside_other_requests_leaves_no_turn_and_exact_counts(
    backend: Backend, api: ApiClient
) -> None:
    for has_turn in (True, False, True, False):
        session_id = api.create_session()
        url = f"/api/sessions/{session_id}"
        turn_id = api.start_turn(session_id) if has_turn else "t01kabcdefghjkmnpqrstvwxyz0"
        upload = {"name": "a.csv", "b64": b64(b"a,b\n1,2\n"), "session_id": session_id}

        (ended, _), (started, turn), (stored, file), (cancelled, _) = send_at_once(
            request(api.http, "DELETE", url),
            request(api.http, "POST", f"{url}/turns", json={"message": "hello"}),
            request(api.http, "POST", "/api/files/content", json=upload),
            request(api.http, "DELETE", f"{url}/turns/{turn_id}"),
        )

        assert (ended, cancelled in ({200, 204} if has_turn else {404})) == (204, True)
        assert (started in {202, 409}, stored in {201, 409}) == (True, True)
        session = api.get_json(url)
        assert (session["status"], session["running_turn"]) == ("ended", None)
        assert {item["turn_id"] for item in session["turns"]} == {
            *([turn_id] if has_turn else []),
            *([turn["turn_id"]] if started == 202 else []),
        }
        for each in session["turns"]:
            events = backend.events.list_after(TurnId(each["turn_id"]), 0, 100)
            final = [event.type for event in events if event.type in FINAL_EVENTS]
            assert (each["status"], final) == ("cancelled", ["turn_failed"])
        listed = api.get_json(f"/api/files?session_id={session_id}")["files"]
        assert [item["file_key"] for item in listed] == ([file["file_key"]] if stored == 201 else [])
        assert api.http.post(f"{url}/turns", json={"message": "late"}).json()["error_code"] == "E_SESSION_ENDED"
        assert api.http.post("/api/files/content", json=upload).json()["error_code"] == "E_SESSION_ENDED"
    assert api.get_json("/api/me")["quotas"]["open_sessions"]["used"] == 0
    usage = api.get_json("/api/me")["usage"]
    assert usage["bytes"] == 8 * usage["count"]
    assert usage["count"] == len(api.get_json("/api/files")["files"])

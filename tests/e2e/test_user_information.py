"""Information for users and models: next steps of deferred files, refused parts of results, files of other sessions."""

import json
import re
from datetime import datetime, timedelta

import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.user_client import Json, UserClient
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import FakeEndpoint

PROVIDER = "openai-chat"
SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.fixture
def user(new_user: NewUser) -> UserClient:
    return new_user()


@pytest.fixture(autouse=True)
def _reset_endpoint(endpoint: FakeEndpoint) -> None:
    endpoint.replies, endpoint.requests, endpoint.first_text_times = [], [], []


def _update(user: UserClient, session_id: str, response: Json, kind: str) -> Json:
    events = user.events(session_id, response["turn_id"])
    (event,) = [event for event in events if event.get("update_type") == kind]
    return event


def _last_user_text(endpoint: FakeEndpoint) -> str:
    """Return the text of the latest message that the model has received from the user, not from a tool."""
    messages = endpoint.requests[-1].body["messages"]
    texts = [str(message["content"]) for message in messages if message["role"] == "user"]
    return [text for text in texts if "<pyai:tool_result" not in text][-1]


@pytest.mark.clause("v2.1:deferred:fields")
def test_next_steps_of_a_deferred_file_reach_the_user_and_the_model(user: UserClient, endpoint: FakeEndpoint) -> None:
    session_id = user.create_session(model=PROVIDER)
    endpoint.replies = [Answer([], [("artifacts_deferred_file", "{}")]), Answer(["Done."]), Answer(["Hello."])]
    response = user.ask(session_id, "Draft it.", tools=["artifacts"])
    (deferred,) = response["deferred_artifacts"]
    (listed,) = user.request("GET", "/api/files", params={"session_id": session_id}).json()["files"]
    (updated,) = _update(user, session_id, response, "files_update")["files"]
    expected = {
        "description": "Draft of the totals",
        "reason": "needs_editing",
        "status": "needs editing",
        "next_actions": ["Edit it"],
        "expires_at": listed["expires_at"],
    }
    for file in (deferred, listed, updated):
        assert {name: file[name] for name in expected} == expected
    assert SECONDS.fullmatch(listed["expires_at"])
    lifetime = datetime.fromisoformat(listed["expires_at"]) - datetime.fromisoformat(listed["created_at"])
    assert abs(lifetime - timedelta(hours=5)) < timedelta(seconds=2)

    (result,) = [json.loads(m["content"]) for m in endpoint.requests[1].body["messages"] if m["role"] == "tool"]
    (waiting,) = result["deferred_files"]
    assert waiting == {
        "name": "draft.csv",
        "description": "Draft of the totals",
        "reason": "needs editing",
        "next_actions": ["Edit it"],
        "expires_at": listed["expires_at"],
    }
    user.ask(session_id, "What now?")
    assert "next steps for the user: Edit it" in _last_user_text(endpoint)
    assert listed["expires_at"] in _last_user_text(endpoint)


def test_refused_parts_of_a_result_are_in_its_event_and_response(user: UserClient) -> None:
    session_id = user.create_session()
    response = user.ask(session_id, '/artifacts.refused_parts {"filename": "absent.csv"}')
    (event,) = [e for e in user.events(session_id, response["turn_id"]) if e["type"] == "tool_complete"]
    (call,) = response["tool_calls"]
    for meta_data in (event["meta_data"], call["meta_data"]):
        assert [problem["name"] for problem in meta_data["artifact_problems"]] == ["garbled.png"]
        assert "elsewhere.example" in meta_data["canvas_refused"]
        assert meta_data["unresolved_files"] == {"absent.csv": []}
        assert meta_data["rows"] == 12
    assert (event["meta_data"]["api_key"], event["meta_data"]["note"]) == ("[redacted]", "token=[redacted]")
    assert "sk-live-51H" not in json.dumps(event)


@pytest.mark.clause("v2.1:context:automatic")
def test_files_with_one_name_in_two_sessions_can_be_told_apart_and_used(
    user: UserClient, endpoint: FakeEndpoint
) -> None:
    for number in (1, 2):
        user.upload(user.create_session(), "data.csv", b"a\n" + b"1\n" * number)
    session_id = user.create_session(model=PROVIDER)
    endpoint.replies = [Answer(["Hello."])]
    user.ask(session_id, "Hello")
    text = _last_user_text(endpoint)
    assert "in current session" not in text
    _, _, others = text.partition("[SYSTEM: Available files outside the current session:\n")
    first, second = re.findall(r"- data\.csv \(.*, (\d) rows?, key (\w+)\)", others)
    assert (first[0], second[0]) == ("2", "1")
    user.upload(session_id, "own.csv", b"a\n1\n2\n3\n")
    endpoint.replies = [
        Answer([], [("report_summarise", json.dumps({"filename": second[1]}))]),
        Answer(["One row."]),
    ]
    (call,) = user.ask(session_id, "How many rows has the older one?", tools=["report"])["tool_calls"]
    assert (call["is_error"], call["results"]["rows"]) == (False, 1)
    own, _, others = _last_user_text(endpoint).partition("[SYSTEM: Available files outside the current session:\n")
    assert own.count("[SYSTEM: Available files in current session:\n") == 1
    assert ("- own.csv (" in own, "- data.csv (" in own, "own.csv" in others) == (True, False, False)


def test_times_in_events_of_an_approval_are_in_utc(user: UserClient) -> None:
    session_id = user.create_session()
    turn = user.start_turn(session_id, '/approval.write {"name": "a.txt"}')["turn_id"]
    path = f"/api/sessions/{session_id}/turns/{turn}/events"
    events: list[Json] = []
    while not [event for event in events if event["type"] == "tool_approval_request"]:
        events = user.request("GET", path, params={"wait": 20, "after": len(events)}).json()["events"]
    request = events[-1]
    assert (request["at"][-1], request["expires_at"][-1]) == ("Z", "Z")
    user.request("DELETE", f"/api/sessions/{session_id}/turns/{turn}")

"""Turns with the report server: a user uploads a file and gets a report and a chart."""

import io
import random
import re
from typing import Any

import httpx2
import pytest
from PIL import Image

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import WAIT, Json, UserClient, fetch, run_user

ROWS = 100_000
SECRET_MARKS = ("token", "b64", "X-Amz-", "eyJ")


def _sales() -> bytes:
    lines = ["date,region,units,price"]
    rng = random.Random(7)  # noqa: S311  (made-up sales)
    lines += [f"2024-{i % 12 + 1:02d}-01,{rng.choice('NESW')},{i % 9},{rng.random():.4f}" for i in range(ROWS)]
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def report_turn(system: SystemProcess) -> tuple[UserClient, str, Json]:
    """The finished turn: its user, its session id and its final response."""
    user = UserClient(system.url, run_user("report"))
    session_id = user.create_session()
    user.upload(session_id, "sales.csv", _sales())
    body = {"message": '/report.summarise {"filename": "sales.csv"}'}
    response = user.request("POST", f"/api/sessions/{session_id}/turns", json=body, headers=WAIT)
    assert response.is_success, response.text
    assert response.headers["Preference-Applied"] == "wait=25"
    if response.status_code == httpx2.codes.ACCEPTED:  # a busy machine needs longer
        return user, session_id, user.wait_for_turn(session_id, response.json()["turn_id"])
    return user, session_id, response.json()


def test_final_response_has_the_report_first_and_the_chart_second(report_turn: tuple[UserClient, str, Json]) -> None:
    _, _, response = report_turn
    assert response["status"] == "complete"
    assert [(a["position"], a["name"], a["mime"]) for a in response["artifacts"]] == [
        (0, "sales_report.html", "text/html"),
        (1, "sales_chart.png", "image/png"),
    ]
    assert response["display"]["primary_file"] == "sales_report.html"
    assert response["display"]["open_canvas"] is True
    assert response["tool_calls"][0]["results"]["rows"] == ROWS


@pytest.mark.clause("v2:download:url")
def test_both_files_can_be_downloaded_by_link_without_signing_in(
    report_turn: tuple[UserClient, str, Json], system: SystemProcess
) -> None:
    _, _, response = report_turn
    report, chart = (fetch(system.url + artifact["download_url"]) for artifact in response["artifacts"])
    assert report.status_code == chart.status_code == httpx2.codes.OK
    assert "sales.csv" in report.text
    assert report.headers["Content-Disposition"].startswith("attachment")
    with Image.open(io.BytesIO(chart.content)) as picture:
        picture.load()
        assert picture.format == "PNG"
    assert [len(report.content), len(chart.content)] == [artifact["size"] for artifact in response["artifacts"]]


def test_events_from_any_cursor_are_the_remaining_events(
    report_turn: tuple[UserClient, str, Json],
) -> None:
    user, session_id, response = report_turn
    first, second = (user.events(session_id, response["turn_id"]) for _ in range(2))
    assert first == second
    assert [event["seq"] for event in first] == list(range(1, len(first) + 1))
    for cursor in range(len(first) - 1):
        assert user.events(session_id, response["turn_id"], after=cursor) == first[cursor:]


def test_events_cover_the_turn_from_start_to_end_in_order(report_turn: tuple[UserClient, str, Json]) -> None:
    user, session_id, response = report_turn
    events = user.events(session_id, response["turn_id"])
    types = [event["type"] for event in events if event["type"] not in {"tool_progress", "tool_log", "tool_notice"}]
    assert types == [
        "turn_started",
        "tool_start",
        "tool_complete",
        "intermediate_update",
        "token_stream",
        "response_complete",
    ]
    progress = [event for event in events if event["type"] == "tool_progress"]
    assert progress
    assert all(event["message"] for event in progress)


def test_events_contain_no_content_link_token_or_path(
    report_turn: tuple[UserClient, str, Json],
) -> None:
    user, session_id, response = report_turn
    text = re.sub(
        r"token_stream|(input|output|cache_read|cache_write|media)_tokens",
        "",
        str(user.events(session_id, response["turn_id"])),
    )
    assert [mark for mark in SECRET_MARKS if mark in text] == []
    assert "/tmp/" not in text


@pytest.mark.clause("v2.1:storage:my-files")
def test_generated_files_are_in_my_files_with_their_content(report_turn: tuple[UserClient, str, Json]) -> None:
    user, session_id, response = report_turn
    listed = user.request("GET", "/api/files", params={"session_id": session_id}).json()["files"]
    assert {file["name"]: file["source"] for file in listed} == {
        "sales.csv": "uploaded",
        "sales_report.html": "generated",
        "sales_chart.png": "generated",
    }
    chart = user.request("GET", f"/api/files/{response['artifacts'][1]['file_key']}").json()
    assert chart["b64"].startswith("iVBOR")
    assert chart["size"] == response["artifacts"][1]["size"]


def test_second_report_is_a_new_version_and_the_old_response_keeps_its_version(new_user: NewUser) -> None:
    user = new_user()
    session_id = user.create_session()
    user.upload(session_id, "data.csv", b"a,b\n1,2\n")
    first = user.ask(session_id, '/report.summarise {"filename": "data.csv"}')
    user.upload(session_id, "data.csv", b"a,b\n1,2\n3,4\n")
    second = user.ask(session_id, '/report.summarise {"filename": "data.csv"}')
    old, new = first["artifacts"][0], second["artifacts"][0]
    assert (old["file_key"], old["version"], new["version"]) == (new["file_key"], 1, 2)
    assert [call["results"]["rows"] for call in (*first["tool_calls"], *second["tool_calls"])] == [1, 2]
    again: dict[str, Any] = user.request("GET", f"/api/sessions/{session_id}/turns/{first['turn_id']}").json()
    assert again["artifacts"][0]["version"] == 1


def test_each_line_of_a_message_is_one_call_of_the_same_round(new_user: NewUser) -> None:
    user = new_user()
    message = '/calculator.evaluate {"expression": "6*7"}\n/calculator.evaluate {"expression": "1/0"}'
    response = user.ask(user.create_session(), message)
    assert response["status"] == "complete"
    assert [(c["is_error"], c["error_code"]) for c in response["tool_calls"]] == [
        (False, None),
        (True, "E_TOOL_FAILED"),
    ]
    assert "42" in response["message"]
    assert "No model is set" in response["message"]


def test_answer_without_a_model_lists_the_tools_and_how_to_set_a_model(new_user: NewUser) -> None:
    user = new_user()
    response = user.ask(user.create_session(), "What can you do?")
    assert "/report.summarise" in response["message"]
    assert "SATCHEL_MODEL" in response["message"]
    assert response["tool_calls"] == []

"""A person sends a message with a file and gets back a report that a tool made of it."""

import io
import random
import re
from typing import Any

import httpx2
import pytest
from PIL import Image

from tests.e2e.conftest import Somebody
from tests.e2e.person import WAIT, Json, Person, fetch
from tests.e2e.system import System

ROWS = 100_000
SECRETS = ("token", "b64", "X-Amz-", "eyJ")


def _sales() -> bytes:
    lines = ["date,region,units,price"]
    pick = random.Random(7)  # noqa: S311  (made-up sales)
    lines += [f"2024-{i % 12 + 1:02d}-01,{pick.choice('NESW')},{i % 9},{pick.random():.4f}" for i in range(ROWS)]
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def asked(system: System) -> tuple[Person, str, Json]:
    """The turn that all of these tests look at."""
    person = Person(system.url, "main.job@example.com")
    session_id = person.session()
    person.upload(session_id, "sales.csv", _sales())
    message = {"message": '/report.summarise {"filename": "sales.csv"}'}
    answer = person.call("POST", f"/api/sessions/{session_id}/turns", json=message, headers=WAIT)
    assert answer.status_code == httpx2.codes.OK, answer.text
    assert answer.headers["Preference-Applied"] == "wait=25"
    return person, session_id, answer.json()


def test_the_final_response_has_the_report_first_and_the_chart_second(asked: tuple[Person, str, Json]) -> None:
    _, _, response = asked
    assert response["status"] == "complete"
    assert [(a["position"], a["name"], a["mime"]) for a in response["artifacts"]] == [
        (0, "sales_report.html", "text/html"),
        (1, "sales_chart.png", "image/png"),
    ]
    assert response["display"]["primary_file"] == "sales_report.html"
    assert response["display"]["open_canvas"] is True
    assert response["tool_calls"][0]["results"]["rows"] == ROWS


@pytest.mark.clause("v2:download:url")
def test_both_files_are_fetched_by_their_links_without_being_signed_in(
    asked: tuple[Person, str, Json], system: System
) -> None:
    _, _, response = asked
    report, chart = (fetch(system.url + artifact["download_url"]) for artifact in response["artifacts"])
    assert report.status_code == chart.status_code == httpx2.codes.OK
    assert "sales.csv" in report.text
    assert report.headers["Content-Disposition"].startswith("attachment")
    with Image.open(io.BytesIO(chart.content)) as picture:
        picture.load()
        assert picture.format == "PNG"
    assert [len(report.content), len(chart.content)] == [artifact["size"] for artifact in response["artifacts"]]


def test_the_same_cursor_gives_the_same_events_and_one_from_the_middle_goes_on_from_there(
    asked: tuple[Person, str, Json],
) -> None:
    person, session_id, response = asked
    once, again = (person.events(session_id, response["turn_id"]) for _ in range(2))
    assert once == again
    assert [event["seq"] for event in once] == list(range(1, len(once) + 1))
    for cursor in range(len(once) - 1):
        assert person.events(session_id, response["turn_id"], after=cursor) == once[cursor:]


def test_the_events_tell_the_turn_from_its_start_to_its_one_end(asked: tuple[Person, str, Json]) -> None:
    person, session_id, response = asked
    events = person.events(session_id, response["turn_id"])
    kinds = [event["type"] for event in events if event["type"] not in {"tool_progress", "tool_log"}]
    assert kinds == [
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


def test_no_event_holds_content_a_link_a_token_or_anything_of_somebody_else(asked: tuple[Person, str, Json]) -> None:
    person, session_id, response = asked
    told = re.sub(
        r"token_stream|(input|output|cache_read|cache_write)_tokens",
        "",
        str(person.events(session_id, response["turn_id"])),
    )
    assert [secret for secret in SECRETS if secret in told] == []
    assert "/tmp/" not in told


@pytest.mark.clause("v2.1:storage:my-files")
def test_what_was_made_is_in_my_files_with_its_content(asked: tuple[Person, str, Json]) -> None:
    person, session_id, response = asked
    listed = person.call("GET", "/api/files", params={"session_id": session_id}).json()["files"]
    assert {file["name"]: file["source"] for file in listed} == {
        "sales.csv": "uploaded",
        "sales_report.html": "generated",
        "sales_chart.png": "generated",
    }
    chart = person.call("GET", f"/api/files/{response['artifacts'][1]['file_key']}").json()
    assert chart["b64"].startswith("iVBOR")
    assert chart["size"] == response["artifacts"][1]["size"]


def test_a_report_made_again_is_a_new_version_and_the_old_answer_keeps_its_own(somebody: Somebody) -> None:
    person = somebody()
    session_id = person.session()
    person.upload(session_id, "data.csv", b"a,b\n1,2\n")
    first = person.ask(session_id, '/report.summarise {"filename": "data.csv"}')
    person.upload(session_id, "data.csv", b"a,b\n1,2\n3,4\n")
    second = person.ask(session_id, '/report.summarise {"filename": "data.csv"}')
    old, new = first["artifacts"][0], second["artifacts"][0]
    assert (old["file_key"], old["version"], new["version"]) == (new["file_key"], 1, 2)
    assert [call["results"]["rows"] for call in (*first["tool_calls"], *second["tool_calls"])] == [1, 2]
    again: dict[str, Any] = person.call("GET", f"/api/sessions/{session_id}/turns/{first['turn_id']}").json()
    assert again["artifacts"][0]["version"] == 1


def test_several_lines_are_several_calls_of_one_round(somebody: Somebody) -> None:
    person = somebody()
    message = '/calculator.evaluate {"expression": "6*7"}\n/calculator.evaluate {"expression": "1/0"}'
    response = person.ask(person.session(), message)
    assert response["status"] == "complete"
    assert [(c["is_error"], c["error_code"]) for c in response["tool_calls"]] == [
        (False, None),
        (True, "E_TOOL_FAILED"),
    ]
    assert "42" in response["message"]
    assert "No model is set" in response["message"]


def test_any_other_message_is_answered_with_the_tools_and_how_to_set_a_model(somebody: Somebody) -> None:
    person = somebody()
    response = person.ask(person.session(), "What can you do?")
    assert "/report.summarise" in response["message"]
    assert "SATCHEL_MODEL" in response["message"]
    assert response["tool_calls"] == []

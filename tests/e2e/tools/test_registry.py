"""Servers as they are registered: the guide's own, closed ones, and ones that do not start."""

import time
from pathlib import Path

import pytest

from tests.e2e.conftest import Somebody
from tests.e2e.person import Json, Person, fetch
from tests.e2e.system import System

PATIENCE = 60.0


def listed(person: Person) -> dict[str, Json]:
    return {server["name"]: server for server in person.call("GET", "/api/tools").json()["servers"]}


def logs(system: System) -> list[Path]:
    told = next(line for line in system.said().splitlines() if line.startswith("What the tool servers"))
    return list(Path(told.split()[-1]).iterdir())


def started(server: str, system: System) -> dict[str, int]:
    """Return how often a server said that it starts, by the logs of those for whom it did."""
    files = [log for log in logs(system) if log.name.startswith(f"satchel-run-{server}-")]
    return {log.name: log.read_text(errors="replace").count("started") for log in files}


@pytest.fixture(scope="module")
def mended(system: System, folder: Path) -> Person:
    """Somebody who called a server in vain, whose trouble is over since; the first test needs it, so that the others
    run while the next try is waited for."""
    person = Person(system.url, "patient@example.com", "users")
    assert "ended with exit code 3" in listed(person)["late"]["reason"]
    failed = person.ask(person.session(), "/late.who {}")["tool_calls"][0]
    assert failed["error_code"] == "E_TOOL_FAILED"
    (folder / "there").touch()
    return person


@pytest.mark.usefixtures("mended")
def test_the_example_of_the_guide_and_its_registration_work_as_they_stand(somebody: Somebody) -> None:
    person = somebody()
    server = listed(person)["MyExampleServer"]
    assert (server["status"], server["description"]) == ("ready", "An example server with a simple tool.")
    assert [tool["name"] for tool in server["tools"]] == ["my_tool", "create_html_report"]

    called = person.ask(person.session(), '/MyExampleServer.my_tool {"parameter": "hello"}')["tool_calls"][0]
    assert called["results"] == {"input_received": "hello", "status": "success"}


def test_the_guides_report_is_shown_and_can_be_fetched(somebody: Somebody, system: System) -> None:
    person = somebody()
    response = person.ask(person.session(), '/MyExampleServer.create_html_report {"title": "August"}')
    assert response["tool_calls"][0]["results"] == {"summary": "Successfully generated report: August"}
    assert (response["display"]["open_canvas"], response["display"]["primary_file"]) == (True, "report.html")
    page = fetch(system.url + response["artifacts"][0]["download_url"])
    assert page.text == "<html><body><h1>August</h1></body></html>"


def test_arguments_that_do_not_fit_are_refused_by_field_and_may_be_mended(somebody: Somebody) -> None:
    person = somebody()
    session_id = person.session()
    refused = person.ask(session_id, '/MyExampleServer.my_tool {"parameter": 5}')["tool_calls"][0]
    assert refused["error_code"] == "E_INVALID_ARGUMENTS"
    assert "parameter" in str(refused["meta_data"]["details"]["problems"])
    mended = person.ask(session_id, '/MyExampleServer.my_tool {"parameter": "5"}')["tool_calls"][0]
    assert mended["is_error"] is False


def test_somebody_outside_the_group_sees_no_server_gets_no_call_and_starts_nothing(
    somebody: Somebody, system: System
) -> None:
    person, staff = somebody(), somebody("users,staff")
    staff.ask(staff.session(), "/closed.who {}")
    before = started("closed", system)
    assert before[f"satchel-run-closed-{staff.name}.log"] == 1
    assert "closed" not in listed(person)
    refused = person.ask(person.session(), "/closed.who {}")["tool_calls"][0]
    assert refused["error_code"] == "E_FORBIDDEN"
    assert started("closed", system) == before


@pytest.mark.parametrize("server", ["near_path", "far_url"])
def test_whoever_a_model_names_the_tool_is_given_who_is_signed_in(somebody: Somebody, server: str) -> None:
    person = somebody()
    sent = ['"someone-else"', '["someone-else"]', '{"name": "someone-else"}', "null", "7"]
    message = "\n".join(f'/{server}.who {{"username": {value}}}' for value in sent)
    calls = person.ask(person.session(), message)["tool_calls"]
    assert [call["results"] for call in calls] == [{"username": person.name, "text": ""}] * len(sent)


def test_the_token_of_an_entry_reaches_its_server_and_no_log(somebody: Somebody, system: System) -> None:
    person = somebody()
    assert person.ask(person.session(), "/far_url.token {}")["tool_calls"][0]["results"] is True
    written = [log.read_text(errors="replace") for log in logs(system)]
    assert [text for text in (system.said(), *written) if "t0ken" in text] == []


def test_a_server_that_cannot_start_is_listed_with_the_reason_and_the_others_work(somebody: Somebody) -> None:
    nowhere = listed(somebody())["nowhere"]
    assert (nowhere["status"], nowhere["tools"]) == ("unavailable", [])
    assert "there is no program 'no-such-program'" in nowhere["reason"]


def test_a_server_that_could_not_start_is_tried_again_until_it_does(mended: Person) -> None:
    gives_up = time.monotonic() + PATIENCE
    while listed(mended)["late"]["status"] != "ready" and time.monotonic() < gives_up:
        time.sleep(0.5)
    assert listed(mended)["late"]["reason"] is None
    assert mended.ask(mended.session(), "/late.who {}")["tool_calls"][0]["results"]["username"] == mended.name

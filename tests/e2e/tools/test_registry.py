"""Registered servers: the one in the guide, restricted ones, and ones that do not start."""

import time
from pathlib import Path

import pytest

from tests.e2e.conftest import NewUser
from tests.e2e.system_process import SystemProcess
from tests.e2e.tools.conftest import write_edited_server
from tests.e2e.user_client import Json, UserClient, fetch, run_user

TIMEOUT_SECONDS = 180.0


LISTING = "-_satchel."
"""Part of the name of the log of a server that lists its tools, which every server does again from time to time."""


def listed(user: UserClient) -> dict[str, Json]:
    return {server["name"]: server for server in user.request("GET", "/api/tools").json()["servers"]}


def logs(system: SystemProcess) -> list[Path]:
    line = next(line for line in system.output().splitlines() if line.startswith("The output of the tool servers"))
    return list(Path(line.split()[-1]).iterdir())


def started(server: str, system: SystemProcess) -> dict[str, int]:
    """Return how often a server started for each user, by the name of the user's log. Leave out starts for lists."""
    files = [log for log in logs(system) if log.name.startswith(f"satchel-run-{server}-") and LISTING not in log.name]
    return {log.name: log.read_text(errors="replace").count("started") for log in files}


@pytest.fixture(scope="module")
def user_of_repaired_server(system: SystemProcess, folder: Path) -> UserClient:
    """A user whose call failed because the server could not start, and after whose call the server was repaired.

    The first test requests this fixture, so that the next start attempt happens during the other tests.
    """
    user = UserClient(system.url, run_user("waiting"), "users")
    assert "ended with exit code 3" in listed(user)["repaired_later"]["reason"]
    failed = user.ask(user.create_session(), "/repaired_later.who {}")["tool_calls"][0]
    assert failed["error_code"] == "E_TOOL_FAILED"
    (folder / "repaired").touch()
    return user


@pytest.mark.clause("v4:registry:entry", "v4:registry:layout", "v4:registry:command", "v4:registry:cwd")
@pytest.mark.usefixtures("user_of_repaired_server")
def test_example_of_the_guide_and_its_registration_work_unchanged(new_user: NewUser) -> None:
    user = new_user()
    server = listed(user)["MyExampleServer"]
    assert (server["status"], server["description"]) == ("ready", "An example server with a simple tool.")
    assert [tool["name"] for tool in server["tools"]] == ["my_tool", "create_html_report"]

    called = user.ask(user.create_session(), '/MyExampleServer.my_tool {"parameter": "hello"}')["tool_calls"][0]
    assert called["results"] == {"input_received": "hello", "status": "success"}


@pytest.mark.clause("v4:contract:example")
def test_report_of_the_guide_opens_in_the_canvas_and_can_be_downloaded(
    new_user: NewUser, system: SystemProcess
) -> None:
    user = new_user()
    response = user.ask(user.create_session(), '/MyExampleServer.create_html_report {"title": "August"}')
    assert response["tool_calls"][0]["results"] == {"summary": "Successfully generated report: August"}
    assert (response["display"]["open_canvas"], response["display"]["primary_file"]) == (True, "report.html")
    page = fetch(system.url + response["artifacts"][0]["download_url"])
    assert page.text == "<html><body><h1>August</h1></body></html>"


def test_invalid_arguments_are_rejected_by_field_and_a_corrected_call_works(new_user: NewUser) -> None:
    user = new_user()
    session_id = user.create_session()
    rejected = user.ask(session_id, '/MyExampleServer.my_tool {"parameter": 5}')["tool_calls"][0]
    assert rejected["error_code"] == "E_INVALID_ARGUMENTS"
    assert "parameter" in str(rejected["meta_data"]["details"]["problems"])
    corrected = user.ask(session_id, '/MyExampleServer.my_tool {"parameter": "5"}')["tool_calls"][0]
    assert corrected["is_error"] is False


def test_user_outside_the_group_cannot_list_call_or_start_the_server(new_user: NewUser, system: SystemProcess) -> None:
    user, staff = new_user(), new_user("users,staff")
    staff.ask(staff.create_session(), "/restricted.who {}")
    before = started("restricted", system)
    assert before[f"satchel-run-restricted-{staff.name}.log"] == 1
    assert "restricted" not in listed(user)
    rejected = user.ask(user.create_session(), "/restricted.who {}")["tool_calls"][0]
    assert rejected["error_code"] == "E_FORBIDDEN"
    assert started("restricted", system) == before


@pytest.mark.parametrize("server", ["local_path", "remote_url"])
def test_tool_gets_the_signed_in_user_whatever_username_the_model_sends(new_user: NewUser, server: str) -> None:
    user = new_user()
    values = ['"someone-else"', '["someone-else"]', '{"name": "someone-else"}', "null", "7"]
    message = "\n".join(f'/{server}.who {{"username": {value}}}' for value in values)
    calls = user.ask(user.create_session(), message)["tool_calls"]
    assert [call["results"] for call in calls] == [{"username": user.name, "text": ""}] * len(values)


@pytest.mark.clause("v4:registry:auth-token", "v4:registry:variables")
def test_token_of_an_entry_reaches_its_server_and_no_log(new_user: NewUser, system: SystemProcess) -> None:
    user = new_user()
    assert user.ask(user.create_session(), "/remote_url.token {}")["tool_calls"][0]["results"] is True
    texts = [log.read_text(errors="replace") for log in logs(system)]
    assert [text for text in (system.output(), *texts) if "t0ken" in text] == []


def test_server_that_cannot_start_is_listed_as_unavailable_with_the_reason(new_user: NewUser) -> None:
    broken = listed(new_user())["broken"]
    assert (broken["status"], broken["tools"]) == ("unavailable", [])
    assert "there is no program 'no-such-program'" in broken["reason"]


def test_edited_server_runs_at_the_next_call_with_its_new_tools(new_user: NewUser, folder: Path) -> None:
    user = new_user()
    session = user.create_session()
    first = user.ask(session, '/edited.first {"word": "before"}')["tool_calls"][0]
    write_edited_server(folder, "def second(count: int) -> str: return 'after' * count")
    second, gone = user.ask(session, '/edited.second {"count": 2}\n/edited.first {"word": "x"}')["tool_calls"]
    assert (first["results"], second["results"]) == ("before", "afterafter")
    assert gone["error_code"] == "E_UNKNOWN_TOOL"
    assert [tool["name"] for tool in listed(user)["edited"]["tools"]] == ["second"]


def test_start_of_a_failed_server_is_retried_until_it_works(user_of_repaired_server: UserClient) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while listed(user_of_repaired_server)["repaired_later"]["status"] != "ready" and time.monotonic() < deadline:
        time.sleep(0.5)
    assert listed(user_of_repaired_server)["repaired_later"]["reason"] is None
    assert (
        user_of_repaired_server.ask(user_of_repaired_server.create_session(), "/repaired_later.who {}")["tool_calls"][
            0
        ]["results"]["username"]
        == user_of_repaired_server.name
    )

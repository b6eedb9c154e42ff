"""File arguments: all argument names, as paths and as URLs, of local and remote servers."""

import json
import re
from dataclasses import dataclass
from urllib.parse import unquote

import pytest

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, fetch, run_user

TEXTS = {"sales.csv": "a,b\n1,2\n", "my notes of May.txt": "notes", "報告書 (最終).txt": "売上は上々です"}
NAMES = list(TEXTS)
SERVERS = ["local_path", "local_url", "remote_path", "remote_url"]


@dataclass(frozen=True)
class UserFiles:
    """A user with a session and three files. Shared by all tests, because each user has their own server processes."""

    user: UserClient
    session_id: str
    keys: dict[str, str]

    def call(self, tool: str, **arguments: object) -> Json:
        """Call a tool and return the final response."""
        response = self.user.ask(self.session_id, f"/{tool} {json.dumps(arguments, ensure_ascii=False)}")
        assert response["tool_calls"][0]["is_error"] is False, response["tool_calls"]
        return response


def upload_files(user: UserClient) -> UserFiles:
    session_id = user.create_session()
    keys = {name: user.upload(session_id, name, text.encode())["file_key"] for name, text in TEXTS.items()}
    return UserFiles(user, session_id, keys)


@pytest.fixture(scope="module")
def files(system: SystemProcess) -> UserFiles:
    return upload_files(UserClient(system.url, run_user("file.arguments")))


def locations_of(response: Json, system: SystemProcess) -> list[str]:
    """Return the paths or URLs that the tool got."""
    return fetch(system.url + response["artifacts"][0]["download_url"]).text.split("\n")


def check_locations(
    locations: list[str], names: list[str], server: str, files: UserFiles, system: SystemProcess
) -> None:
    """Check that the locations are paths in the workspace, or URLs of the API."""
    if server.endswith("_path"):
        assert locations == [f"/tmp/{files.user.name}/input_files/{name}" for name in names]
        return
    for location, name in zip(locations, names, strict=True):
        assert location.startswith(f"{system.url}/api/files/download/{files.keys[name]}?token=")
        assert unquote(location).endswith(f"/{name}")


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("name", NAMES)
def test_file_is_passed_in_filename(files: UserFiles, system: SystemProcess, server: str, name: str) -> None:
    response = files.call(f"{server}.look", filename=name)
    assert response["tool_calls"][0]["results"] == {"names": [name], "texts": [TEXTS[name]]}
    check_locations(locations_of(response, system), [name], server, files, system)


@pytest.mark.parametrize(("tool", "argument"), [("look_many", "filenames"), ("look_listed", "file_names")])
@pytest.mark.parametrize("server", SERVERS)
def test_files_are_passed_in_lists(
    files: UserFiles, system: SystemProcess, server: str, tool: str, argument: str
) -> None:
    response = files.call(f"{server}.{tool}", **{argument: NAMES})
    assert response["tool_calls"][0]["results"] == {"names": NAMES, "texts": list(TEXTS.values())}
    check_locations(locations_of(response, system), NAMES, server, files, system)


@pytest.mark.parametrize("server", ["local_path", "remote_url"])
def test_file_can_be_named_by_key_name_or_original_name(files: UserFiles, server: str) -> None:
    record = files.user.upload(files.session_id, f"what of {server}?.txt", b"found")
    name = f"what of {server}_.txt"
    assert record["name"] == name
    for value in (record["file_key"], name, f"what of {server}?.txt"):
        response = files.call(f"{server}.look", filename=value)
        assert response["tool_calls"][0]["results"] == {"names": [name], "texts": ["found"]}


def test_one_tool_can_get_urls_while_the_others_get_paths(files: UserFiles, system: SystemProcess) -> None:
    response = files.call("local_path.look_by_url", filename="sales.csv")
    check_locations(locations_of(response, system), ["sales.csv"], "local_url", files, system)


@pytest.mark.parametrize("server", ["local_url", "remote_url"])
def test_url_works_without_signing_in_until_the_file_is_deleted(
    files: UserFiles, system: SystemProcess, server: str
) -> None:
    other = upload_files(files.user)
    locations = locations_of(other.call(f"{server}.look_many", filenames=NAMES), system)
    assert [fetch(location).text for location in locations] == list(TEXTS.values())
    for key in other.keys.values():
        assert other.user.request("DELETE", f"/api/files/{key}").is_success
    assert [fetch(location).status_code for location in locations] == [404, 404, 404]


def test_events_contain_no_token_and_no_path(files: UserFiles) -> None:
    response = files.call("remote_url.look_many", filenames=NAMES)
    events = json.dumps(files.user.events(files.session_id, response["turn_id"]))
    assert "token=" not in events
    assert "/tmp/" not in events


@pytest.mark.clause("v2.1:output:no-tokens")
@pytest.mark.parametrize("server", ["local_url", "remote_url"])
def test_link_that_a_tool_returns_reaches_no_file_name_text_event_or_response(files: UserFiles, server: str) -> None:
    response = files.call(f"{server}.leak", filename="sales.csv")
    session_id, turn_id = files.session_id, response["turn_id"]
    everything = {
        "response": response,
        "events": files.user.events(session_id, turn_id),
        "my files": files.user.request("GET", "/api/files", params={"session_id": session_id}).json(),
        "texts": [
            fetch(files.user.url + artifact["download_url"]).text
            for artifact in response["artifacts"]
            if artifact["name"] != "locations.txt"
        ],
    }
    texts = re.sub(r'"(?:download_url|url)": "[^"]*"', "", json.dumps(everything))  # the user's own links
    assert "eyJ" not in texts
    assert "token=e" not in texts
    names = [artifact["name"] for artifact in response["artifacts"]]
    assert names[0] == "sales.csv" or names[0].startswith("sales (")
    assert any(name.startswith("leak_results") for name in names)

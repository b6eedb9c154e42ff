"""Artifacts: invalid ones are reported, and no name makes one overwrite another."""

import httpx2
import pytest

from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, fetch, run_user

MAX_LENGTH_NAME = "n" * 251 + ".txt"


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    """One user for all tests, so that the server stays warm. Each test has its own session."""
    return UserClient(system.url, run_user("artifacts"))


def _download(user: UserClient, artifact: Json) -> bytes:
    response = fetch(user.url + artifact["download_url"])
    assert response.status_code == httpx2.codes.OK
    return response.content


def _contents(user: UserClient, response: Json) -> dict[str, bytes]:
    """Return the contents of a response's files by name. All names must be distinct."""
    contents = {artifact["name"]: _download(user, artifact) for artifact in response["artifacts"]}
    assert len(contents) == len(response["artifacts"])
    return contents


def test_valid_artifacts_are_stored_and_invalid_ones_reported_with_name_and_reason(user: UserClient) -> None:
    response = user.ask(user.create_session(), "/artifacts.nine_valid_and_three_invalid")
    (call,) = response["tool_calls"]
    assert (call["is_error"], call["error_code"], call["results"]) == (False, None, {"artifacts": 12})
    assert _contents(user, response) == {f"good{number}.txt": f"{number}".encode() for number in range(9)}
    problems = {problem["name"]: problem for problem in call["meta_data"]["artifact_problems"]}
    assert {name: (problem["code"], problem["reason"]) for name, problem in problems.items()} == {
        "garbled.txt": ("E_INVALID_ARTIFACT", "b64: not base64: invalid character, padding or length"),
        "passwd.txt": ("E_INVALID_PATH", "File operation outside allowed directory"),
        "empty.txt": ("E_INVALID_ARTIFACT", "no b64, path or content"),
    }
    assert len(call["meta_data"]["artifact_problems"]) == len(problems)


def test_colliding_names_become_distinct_and_every_file_can_be_downloaded(user: UserClient) -> None:
    session_id = user.create_session()
    uploaded = user.upload(session_id, "input.csv", b"x,y\n")
    response = user.ask(session_id, '/artifacts.colliding_names {"filename": "input.csv"}')
    files = _contents(user, response)
    shortened = next(name for name, body in files.items() if body == b"too long")
    assert files == {
        "same.txt": b"first",
        "same (2).txt": b"second",
        "input (2).csv": b"output",
        "a_.txt": b"question mark",
        "a_ (2).txt": b"asterisk",
        MAX_LENGTH_NAME: b"long",
        "n" * 247 + " (2).txt": b"long again",
        shortened: b"too long",
        "empty.txt": b"",
    }
    assert (len(shortened.encode()), shortened[-4:]) == (255, ".txt")
    assert {artifact["version"] for artifact in response["artifacts"]} == {1}
    listed = user.request("GET", "/api/files", params={"session_id": session_id}).json()["files"]
    assert {file["name"] for file in listed} == {*files, "input.csv"}
    record = user.request("GET", f"/api/files/{uploaded['file_key']}").json()
    assert (record["b64"], record["source"], record["size"]) == ("eCx5Cg==", "uploaded", 4)


def test_empty_file_is_stored(user: UserClient) -> None:
    response = user.ask(user.create_session(), "/artifacts.empty_file")
    assert _contents(user, response) == {"nothing.txt": b""}
    assert [artifact["size"] for artifact in response["artifacts"]] == [0]
    record = user.request("GET", f"/api/files/{response['artifacts'][0]['file_key']}").json()
    assert (record["b64"], record["size"]) == ("", 0)


def test_new_version_leaves_the_older_response_and_its_content_unchanged(user: UserClient) -> None:
    session_id = user.create_session()
    old = user.ask(session_id, '/artifacts.long_text {"characters": 1}')
    new = user.ask(session_id, '/artifacts.long_text {"characters": 2}')
    assert [response["artifacts"][0]["version"] for response in (old, new)] == [1, 2]
    old = user.wait_for_turn(session_id, old["turn_id"])
    assert [_contents(user, response) for response in (old, new)] == [{"Long.md": b"x"}, {"Long.md": b"xx"}]
    assert [response["artifacts"][0]["content"] for response in (old, new)] == ["x", "xx"]
    listed = user.request("GET", "/api/files", params={"session_id": session_id}).json()["files"]
    assert [(file["name"], file["size"]) for file in listed] == [("Long.md", 2)]

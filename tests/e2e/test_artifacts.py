"""Nothing that a tool returns is lost or overwritten in silence, however it is named."""

import httpx2
import pytest

from tests.e2e.person import Json, Person, fetch
from tests.e2e.system import System

LONGEST = "n" * 251 + ".txt"


@pytest.fixture(scope="module")
def person(system: System) -> Person:
    """One person, in whose runner the server stays warm; each test has a session of its own."""
    return Person(system.url, "artifacts@example.com")


def _fetched(person: Person, artifact: Json) -> bytes:
    answer = fetch(person.url + artifact["download_url"])
    assert answer.status_code == httpx2.codes.OK
    return answer.content


def _made(person: Person, response: Json) -> dict[str, bytes]:
    """Return the files of a response by name; no two of them have the same."""
    made = {artifact["name"]: _fetched(person, artifact) for artifact in response["artifacts"]}
    assert len(made) == len(response["artifacts"])
    return made


def test_of_twelve_artifacts_nine_are_kept_and_three_are_reported_by_name_and_reason(person: Person) -> None:
    response = person.ask(person.session(), "/author.twelve")
    (call,) = response["tool_calls"]
    assert (call["is_error"], call["error_code"], call["results"]) == (False, None, {"made": 12})
    assert _made(person, response) == {f"good{number}.txt": f"{number}".encode() for number in range(9)}
    problems = {problem["name"]: problem for problem in call["meta_data"]["artifact_problems"]}
    assert {name: (problem["code"], problem["reason"]) for name, problem in problems.items()} == {
        "garbled.txt": ("E_INVALID_ARTIFACT", "b64: not base64: invalid character, padding or length"),
        "passwd.txt": ("E_INVALID_PATH", "File operation outside allowed directory"),
        "untyped.txt": ("E_INVALID_ARTIFACT", "no mime"),
    }
    assert len(call["meta_data"]["artifact_problems"]) == len(problems)


def test_names_that_meet_become_distinct_and_every_file_can_be_fetched(person: Person) -> None:
    session_id = person.session()
    uploaded = person.upload(session_id, "input.csv", b"x,y\n")
    response = person.ask(session_id, '/author.twins {"filename": "input.csv"}')
    made = _made(person, response)
    cut = next(name for name, body in made.items() if body == b"too long")
    assert made == {
        "same.txt": b"first",
        "same (2).txt": b"second",
        "input (2).csv": b"made",
        "a_.txt": b"asked",
        "a_ (2).txt": b"starred",
        LONGEST: b"long",
        "n" * 247 + " (2).txt": b"long again",
        cut: b"too long",
        "empty.txt": b"",
    }
    assert (len(cut.encode()), cut[-4:]) == (255, ".txt")
    assert {artifact["version"] for artifact in response["artifacts"]} == {1}
    listed = person.call("GET", "/api/files", params={"session_id": session_id}).json()["files"]
    assert {file["name"] for file in listed} == {*made, "input.csv"}
    kept = person.call("GET", f"/api/files/{uploaded['file_key']}").json()
    assert (kept["b64"], kept["source"], kept["size"]) == ("eCx5Cg==", "uploaded", 4)


def test_an_empty_file_is_a_file(person: Person) -> None:
    response = person.ask(person.session(), "/author.empty")
    assert _made(person, response) == {"nothing.txt": b""}
    assert [artifact["size"] for artifact in response["artifacts"]] == [0]
    kept = person.call("GET", f"/api/files/{response['artifacts'][0]['file_key']}").json()
    assert (kept["b64"], kept["size"]) == ("", 0)


def test_a_file_made_again_is_a_new_version_and_the_older_response_still_fetches_its_own(person: Person) -> None:
    session_id = person.session()
    old = person.ask(session_id, '/author.long_text {"characters": 1}')
    new = person.ask(session_id, '/author.long_text {"characters": 2}')
    assert [response["artifacts"][0]["version"] for response in (old, new)] == [1, 2]
    old = person.wait_for(session_id, old["turn_id"])
    assert [_made(person, response) for response in (old, new)] == [{"Long.md": b"x"}, {"Long.md": b"xx"}]
    assert [response["artifacts"][0]["content"] for response in (old, new)] == ["x", "xx"]
    listed = person.call("GET", "/api/files", params={"session_id": session_id}).json()["files"]
    assert [(file["name"], file["size"]) for file in listed] == [("Long.md", 2)]

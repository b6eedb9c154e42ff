"""Unusual tool results: binary content, missing types, extra keys, viewer hints and older forms."""

import json
from typing import Any

import httpx2
import pytest

from tests.e2e.recording_site import RecordingSite
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, fetch, run_user

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def user(system: SystemProcess) -> UserClient:
    """One user for all tests, so that the server stays warm. Each call has its own session."""
    return UserClient(system.url, run_user("reading"))


def ask(user: UserClient, tool: str, **arguments: object) -> Json:
    """Call a tool in a new session and return the final response."""
    return user.ask(user.create_session(), f"/artifacts.{tool} {json.dumps(arguments)}")


def only_call(response: Json) -> Json:
    (call,) = response["tool_calls"]
    assert call["is_error"] is False, call
    result: Json = call
    return result


def download(user: UserClient, file: Json) -> bytes:
    response = fetch(user.url + file["download_url"])
    assert response.status_code == httpx2.codes.OK
    return response.content


def artifact_fields(response: Json, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(artifact[key] for key in keys) for artifact in response["artifacts"]]


@pytest.mark.clause("v5:artifacts:binary-content")
def test_base64_content_of_a_binary_type_is_stored_as_its_bytes(user: UserClient) -> None:
    response = ask(user, "binary_content")
    files = {artifact["title"]: artifact for artifact in response["artifacts"]}
    assert [(file["name"], file["mime"], file["viewer"]) for file in files.values()] == [
        ("Plot.png", "image/png", "image"),
        ("Paper.pdf", "application/pdf", "pdf"),
        ("Notes.md", "text/markdown", "code"),
        ("Sketch.svg", "image/svg+xml", "image"),
    ]
    bodies = {title: download(user, file) for title, file in files.items()}
    assert bodies["Plot"].startswith(PNG_SIGNATURE)
    assert bodies["Paper"] == b"%PDF-1.4\n%%EOF\n"
    assert bodies["Notes"].startswith(b"iVBORw0KGgo")
    assert bodies["Sketch"] == b"<svg/>"
    assert [files[title]["content"] for title in files] == [None, None, bodies["Notes"].decode(), "<svg/>"]


@pytest.mark.clause("v5:artifacts:content-fits-type")
def test_content_that_does_not_fit_its_binary_type_is_reported_with_the_reason(user: UserClient) -> None:
    call = only_call(ask(user, "binary_content"))
    problems = {problem["name"]: problem["reason"] for problem in call["meta_data"]["artifact_problems"]}
    assert list(problems) == ["Sentence.png", "Word.png"]
    assert "the content of a file of type image/png must be base64" in problems["Sentence.png"]
    assert "the content is not a file of type image/png" in problems["Word.png"]


@pytest.mark.clause("v2.1:artifacts:mime-required")
def test_file_without_a_mime_type_gets_it_from_its_name_or_bytes_once(user: UserClient) -> None:
    response = ask(user, "files_without_mime")
    assert artifact_fields(response, "name", "mime", "showable") == [
        ("table.csv", "text/csv", True),
        ("chart", "image/png", True),
        ("page.html", "text/html", True),
    ]
    assert "artifact_problems" not in (only_call(response)["meta_data"] or {})


@pytest.mark.clause("v1:output:not-empty")
def test_empty_object_of_a_fastmcp_tool_becomes_null(user: UserClient) -> None:
    call = only_call(ask(user, "empty_answer"))
    assert (call["results"], call["meta_data"]) == (None, None)


@pytest.mark.clause("v2.1:fields:known")
def test_keys_beside_the_results_that_have_no_meaning_are_stored_in_the_meta_data(user: UserClient) -> None:
    call = only_call(ask(user, "answer_with_extra_keys", size=3))
    assert call["results"] == {"rows": 2}
    assert call["meta_data"] == {"elapsed_ms": 3, "data": {"mean": 4.5}, "log": "xxx"}


@pytest.mark.clause("v2.1:fields:known")
def test_meta_data_over_4_kb_is_complete_in_a_file(user: UserClient) -> None:
    response = ask(user, "answer_with_extra_keys", size=5000)
    meta_data = only_call(response)["meta_data"]
    assert meta_data == {
        "elapsed_ms": 3,
        "data": {"mean": 4.5},
        "truncated": {"meta_data": {"left_out": ["log"]}},
    }
    (file,) = response["artifacts"]
    assert (file["name"], file["showable"]) == ("answer_with_extra_keys_meta_data.json", False)
    assert json.loads(download(user, file)) == {"elapsed_ms": 3, "data": {"mean": 4.5}, "log": "x" * 5000}


@pytest.mark.clause("v2:display:viewer-hint", "v2.1:artifacts:viewer")
@pytest.mark.parametrize(("hint", "viewer"), [("html", "html"), ("auto", "code"), ("pdf", "code"), ("code", "code")])
def test_viewer_hint_and_viewer_decide_if_they_fit_the_file(user: UserClient, hint: str, viewer: str) -> None:
    response = ask(user, "viewer_hints", hint=hint)
    assert artifact_fields(response, "name", "viewer") == [
        ("primary.txt", viewer),
        ("page.txt", "html"),
        ("source.html", "code"),
        ("notes.txt", "code"),
    ]


@pytest.mark.clause("v2:display:iframe")
def test_dashboard_in_the_display_of_an_older_tool_opens_as_a_canvas(
    user: UserClient, dashboards: RecordingSite
) -> None:
    response = ask(user, "dashboard_in_display", url=f"{dashboards.origin}/dash")
    canvas = response["canvas"]
    assert {key: canvas[key] for key in ("open", "type", "url", "title", "mode")} == {
        "open": True,
        "type": "iframe",
        "url": f"{dashboards.origin}/dash",
        "title": "Monitor",
        "mode": "split",
    }
    assert canvas["id"]


@pytest.mark.clause("v2.1:username:overwritten")
def test_username_that_a_tool_does_not_declare_is_removed_from_the_arguments(user: UserClient) -> None:
    response = ask(user, "long_text", characters=1, username="mallory@example.com")
    assert only_call(response)["results"] == 1


@pytest.mark.clause("v2.1:retryable:kept")
@pytest.mark.parametrize(("tool", "arguments"), [("failing", {}), ("long_text", {"characters": "many"})])
def test_error_has_no_retryable_if_it_is_unknown(user: UserClient, tool: str, arguments: Json) -> None:
    (call,) = ask(user, tool, **arguments)["tool_calls"]
    assert call["is_error"] is True
    assert "retryable" not in call["meta_data"]

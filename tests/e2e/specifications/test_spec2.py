"""Specification 2, MCP v2 Tool Contract: each printed example and rule, seen by the user and by the model."""

import base64
import json
import time
from typing import Any

import httpx2
import pytest

from tests.e2e.specifications.chat import Batch, Chat
from tests.e2e.system_process import SystemProcess
from tests.e2e.user_client import Json, UserClient, fetch
from tests.fake_providers.server import FakeEndpoint

HTML = b"<html><body><h1>Report</h1><script>alert(1)</script></body></html>"
MAX_META_DATA_BYTES = 4096
LOG_SECONDS = 60.0
MAX_TOKEN_SECONDS = 300
SALES = b"region,units\nnorth,3\n"
NO_HINTS: Json = {}
ANY_JSON = {"object": {"a": [1]}, "list": [1, "two", None], "text": "three", "number": 4.5, "boolean": True}
IMPOSTOR = {"username": "mallory@example.com"}
GREETING = {"greeting": "Good morning"}


@pytest.fixture(scope="module")
def batch(user: UserClient, endpoint: FakeEndpoint) -> Batch:
    """The calls that make no files and open no dashboard, in one turn."""
    calls: list[tuple[str, Json]] = [("spec2.give", {"kind": kind}) for kind in ANY_JSON]
    calls += [("spec2.give_large_meta_data", {}), ("spec2.who", IMPOSTOR)]
    calls += [("spec2.greet", GREETING), ("spec2.greet", GREETING | IMPOSTOR)]
    return Chat(user, user.create_session(), endpoint).batch(*calls)


@pytest.mark.clause("v2:results:any-json")
@pytest.mark.parametrize("kind", ANY_JSON)
def test_results_of_any_json_type_reach_the_user_and_the_model(kind: str, batch: Batch) -> None:
    turn, value = batch.call("spec2.give", {"kind": kind}), ANY_JSON[kind]
    (event,) = turn.events_of("tool_complete")
    assert (turn.call["results"], event["results"], turn.tool_result["results"]) == (value, value, value)


@pytest.mark.clause("v2:meta-data:size")
def test_meta_data_of_over_4_kb_loses_its_largest_entry_by_name(batch: Batch) -> None:
    meta_data = batch.call("spec2.give_large_meta_data").tool_result["meta_data"]
    assert (meta_data["rows"], meta_data["source"]) == (42, "inventory_db")
    assert meta_data["truncated"]["meta_data"]["left_out"] == ["trace"]
    assert len(json.dumps(meta_data)) < MAX_META_DATA_BYTES


@pytest.mark.clause("v2:artifacts:b64", "v1:files:contents-not-told")
def test_artifact_with_invalid_base64_is_reported_and_the_valid_one_is_stored(chat: Chat) -> None:
    turn = chat.call("spec2.give_invalid_base64")
    assert turn.downloads() == [("valid.txt", b"text")]
    problem = {"name": "broken.txt", "code": "E_INVALID_ARTIFACT"}
    for facts in (turn.call["meta_data"], turn.tool_result["meta_data"]):
        (reported,) = facts["artifact_problems"]
        assert problem.items() <= reported.items()
        assert "base64" in reported["reason"]


@pytest.mark.clause("v2.1:artifacts:category", "v2.1:artifacts:viewer", "v2.1:artifacts:size")
def test_fields_of_an_artifact_are_in_the_response_and_in_my_files(chat: Chat) -> None:
    turn = chat.call("spec2.describe_file")
    (artifact,), (file,), (update,) = turn.artifacts, chat.files(), turn.file_updates()
    expected = {"name": "numbers.csv", "mime": "text/csv", "size": 4, "description": "Raw numbers"}
    assert expected.items() <= artifact.items()
    assert expected.items() <= file.items()
    assert artifact["viewer"] == update["files"][0]["viewer"] == "code"


@pytest.mark.clause("v2:files:artifacts-win")
def test_artifacts_take_precedence_over_the_arrays_of_specification_1(chat: Chat) -> None:
    turn = chat.call("spec2.give_both_forms")
    assert turn.downloads() == [("new.txt", b"new")]
    assert turn.tool_result["files"] == ["new.txt"]


@pytest.mark.clause("v2:showable:images", "v2:showable:pdf", "v2:showable:html", "v2:showable:text")
@pytest.mark.clause("v2:showable:extension", "v2:display:others")
def test_each_type_of_the_showable_defaults_has_its_viewer(chat: Chat) -> None:
    artifacts = chat.call("spec2.every_type").artifacts
    assert [(artifact["name"], artifact["viewer"]) for artifact in artifacts if artifact["showable"]] == [
        ("photo.png", "image"),
        ("photo.jpg", "image"),
        ("photo.gif", "image"),
        ("photo.webp", "image"),
        ("drawing.svg", "image"),
        ("paper.pdf", "pdf"),
        ("page.html", "html"),
        ("notes.txt", "code"),
        ("notes.md", "code"),
        ("script.py", "code"),
        ("data.json", "code"),
        ("by_extension.pdf", "pdf"),
    ]
    assert [artifact["name"] for artifact in artifacts if not artifact["showable"]] == ["archive.zip"]


@pytest.mark.clause("v2:display:primary-file", "v2:display:first-showable", "v2:display:others", "v2:canvas:auto-open")
@pytest.mark.parametrize(
    ("hints", "canvas", "names"),
    [
        ({"open_canvas": True, "primary_file": "page.html"}, "open", ["page.html", "data.zip", "plot.png"]),
        ({"open_canvas": True, "primary_file": "gone.txt"}, "open", ["plot.png", "data.zip", "page.html"]),
        ({"open_canvas": True}, "open", ["plot.png", "data.zip", "page.html"]),
        ({"primary_file": "page.html"}, "closed", ["page.html", "data.zip", "plot.png"]),
        (NO_HINTS, "open", ["plot.png", "data.zip", "page.html"]),
    ],
    ids=["primary file", "missing primary file", "no primary file", "closed by default", "no display"],
)
def test_display_hints_decide_the_first_file_and_the_canvas(
    hints: Json, canvas: str, names: list[str], chat: Chat
) -> None:
    response = chat.call("spec2.show", {"display": hints}).response
    assert (response["display"]["primary_file"], response["display"]["open_canvas"]) == (names[0], canvas == "open")
    assert [artifact["name"] for artifact in response["artifacts"]] == names


@pytest.mark.clause("v2:canvas:auto-open")
def test_canvas_stays_closed_if_no_file_can_be_shown(chat: Chat) -> None:
    display = chat.call("spec2.archive").response["display"]
    assert (display["open_canvas"], display["primary_file"]) == (False, None)


@pytest.mark.clause("v2:artifacts:persisted", "v2:display:viewer-hint", "v2.1:display:fields", "v2:files:update-event")
def test_report_of_example_2_is_stored_and_shown_as_its_display_says(chat: Chat) -> None:
    turn = chat.call("spec2.report")
    hints = {"open_canvas": True, "primary_file": "report.html", "mode": "replace", "viewer_hint": "html"}
    assert hints.items() <= turn.response["display"].items()
    assert (turn.call["results"], turn.call["meta_data"]) == (
        {"summary": "Report generated"},
        {"rows": 42, "elapsed_ms": 120},
    )
    report, chart = turn.artifacts
    assert (report["mime"], report["viewer"], report["size"]) == ("text/html", "html", len(HTML))
    assert (chart["mime"], chart["viewer"]) == ("image/png", "image")
    assert turn.download(report) == HTML
    assert turn.download(chart).startswith(b"\x89PNG")
    (update,) = turn.file_updates()
    assert hints.items() <= update["display"].items()
    fields = ("name", "mime", "size", "viewer", "file_key")
    assert [[file[field] for field in fields] for file in update["files"]] == [
        [artifact[field] for field in fields] for artifact in turn.artifacts
    ]
    sent = json.dumps([turn.response, turn.events]) + turn.model_texts
    assert [mark for mark in (base64.b64encode(HTML).decode(), "iVBORw0", "alert(1)") if mark in sent] == []


@pytest.mark.clause("v2:migration:arrays", "v1:files:become-artifacts")
def test_arrays_of_example_3_still_become_files(chat: Chat) -> None:
    turn = chat.call("spec2.embed")
    assert turn.downloads() == [("vec1.json", b"[0.1]"), ("vec2.json", b"[0.2]")]
    assert turn.tool_result["meta_data"] == {"dimension": 1536, "chunks": 2}


@pytest.mark.clause("v2:canvas:envelope")
@pytest.mark.parametrize(
    ("tool", "canvas"),
    [
        (
            "monitor",
            {
                "open": True,
                "id": "monitor-42",
                "persistence": "session",
                "type": "iframe",
                "url": "https://mcp.example.com/dash?session=abc",
                "title": "Live Monitor",
            },
        ),
        (
            "open_metrics",
            {
                "open": True,
                "id": "my-dashboard-123",
                "persistence": "pinned",
                "type": "iframe",
                "url": "https://tool-host/view",
                "title": "My Metrics",
                "mode": "split",
            },
        ),
    ],
    ids=["§6 example 4", "§3"],
)
def test_dashboard_is_in_the_response_and_its_event(tool: str, canvas: Json, chat: Chat) -> None:
    turn = chat.call(f"spec2.{tool}")
    (event,) = turn.events_of("intermediate_update")
    assert canvas.items() <= turn.response["canvas"].items()
    assert (event["update_type"], canvas.items() <= event["canvas"].items()) == ("canvas", True)
    assert "tool-made-capability" not in json.dumps([turn.events, turn.model_requests])


@pytest.mark.clause("v2:canvas:token")
def test_dashboard_with_an_empty_token_gets_a_short_lived_one_only_in_the_response(chat: Chat) -> None:
    turn = chat.call("spec2.open_dashboard", {"canvas": {"id": "board", "url": "https://tool-host/view", "token": ""}})
    token: str = turn.response["canvas"]["token"]
    payload = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    assert 0 < claims["exp"] - time.time() <= MAX_TOKEN_SECONDS
    assert payload not in json.dumps([turn.events, turn.model_requests])


@pytest.mark.clause("v2:canvas:optional")
def test_canvas_is_optional_and_missing_fields_have_the_specified_defaults(chat: Chat) -> None:
    turn = chat.call("spec2.open_dashboard", {"canvas": {"id": "board", "url": "https://tool-host/view"}})
    defaults = {"open": True, "persistence": "session", "type": "iframe", "title": None, "mode": None}
    assert defaults.items() <= turn.response["canvas"].items()
    assert chat.call("spec2.archive").response["canvas"] is None


@pytest.mark.clause("v2:canvas:origins")
def test_dashboard_of_another_origin_is_refused_with_the_reason(chat: Chat) -> None:
    turn = chat.call("spec2.open_dashboard", {"canvas": {"id": "board", "url": "https://elsewhere.example/view"}})
    assert (turn.response["canvas"], turn.events_of("intermediate_update")) == (None, [])
    for facts in (turn.call["meta_data"], turn.tool_result["meta_data"]):
        assert "https://elsewhere.example" in facts["canvas_refused"]


@pytest.mark.clause("v2:canvas:actions")
def test_action_in_a_dashboard_is_logged_with_the_signed_in_user(chat: Chat, system: SystemProcess) -> None:
    chat.call("spec2.monitor")
    action = {"session_id": chat.session_id, "action": "acknowledge", "details": {"alert": 17}}
    logged = chat.user.request("POST", "/api/canvas/monitor-42/actions", json=action)
    assert (logged.status_code, logged.json()["user"]) == (httpx2.codes.CREATED, chat.user.name)
    deadline = time.monotonic() + LOG_SECONDS
    lines: list[Json] = []
    while not lines and time.monotonic() < deadline:
        texts = [line for line in system.output().splitlines() if logged.json()["action_id"] in line]
        lines = [json.loads(text) for text in texts if text.startswith("{")]
    assert lines
    assert chat.user.name in json.dumps(lines)


@pytest.mark.clause("v4:files:urls", "v2:download:url")
def test_filename_reaches_a_url_server_as_an_address_that_needs_no_cookie(chat: Chat, system: SystemProcess) -> None:
    file_key = chat.upload("sales.csv", SALES)["file_key"]
    assert chat.call("spec2_url.read", {"filename": "sales.csv"}).call["results"] == {"text": SALES.decode()}
    ((_, location),) = chat.call("spec2_url.locate", {"filename": "sales.csv"}).downloads()
    assert location.decode().startswith(f"{system.url}/api/files/download/{file_key}")
    assert fetch(location.decode()).content == SALES


@pytest.mark.clause("v2.1:files:filenames", "v2.1:files:brought")
@pytest.mark.parametrize("server", ["spec2", "spec2_url"], ids=["as paths", "as URLs"])
def test_file_names_reach_the_tool_as_readable_locations(server: str, chat: Chat) -> None:
    chat.upload("north.csv", b"3\n")
    chat.upload("south.csv", b"4\n")
    turn = chat.call(f"{server}.read_all", {"file_names": ["north.csv", "south.csv"]})
    assert turn.call["results"] == {"texts": ["3\n", "4\n"]}


@pytest.mark.clause("v2:arguments:no-file")
def test_unknown_file_name_is_passed_unchanged_and_reported_with_similar_names(chat: Chat) -> None:
    chat.upload("sales.csv", SALES)
    turn = chat.call("spec2.pass_through", {"filename": "salse.csv"})
    assert turn.call["results"] == {"filename": "salse.csv"}
    for facts in (turn.call["meta_data"], turn.tool_result["meta_data"]):
        assert facts["unresolved_files"]["salse.csv"][0] == "sales.csv"


@pytest.mark.clause("v2.1:username:overwritten")
def test_username_of_the_model_is_overwritten_by_the_signed_in_user(batch: Batch, user: UserClient) -> None:
    assert batch.call("spec2.who", IMPOSTOR).call["results"] == {"username": user.name}


@pytest.mark.clause("v2:username:not-added")
@pytest.mark.parametrize("extra", [pytest.param({}, id="not sent"), pytest.param(IMPOSTOR, id="sent by the model")])
def test_tool_without_username_does_not_receive_it(extra: Json, batch: Batch) -> None:
    assert batch.call("spec2.greet", GREETING | extra).call["results"] == GREETING


@pytest.mark.clause("v2:download:token")
def test_download_without_a_valid_token_looks_like_a_missing_file(chat: Chat) -> None:
    (artifact,) = chat.call("spec2.archive").artifacts
    address, _, token = artifact["download_url"].partition("?token=")
    other_key = artifact["file_key"][:-4] + "9999"
    answers: list[tuple[int, Any]] = []
    for url in (
        f"{address}",
        f"{address}?token=",
        f"{address}?token={token[:-8]}AAAAAAAA",
        f"{address}?token={token}".replace(artifact["file_key"], other_key),
    ):
        answer = fetch(chat.user.url + url)
        answers.append((answer.status_code, {**answer.json(), "instance": None}))
    missing = chat.user.request("GET", f"/api/files/{other_key}")
    assert [status for status, _ in answers] == [missing.status_code] * 4 == [httpx2.codes.NOT_FOUND] * 4
    assert all(body == answers[0][1] for _, body in answers)


@pytest.mark.clause("v2:html:not-run")
def test_html_is_downloaded_as_an_attachment_with_a_sandbox_policy(chat: Chat) -> None:
    response = fetch(chat.user.url + chat.call("spec2.report").artifacts[0]["download_url"])
    assert response.content == HTML
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert "sandbox" in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.clause("v2:download:two-ways", "v2.1:processing:b64")
def test_file_is_available_as_json_with_base64_and_as_bytes(chat: Chat) -> None:
    turn = chat.call("spec2.report")
    record = chat.read_file(turn.artifacts[0]["file_key"])
    assert base64.b64decode(record["b64"]) == turn.download(turn.artifacts[0]) == HTML

"""Specification 3, sections 7 and 8: deferred files, and how a tool asks the client to show its files."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pytest

from tests.e2e.specifications.chat import Chat, Turn
from tests.e2e.user_client import Json, UserClient
from tests.fake_providers.server import FakeEndpoint

HOURS_PER_YEAR = 365 * 24
REASONS = ("needs_editing", "draft", "incomplete", "awaiting_approval")
EXPIRES_HOURS = {"default.txt": (None, 72), "five.txt": (5, 5), "none.txt": (0, 1), "ages.txt": (10**6, HOURS_PER_YEAR)}
NO_PATH = {"name": "no path.txt", "mime": "text/plain"}
NO_NAME = {"path": "/tmp/{username}/nameless.txt", "mime": "text/plain"}


def deferred(name: str, **fields: object) -> Json:
    return {"name": name, "path": f"/tmp/{{username}}/{name}", "mime": "text/plain", **fields}


def give(chat: Chat, *names: str, **output: object) -> Turn:
    """Run a turn with a tool that writes files of these names and returns the output."""
    files = {name: f"content of {name}" for name in names}
    return chat.call("spec3.give", {"files": files, "output": {"results": 1, **output}})


def shown_files(*names: str) -> list[Json]:
    return [{"name": name, "path": f"/tmp/{{username}}/{name}", "mime": "text/plain"} for name in names]


def hours_until_expiry(file: Json) -> int:
    created, expires = (datetime.fromisoformat(file[field]) for field in ("created_at", "expires_at"))
    return round((expires - created).total_seconds() / 3600)


@pytest.fixture(scope="module")
def deferring(user: UserClient, endpoint: FakeEndpoint) -> Turn:
    """A turn whose tool returned deferred artifacts of all forms, valid and invalid ones mixed."""
    chat = Chat(user, user.create_session(), endpoint)
    artifacts = [
        NO_PATH,
        NO_NAME,
        deferred("no type.csv", mime=None),
        *(deferred(f"{reason}.txt", reason=reason) for reason in REASONS),
        *(
            deferred(name, **({} if hours is None else {"expires_hours": hours}))
            for name, (hours, _) in EXPIRES_HOURS.items()
        ),
        deferred(
            "draft_report.docx",
            description="A report to edit",
            reason="needs_editing",
            next_actions=["Edit the introduction", "Approve it"],
            category="draft",
            expires_hours=48,
        ),
    ]
    return give(
        chat,
        *(artifact["name"] for artifact in artifacts[2:]),
        deferred_artifacts=artifacts,
    )


@pytest.fixture(scope="module")
def deferred_files(deferring: Turn) -> Mapping[str, Json]:
    """The user's files of that turn by name, as My Files lists them."""
    page = deferring.user.request("GET", "/api/files", params={"session_id": deferring.response["session_id"]}).json()
    return {file["name"]: file for file in page["files"]}


@pytest.mark.clause("v2.1:deferred:fields", "v2.1:deferred:stored")
def test_all_fields_of_a_deferred_file_are_shown_with_it(deferring: Turn, deferred_files: Mapping[str, Json]) -> None:
    fields: Json = {
        "name": "draft_report.docx",
        "mime": "text/plain",
        "description": "A report to edit",
        "reason": "needs_editing",
        "status": "needs editing",
        "next_actions": ["Edit the introduction", "Approve it"],
        "category": "draft",
    }
    (response,) = (file for file in deferring.response["deferred_artifacts"] if file["name"] == fields["name"])
    listed = deferred_files["draft_report.docx"]
    for file in (response, listed):
        assert {name: file[name] for name in fields} == fields
        assert hours_until_expiry({**listed, **file}) == 48
    (waiting,) = (file for file in deferring.tool_result["deferred_files"] if file["name"] == fields["name"])
    assert waiting == {
        "name": "draft_report.docx",
        "description": "A report to edit",
        "reason": "needs editing",
        "next_actions": ["Edit the introduction", "Approve it"],
        "expires_at": listed["expires_at"],
    }
    assert listed["source"] == "deferred"
    assert deferring.download(listed) == b"content of draft_report.docx"
    assert deferring.artifacts == []


@pytest.mark.clause("v2.1:deferred:fields", "v2.1:context:source")
@pytest.mark.parametrize("reason", REASONS)
def test_reason_of_a_deferred_file_is_its_status(reason: str, deferred_files: Mapping[str, Json]) -> None:
    file = deferred_files[f"{reason}.txt"]
    assert (file["source"], file["reason"], file["status"]) == ("deferred", reason, reason.replace("_", " "))


@pytest.mark.clause("v2.1:deferred:expires-default", "v2.1:deferred:expires-hours")
@pytest.mark.parametrize("name", EXPIRES_HOURS)
def test_deferred_file_expires_after_72_hours_or_the_hours_of_the_tool_within_limits(
    name: str, deferred_files: Mapping[str, Json]
) -> None:
    assert hours_until_expiry(deferred_files[name]) == EXPIRES_HOURS[name][1]


@pytest.mark.clause("v2.1:deferred:name-required", "v2.1:deferred:path-required")
def test_deferred_artifacts_without_name_or_path_are_reported(deferring: Turn) -> None:
    problems = {problem["name"]: problem["reason"] for problem in deferring.call["meta_data"]["artifact_problems"]}
    assert problems.pop("no path.txt") == "no path"
    assert list(problems.values()) == ["no name"]
    assert len(deferring.response["deferred_artifacts"]) == len(REASONS) + len(EXPIRES_HOURS) + 2


@pytest.mark.clause("v2.1:deferred:mime-required")
def test_deferred_artifact_without_a_mime_type_gets_the_one_of_its_name(deferred_files: Mapping[str, Json]) -> None:
    file = deferred_files["no type.csv"]
    assert (file["source"], file["mime"]) == ("deferred", "text/csv")


@pytest.mark.clause("v2.1:deferred:by-name", "v2.1:deferred:stored")
def test_deferred_file_is_found_by_name_in_a_later_call(chat: Chat) -> None:
    give(chat, "draft.txt", deferred_artifacts=[deferred("draft.txt", reason="draft")])
    assert chat.call("spec3.read_file", {"filename": "draft.txt"}).call["results"] == ["content of draft.txt"]


@pytest.mark.clause("v2.1:display:fields", "v2.1:display:notification", "v2.1:display:category-hint")
def test_all_fields_of_display_reach_the_user(chat: Chat) -> None:
    display: Json = {
        "open_canvas": True,
        "primary_file": "second.txt",
        "mode": "split",
        "storage_action": "store",
        "category_hint": "report",
        "notification": "Two files were stored",
    }
    first, second = shown_files("first.txt", "second.txt")
    turn = give(chat, "first.txt", "second.txt", artifacts=[first, {**second, "category": "draft"}], display=display)
    assert {name: turn.response["display"][name] for name in display} == display
    (update,) = turn.file_updates()
    assert {name: update["display"][name] for name in display} == display
    (notification,) = (e for e in turn.events_of("intermediate_update") if e["update_type"] == "notification")
    assert notification["message"] == "Two files were stored"
    assert notification["seq"] > update["seq"]
    assert [(file["name"], file["category"]) for file in turn.artifacts] == [
        ("second.txt", "draft"),
        ("first.txt", "report"),
    ]
    assert {file["name"]: file["category"] for file in chat.files()} == {"first.txt": "report", "second.txt": "draft"}


OPENING: list[tuple[Json | None, bool]] = [
    ({"open_canvas": True}, True),
    ({"open_canvas": False}, False),
    ({"mode": "replace"}, False),
    ({"storage_action": "store_and_open"}, True),
    ({"storage_action": "store"}, False),
    (None, True),
]


@pytest.mark.clause("v2.1:display:open-canvas", "v2.1:display:store-and-open", "v2:canvas:auto-open")
@pytest.mark.parametrize(("display", "opens"), OPENING, ids=str)
def test_canvas_opens_as_display_says(display: Json | None, opens: bool, chat: Chat) -> None:  # noqa: FBT001
    turn = give(chat, "file.txt", artifacts=shown_files("file.txt"), **({"display": display} if display else {}))
    (update,) = turn.file_updates()
    assert (turn.response["display"]["open_canvas"], update["display"]["open_canvas"]) == (opens, opens)


HINTS: list[tuple[Json, Json]] = [
    ({"mode": "replace"}, {"mode": "replace"}),
    ({"mode": "append"}, {"mode": "append"}),
    ({"mode": "split"}, {"mode": "split"}),
    ({"mode": "tile", "open_canvas": True}, {"open_canvas": True}),
    ({}, {"storage_action": "store", "open_canvas": False}),
    ({"storage_action": "store"}, {"storage_action": "store"}),
    ({"storage_action": "store_and_open"}, {"storage_action": "store_and_open", "open_canvas": True}),
    ({"storage_action": "temporary"}, {"storage_action": "temporary"}),
    ({"storage_action": "burn", "mode": "split"}, {"storage_action": "store", "mode": "split"}),
    ({"notification": {}, "category_hint": [], "mode": "append"}, {"mode": "append"}),
]


@pytest.fixture(scope="module")
def hint_displays(user: UserClient, endpoint: FakeEndpoint) -> list[Json]:
    """The display that the user gets for each call of a turn whose calls give these hints."""
    chat = Chat(user, user.create_session(), endpoint)
    calls: list[tuple[str, Json]] = []
    for number, (hint, _) in enumerate(HINTS):
        name = f"{number}.txt"
        output = {"results": 1, "artifacts": shown_files(name), "display": hint}
        calls.append(("spec3.give", {"files": {name: name}, "output": output}))
    turn = chat.call_all(*calls)
    displays: dict[str, Any] = {update["call_id"]: update["display"] for update in turn.file_updates()}
    return [displays[call["call_id"]] for call in turn.calls]


@pytest.mark.clause("v2.1:display:mode", "v2.1:display:storage-action", "v2.1:display:types")
@pytest.mark.parametrize("number", range(len(HINTS)), ids=lambda number: str(HINTS[number][0]))
def test_valid_fields_of_display_are_kept_and_invalid_ones_are_absent(number: int, hint_displays: list[Json]) -> None:
    defaults = {"open_canvas": False, "storage_action": "store", "primary_file": f"{number}.txt"}
    display = {name: value for name, value in hint_displays[number].items() if value is not None}
    assert display == {**defaults, **HINTS[number][1]}

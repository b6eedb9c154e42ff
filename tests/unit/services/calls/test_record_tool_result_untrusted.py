"""Reports of runners that run foreign code: only what can be checked is trusted."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from satchel.contract import ArtifactProblem, ErrorCode
from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.ids import UserName, call_id, object_id
from satchel.domain.object_keys import object_key, outcome_key
from satchel.domain.size_limits import MAX_FILES
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

WRONG_PLACE = "The file is outside the storage prefix of this call."
Json = dict[str, Any]


def reported(world: World, call: Call, name: str = "a.html", body: bytes = b"<p>", **fields: Any) -> Json:  # noqa: ANN401  (fields of an artifact)
    """Store a file, and return its entry in the JSON of a report."""
    return world.stored_file(call, name, body, **fields).model_dump(mode="json")


def forge(file: Json, **fields: object) -> Json:
    """Return the entry of a file with other fields of its artifact."""
    return file | {"artifact": file["artifact"] | fields}


def record(world: World, call: Call, *files: Json) -> CallResult:
    """Record a report of these files and of one good file."""
    good = world.stored_file(call, "good.html", index=9).model_dump(mode="json")
    world.reports.stored[call.call_id] = json.dumps({"results": "done", "files": [*files, good]})
    result = world.finish_call(call)
    assert (result.results, [a.name for a in result.artifacts][-1]) == ("done", "good.html")
    return result


def problems(result: CallResult) -> list[tuple[str, str, str]]:
    return [(p["name"], p["code"], p["reason"]) for p in (result.meta_data or {}).get("artifact_problems", [])]


# Keys


def key_of(call: Call, index: int = 0, name: str = "a.html", user: UserName = ALICE.name) -> str:
    return object_key(user, "artifacts", object_id(call.call_id, index), name)


FORGED: dict[str, Callable[[Call], str]] = {
    "another user's": lambda call: key_of(call, user=BOB.name),
    "an upload": lambda call: key_of(call).replace("/artifacts/", "/uploads/"),
    "a neighbour call's": lambda call: key_of(call.model_copy(update={"call_id": call_id(call.turn_id, 0, 1)})),
    "another name": lambda call: key_of(call, name="b.html"),
    "another file of the call": lambda call: key_of(call, index=1),
    "climbing": lambda call: key_of(call, name="../../../x/a.html"),
    "the report": lambda call: outcome_key(call.user, call.turn_id, call.call_id),
    "the bucket": lambda _call: "/",
}


@pytest.mark.parametrize("forged_key", FORGED.values(), ids=FORGED)
def test_file_with_a_forged_key_is_rejected_and_the_good_one_recorded(
    world: World, call: Call, forged_key: Callable[[Call], str]
) -> None:
    key = forged_key(call)
    forged = reported(world, call) | {"key": key}
    world.put(key, b"of another user")
    assert problems(record(world, call, forged)) == [("a.html", "E_TOOL_FAILED", WRONG_PLACE)]
    assert [file.name for file in world.files.list_for_session(ALICE.name, call.session_id)] == ["good.html"]


def test_id_of_an_existing_file_is_rejected(world: World, call: Call) -> None:
    upload = world.upload("plans.csv")
    forged = reported(world, call, "plans.csv") | {"object_id": upload.file_key}
    assert problems(record(world, call, forged)) == [("plans.csv", "E_TOOL_FAILED", WRONG_PLACE)]
    assert world.files.get(ALICE.name, upload.file_key) == upload


@pytest.mark.parametrize("object_id", ["", "x", "../../etc", "f" + "0" * 26])
def test_id_that_does_not_follow_from_the_call_is_rejected(world: World, call: Call, object_id: str) -> None:
    forged = reported(world, call) | {"object_id": object_id}
    assert problems(record(world, call, forged)) == [("a.html", "E_TOOL_FAILED", WRONG_PLACE)]


def test_file_reported_as_the_other_kind_is_rejected(world: World, call: Call) -> None:
    forged = reported(world, call) | {"deferred": True}
    assert problems(record(world, call, forged)) == [("a.html", "E_TOOL_FAILED", WRONG_PLACE)]


def test_missing_file_is_a_problem(world: World, call: Call) -> None:
    missing = reported(world, call)
    world.store.delete([missing["key"]])
    assert problems(record(world, call, missing)) == [
        ("a.html", "E_TOOL_FAILED", "The file is missing in the storage.")
    ]


@pytest.mark.clause("v2.1:artifacts:size")
def test_recorded_size_is_that_of_the_stored_object(world: World, call: Call) -> None:
    forged = forge(reported(world, call, body=b"12345"), size=1)
    assert record(world, call, forged).artifacts[0].size == 5


def test_recorded_name_is_safe(world: World, call: Call) -> None:
    file = reported(world, call, "../a.html")
    assert file["artifact"]["name"] == "../a.html"
    assert record(world, call, file | {"name": "../../etc/passwd"}).artifacts[0].name == "a.html"


def test_file_renamed_in_the_report_is_rejected(world: World, call: Call) -> None:
    forged = forge(reported(world, call), name="../../etc/passwd")
    assert problems(record(world, call, forged)) == [("../../etc/passwd", "E_TOOL_FAILED", WRONG_PLACE)]


@pytest.mark.parametrize("mime", ["text/html\r\nSet-Cookie: a=b", "", "nonsense", "TEXT/HTML"])
def test_recorded_mime_type_is_valid(world: World, call: Call, mime: str) -> None:
    forged = forge(reported(world, call, "a.bin"), mime=mime)
    assert record(world, call, forged).artifacts[0].mime in {"application/octet-stream", "text/html"}


# Descriptions


@pytest.mark.parametrize(
    "fields",
    [
        {"description": {"a": 1}},
        {"category": ["a"]},
        {"viewer": 5},
        {"auto_open": "perhaps"},
        {"id": [1], "type": {}, "title": []},
        {"metadata": "text"},
        {"unknown": "field"},
        {"b64": None, "path": 5, "uri": None},
    ],
)
def test_invalid_optional_fields_are_dropped_and_the_file_is_recorded(world: World, call: Call, fields: Json) -> None:
    result = record(world, call, forge(reported(world, call), **fields))
    assert (problems(result), [a.name for a in result.artifacts]) == ([], ["a.html", "good.html"])


@pytest.mark.parametrize("hours", ["soon", 1e300, -5, None, [], 10**30])
def test_deferred_file_always_expires(world: World, call: Call, hours: object) -> None:
    file = reported(world, call, "draft.docx", deferred=True)
    (deferred,) = record(world, call, forge(file, expires_hours=hours, next_actions=5, reason={})).deferred
    now = world.clock.now()
    assert deferred.expires_at is not None
    assert now < deferred.expires_at <= now + timedelta(days=366)


def test_base64_and_links_are_removed_from_descriptions(world: World, call: Call) -> None:
    link = "https://satchel.example/api/files/download/f1?token=secret"
    result = record(world, call, forge(reported(world, call), description=f"see {link}", title="QUJD" * 1000))
    assert "secret" not in result.model_dump_json()
    assert "QUJDQUJD" not in result.model_dump_json()


def test_invalid_artifact_costs_only_its_own_file(world: World, call: Call) -> None:
    result = record(world, call, forge(reported(world, call), b64="not base64"))
    assert [(name, code) for name, code, _ in problems(result)] == [("a.html", "E_INVALID_ARTIFACT")]


@pytest.mark.parametrize("name", ["", None, {"a": 1}])
def test_file_without_a_name_is_rejected(world: World, call: Call, name: object) -> None:
    forged = forge(reported(world, call), name=name)
    assert [code for _, code, _ in problems(record(world, call, forged))] == ["E_INVALID_ARTIFACT"]


def test_problems_of_the_runner_come_first(world: World, call: Call) -> None:
    of_runner = ArtifactProblem(name="x", code=ErrorCode.E_INVALID_PATH, reason="outside")
    missing = world.stored_file(call, "a.html")
    world.store.delete([missing.key])
    result = world.finish_call(call, RunnerReport(files=[missing], problems=[of_runner]))
    assert [name for name, _, _ in problems(result)] == ["x", "a.html"]


def test_files_beyond_the_limit_are_ignored(world: World, call: Call) -> None:
    files = [world.stored_file(call, f"{index}.html", index=index) for index in range(MAX_FILES + 1)]
    assert len(world.finish_call(call, RunnerReport(files=files)).artifacts) == MAX_FILES

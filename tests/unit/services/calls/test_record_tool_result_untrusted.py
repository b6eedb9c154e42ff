"""An outcome was written where foreign code ran: of what it says, only what can be checked is believed."""

from collections.abc import Callable
from typing import Any

import pytest

from satchel.contract import ArtifactProblem, ErrorCode
from satchel.domain.calls import Call, CallResult, RunnerReport, StoredFile
from satchel.domain.ids import UserName, call_id, object_id
from satchel.domain.object_keys import object_key, outcome_key
from tests.unit.services.samples import ALICE, BOB
from tests.unit.services.world import World

NOT_HERE = "The file is not where this call may put files."


def result(world: World, call: Call, *files: StoredFile) -> CallResult:
    """Settle a call of which a runner says that it made these files, and one good one."""
    good = world.stored_file(call, "good.html", index=9)
    found = world.finish_call(call, RunnerReport(results="kept", files=[*files, good]))
    assert (found.results, [a.name for a in found.artifacts][-1]) == ("kept", "good.html")
    return found


def problems(found: CallResult) -> list[tuple[str, str, str]]:
    return [(p["name"], p["code"], p["reason"]) for p in (found.meta_data or {}).get("artifact_problems", [])]


# Keys


def key_of(call: Call, index: int = 0, name: str = "a.html", user: str = ALICE.name) -> str:
    return object_key(UserName(user), "artifacts", object_id(call.call_id, index), name)


FORGED: dict[str, Callable[[Call], str]] = {
    "somebody else's": lambda call: key_of(call, user=BOB.name),
    "an upload": lambda call: key_of(call).replace("/artifacts/", "/uploads/"),
    "a neighbour call's": lambda call: key_of(call.model_copy(update={"call_id": call_id(call.turn_id, 0, 1)})),
    "another name": lambda call: key_of(call, name="b.html"),
    "another file of the call": lambda call: key_of(call, index=1),
    "climbing": lambda call: key_of(call, name="../../../x/a.html"),
    "the outcome": lambda call: outcome_key(call.user, call.turn_id, call.call_id),
    "the bucket": lambda _call: "/",
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_key_that_the_call_may_not_write_is_refused_beside_the_good_file(
    world: World, call: Call, forge: Callable[[Call], str]
) -> None:
    key = forge(call)
    forged = world.stored_file(call, "a.html").model_copy(update={"key": key})
    world.put(key, b"somebody's")
    assert problems(result(world, call, forged)) == [("a.html", "E_TOOL_FAILED", NOT_HERE)]
    assert [file.name for file in world.files.of_session(ALICE.name, call.session_id)] == ["good.html"]


def test_no_file_that_there_was_can_be_taken_for_the_calls_own(world: World, call: Call) -> None:
    upload = world.upload("plans.csv")
    forged = world.stored_file(call, "plans.csv").model_copy(update={"object_id": upload.file_key})
    assert problems(result(world, call, forged)) == [("plans.csv", "E_TOOL_FAILED", NOT_HERE)]
    assert world.files.get(ALICE.name, upload.file_key) == upload


@pytest.mark.parametrize("object_id", ["", "x", "../../etc", "f" + "0" * 26])
def test_an_id_that_is_not_derived_is_refused(world: World, call: Call, object_id: str) -> None:
    forged = world.stored_file(call, "a.html").model_copy(update={"object_id": object_id})
    assert problems(result(world, call, forged)) == [("a.html", "E_TOOL_FAILED", NOT_HERE)]


def test_a_file_that_did_not_arrive_is_said(world: World, call: Call) -> None:
    missing = world.stored_file(call, "a.html")
    world.store.delete([missing.key])
    assert problems(result(world, call, missing)) == [
        ("a.html", "E_TOOL_FAILED", "The file did not arrive in the store.")
    ]


@pytest.mark.clause("v2.1:artifacts:size")
def test_the_size_is_what_the_store_says(world: World, call: Call) -> None:
    lying = world.stored_file(call, "a.html", b"12345").model_copy(update={"size": 1})
    assert result(world, call, lying).artifacts[0].size == 5


def test_the_name_is_made_safe_whatever_the_runner_made_of_it(world: World, call: Call) -> None:
    lying = world.stored_file(call, "../a.html").model_copy(update={"name": "../../etc/passwd"})
    assert result(world, call, lying).artifacts[0].name == "a.html"


@pytest.mark.parametrize("mime", ["text/html\r\nSet-Cookie: a=b", "", "nonsense", "TEXT/HTML"])
def test_a_type_is_one_or_none(world: World, call: Call, mime: str) -> None:
    lying = world.stored_file(call, "a.bin").model_copy(update={"mime": mime})
    assert result(world, call, lying).artifacts[0].mime in {"application/octet-stream", "text/html"}


# What is said of a file


@pytest.mark.parametrize(
    "said",
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
def test_a_fact_of_the_wrong_form_is_left_out_and_the_file_kept(world: World, call: Call, said: dict[str, Any]) -> None:
    stored = world.stored_file(call, "a.html")
    found = result(world, call, stored.model_copy(update={"artifact": said}))
    assert (problems(found), [a.name for a in found.artifacts]) == ([], ["a.html", "good.html"])


@pytest.mark.parametrize("hours", ["soon", 1e300, -5, None, [], 10**30])
def test_a_file_that_waits_always_expires(world: World, call: Call, hours: object) -> None:
    stored = world.stored_file(call, "draft.docx", deferred=True, expires_hours=hours, next_actions=5, reason={})
    (waiting,) = result(world, call, stored).deferred
    now = world.clock.now().timestamp()
    assert waiting.expires_at is not None
    assert now < waiting.expires_at <= now + 366 * 24 * 3600


def test_what_is_said_beyond_repair_costs_one_file(world: World, call: Call) -> None:
    stored = world.stored_file(call, "a.html")
    found = result(world, call, stored.model_copy(update={"artifact": {"b64": "not base64"}}))
    assert [(name, code) for name, code, _ in problems(found)] == [("a.html", "E_INVALID_ARTIFACT")]


def test_a_file_without_a_name_is_none(world: World, call: Call) -> None:
    nameless = world.stored_file(call, "a.html").model_copy(update={"raw_name": ""})
    assert [code for _, code, _ in problems(result(world, call, nameless))] == ["E_INVALID_ARTIFACT"]


def test_the_runners_own_problems_come_before_ours(world: World, call: Call) -> None:
    theirs = ArtifactProblem(name="x", code=ErrorCode.E_INVALID_PATH, reason="outside")
    missing = world.stored_file(call, "a.html")
    world.store.delete([missing.key])
    found = world.finish_call(call, RunnerReport(files=[missing], problems=[theirs]))
    assert [name for name, _, _ in problems(found)] == ["x", "a.html"]

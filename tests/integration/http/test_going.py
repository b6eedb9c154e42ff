"""Files that go by themselves, through the API: what they say, how they are kept, when they are gone."""

import io

import pytest

from satchel.contract import Display, safe_name
from satchel.domain.calls import Call, RunnerReport, StoredFile
from satchel.domain.ids import object_id
from satchel.domain.object_keys import object_key, outcome_key
from satchel.domain.sessions import Session
from satchel.domain.size_limits import MAX_NAME_CHARS, cut
from satchel.domain.steps import CallStep
from satchel.services.calls.runner_report import store_report
from tests.integration.aws.makers import a_call, a_session, a_turn, someone
from tests.integration.http.world import World

HOUR = 3600
DRAFT = {
    "name": "plan.docx",
    "mime": "application/msword",
    "reason": "awaiting_approval",
    "next_actions": ["Ask Eve", "Send it"],
    "category": "draft",
    "expires_hours": 5,
}


@pytest.fixture
def session(world: World) -> Session:
    session = a_session(someone(), created_at=world.clock.now(), last_used_at=world.clock.now())
    world.sessions.create(session)
    return session


def made(world: World, session: Session, said: dict[str, object], *, deferred: bool, temporary: bool = False) -> Call:
    """Let a runner have handed over one file, and normalize it."""
    turn = a_turn(session)
    call = a_call(turn)
    world.calls.add([call])
    raw_name, derived = cut(str(said["name"]), MAX_NAME_CHARS), object_id(call.call_id, 0)
    name = safe_name(raw_name)
    key = object_key(session.user, "deferred" if deferred else "artifacts", derived, name)
    world.store.put(key, io.BytesIO(b"draft"), str(said["mime"]))
    stored = StoredFile(
        object_id=derived,
        key=key,
        name=name,
        raw_name=raw_name,
        mime=str(said["mime"]),
        size=5,
        index=0,
        deferred=deferred,
        artifact=said,
    )
    display = Display(storage_action="temporary") if temporary else None
    outcome = RunnerReport(files=[stored], display=display)
    store_report(world.store, outcome_key(call.user, call.turn_id, call.call_id), outcome)
    whose = call.model_dump(include={"user", "session_id", "turn_id", "call_id"})
    world.use_cases.record_tool_result(CallStep(**whose))
    return call


def sweep(world: World) -> int:
    return world.use_cases.sweep(lambda: True).files


@pytest.mark.clause("v2.1:deferred:fields", "v2.1:deferred:by-name", "v2.1:deferred:swept")
def test_a_file_that_waits_is_listed_used_by_its_name_and_gone_at_its_hour(world: World, session: Session) -> None:
    call = made(world, session, DRAFT, deferred=True)
    http = world.person(session.user)
    (listed,) = http.get("/api/files", params={"session_id": session.session_id}).json()["files"]
    said = ("name", "source", "status", "reason", "next_actions", "category", "expires_at")
    assert {name: listed[name] for name in said} == {
        "name": "plan.docx",
        "source": "deferred",
        "status": "awaiting approval",
        "reason": "awaiting_approval",
        "next_actions": ["Ask Eve", "Send it"],
        "category": "draft",
        "expires_at": int(world.clock.now().timestamp()) + 5 * HOUR,
    }
    resolve = world.use_cases.resolve_inputs
    found, unresolved = resolve._find(call, ["plan.docx"])  # noqa: SLF001  (what a second call's argument means)
    assert (found["plan.docx"].file_key, unresolved) == (listed["file_key"], {})
    key = found["plan.docx"].key
    assert key.startswith(f"{session.user}/deferred/")
    tags = world.store.client.get_object_tagging(Bucket=world.store.bucket, Key=key)["TagSet"]
    assert tags == [{"Key": "expire-days", "Value": "1"}]

    world.clock.advance(5 * HOUR)
    assert http.get(f"/api/files/{listed['file_key']}").status_code == 404
    assert http.get("/api/files").json()["files"] == []
    assert http.post(f"/api/files/{listed['file_key']}/keep").status_code == 404
    assert http.get(listed["download_url"]).status_code == 404
    assert world.store.head(key) is not None
    world.clock.advance(10)
    assert sweep(world) == 1
    assert world.store.head(key) is None
    assert sweep(world) == 0


def test_a_file_that_waits_is_kept_and_stays(world: World, session: Session) -> None:
    made(world, session, DRAFT, deferred=True)
    http = world.person(session.user)
    (listed,) = http.get("/api/files").json()["files"]
    kept = http.post(f"/api/files/{listed['file_key']}/keep")
    assert kept.status_code == 200
    stays: dict[str, object] = {
        "source": "generated",
        "status": None,
        "reason": None,
        "next_actions": [],
        "expires_at": None,
    }
    links = {"download_url": kept.json()["download_url"]}
    assert kept.json() == listed | stays | links
    assert http.post(f"/api/files/{listed['file_key']}/keep").json() | links == kept.json()
    world.clock.advance(400 * 24 * HOUR)
    assert sweep(world) == 0
    (still,) = http.get("/api/files").json()["files"]
    assert still | links == kept.json()
    key = f"{session.user}/deferred/{listed['created_at'][:10].replace('-', '')}/{listed['file_key']}/plan.docx"
    assert world.store.client.get_object_tagging(Bucket=world.store.bucket, Key=key)["TagSet"] == []


def test_a_temporary_file_of_a_session_that_has_ended_cannot_be_kept(world: World, session: Session) -> None:
    made(world, session, {"name": "a.txt", "mime": "text/plain"}, deferred=False, temporary=True)
    http = world.person(session.user)
    (listed,) = http.get("/api/files").json()["files"]
    assert listed["temporary"] is True
    world.sessions.end(session.user, session.session_id, world.clock.now())
    refused = http.post(f"/api/files/{listed['file_key']}/keep")
    assert (refused.status_code, refused.json()["error_code"]) == (409, "E_SESSION_ENDED")


def test_nobody_keeps_somebody_elses_file(world: World, session: Session) -> None:
    made(world, session, DRAFT, deferred=True)
    (listed,) = world.person(session.user).get("/api/files").json()["files"]
    assert world.person(someone()).post(f"/api/files/{listed['file_key']}/keep").status_code == 404

"""What was done in a session, as its owner reads it."""

from typing import Any

from starlette.testclient import TestClient

from satchel.domain.audit import call_entry
from satchel.domain.calls import CallResult
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import Session
from tests.integration.aws.makers import a_call, a_turn, fresh
from tests.integration.http.desk import Answer, Desk, session_not_found
from tests.integration.http.world import World

BODY = b"0123456789"


def audit(desk: Desk, session_id: str, query: str = "") -> Answer:
    return desk.get(f"/api/sessions/{session_id}/audit{query}")


def called(world: World, session: Session, arguments: str = "{}") -> str:
    """Let a call have ended; return its id."""
    call = a_call(a_turn(session, created_at=world.clock.now()), arguments=arguments)
    settled = CallResult(is_error=True, error_code="E_TIMEOUT", meta_data={"reason": "ExecutionTimeout"})
    world.audit_trail.keep(session.session_id, call_entry(call, settled, world.clock.now()))
    return call.call_id


def kept(world: World, user: str, session_id: str) -> Session:
    session = world.sessions.get(UserName(user), SessionId(session_id))
    assert session is not None
    return session


def test_a_session_begins_with_nothing(desk: Desk) -> None:
    assert audit(desk, desk.session()) == {"entries": [], "cursor": None}


def test_a_call_is_shown_without_secrets(world: World, desk: Desk, user: str) -> None:
    session_id = desk.session()
    call_id = called(world, kept(world, user, session_id), '{"text": "a", "token": "s3cret"}')

    (entry,) = audit(desk, session_id)["entries"]
    assert entry == {
        "kind": "tool_call",
        "audit_id": entry["audit_id"],
        "at": world.clock.now().isoformat().replace("+00:00", "Z"),
        "user": user,
        "session_id": session_id,
        "turn_id": call_id[:27],
        "call_id": call_id,
        "tool": "report.summarise",
        "arguments": {"text": "a", "token": "[redacted]"},
        "result": "error",
        "error_code": "E_TIMEOUT",
        "reason": "ExecutionTimeout",
        "duration_seconds": None,
    }


def test_a_download_is_shown_whoever_used_the_link(world: World, desk: Desk, anybody: TestClient, user: str) -> None:
    session_id = desk.session()
    file = desk.upload("a.csv", BODY, session_id=session_id)
    assert anybody.get(file["download_url"]).content == BODY
    assert anybody.get(file["download_url"], headers={"Range": "bytes=0-1"}).status_code == 206

    shown = audit(desk, session_id)["entries"]
    assert [entry["kind"] for entry in shown] == ["download"] * 2
    assert shown[0] == {
        "kind": "download",
        "audit_id": shown[0]["audit_id"],
        "at": world.clock.now().isoformat().replace("+00:00", "Z"),
        "user": user,
        "session_id": session_id,
        "file_key": file["file_key"],
        "version": 1,
        "file_name": "a.csv",
        "size": 10,
        "audience": "ui",
        "result": "ok",
        "error_code": None,
        "duration_seconds": 0.0,
    }


def test_looking_at_the_headers_alone_fetches_nothing(desk: Desk, anybody: TestClient) -> None:
    session_id = desk.session()
    anybody.head(desk.upload("a.csv", BODY, session_id=session_id)["download_url"])

    assert audit(desk, session_id)["entries"] == []


def test_a_link_that_came_too_late_fetches_nothing_either(desk: Desk, http: TestClient, anybody: TestClient) -> None:
    session_id = desk.session()
    file = desk.upload("a.csv", BODY, session_id=session_id)
    assert http.delete(f"/api/files/{file['file_key']}").status_code == 204
    assert anybody.get(file["download_url"]).status_code == 404
    assert anybody.get(f"/api/files/download/{file['file_key']}?token=forged").status_code == 404

    assert audit(desk, session_id)["entries"] == []


def test_it_is_newest_first_in_pages(world: World, desk: Desk, user: str) -> None:
    session = kept(world, user, desk.session())
    made = [called(world, session) for _ in range(5)]

    shown: list[Any] = []
    cursor = ""
    for size in (2, 2, 1):
        page = audit(desk, session.session_id, f"?limit=2{cursor}")
        assert len(page["entries"]) == size
        shown += [entry["call_id"] for entry in page["entries"]]
        cursor = f"&cursor={page['cursor']}"
    assert (shown, cursor) == (made[::-1], "&cursor=None")


def test_it_can_be_read_when_the_session_has_ended(world: World, desk: Desk, http: TestClient, user: str) -> None:
    session_id = desk.session()
    called(world, kept(world, user, session_id))
    assert http.delete(f"/api/sessions/{session_id}").status_code == 204

    assert len(audit(desk, session_id)["entries"]) == 1


def test_nobody_else_finds_it(world: World, desk: Desk) -> None:
    session_id = desk.session()
    for who, where in ((world.person("mallory@example.com"), session_id), (desk.http, fresh("s"))):
        answer = who.get(f"/api/sessions/{where}/audit")
        assert (answer.status_code, answer.json()) == (404, session_not_found(where))


def test_a_cursor_that_is_none_is_refused(desk: Desk) -> None:
    answer = desk.http.get(f"/api/sessions/{desk.session()}/audit?cursor=xyz")

    assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")

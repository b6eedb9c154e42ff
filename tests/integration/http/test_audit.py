"""The audit log of a session over HTTP."""

from typing import Any

from starlette.testclient import TestClient

from satchel.domain.audit import ended_call_entry
from satchel.domain.calls import CallResult
from satchel.domain.ids import SessionId, UserName
from satchel.domain.sessions import Session
from tests.integration.aws.factories import make_call, make_turn, random_id
from tests.integration.http.api_client import ApiClient, Json, session_not_found
from tests.integration.http.backend import Backend

BODY = b"0123456789"


def read_audit(api: ApiClient, session_id: str, query: str = "") -> Json:
    return api.get_json(f"/api/sessions/{session_id}/audit{query}")


def record_call(backend: Backend, session: Session, arguments: str = "{}") -> str:
    """Record an ended call in the audit log. Return its id."""
    call = make_call(make_turn(session, created_at=backend.clock.now()), arguments=arguments)
    result = CallResult(is_error=True, error_code="E_TIMEOUT", meta_data={"reason": "ExecutionTimeout"})
    backend.audit_trail.add(session.session_id, ended_call_entry(call, result, backend.clock.now()))
    return call.call_id


def load_session(backend: Backend, user: UserName, session_id: str) -> Session:
    session = backend.sessions.get(user, SessionId(session_id))
    assert session is not None
    return session


def test_audit_log_of_a_new_session_is_empty(api: ApiClient) -> None:
    assert read_audit(api, api.create_session()) == {"entries": [], "cursor": None}


def test_tool_call_is_listed_with_redacted_secrets(backend: Backend, api: ApiClient, user: UserName) -> None:
    session_id = api.create_session()
    call_id = record_call(backend, load_session(backend, user, session_id), '{"text": "a", "token": "s3cret"}')

    (entry,) = read_audit(api, session_id)["entries"]
    assert entry == {
        "kind": "tool_call",
        "audit_id": entry["audit_id"],
        "at": backend.clock.now().isoformat().replace("+00:00", "Z"),
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


def test_anonymous_downloads_by_link_are_listed(
    backend: Backend, api: ApiClient, anonymous: TestClient, user: UserName
) -> None:
    session_id = api.create_session()
    file = api.upload("a.csv", BODY, session_id=session_id)
    assert anonymous.get(file["download_url"]).content == BODY
    assert anonymous.get(file["download_url"], headers={"Range": "bytes=0-1"}).status_code == 206

    shown = read_audit(api, session_id)["entries"]
    assert [entry["kind"] for entry in shown] == ["download"] * 2
    assert shown[0] == {
        "kind": "download",
        "audit_id": shown[0]["audit_id"],
        "at": backend.clock.now().isoformat().replace("+00:00", "Z"),
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


def test_head_request_is_not_listed_as_a_download(api: ApiClient, anonymous: TestClient) -> None:
    session_id = api.create_session()
    anonymous.head(api.upload("a.csv", BODY, session_id=session_id)["download_url"])

    assert read_audit(api, session_id)["entries"] == []


def test_rejected_download_is_not_listed(api: ApiClient, http: TestClient, anonymous: TestClient) -> None:
    session_id = api.create_session()
    file = api.upload("a.csv", BODY, session_id=session_id)
    assert http.delete(f"/api/files/{file['file_key']}").status_code == 204
    assert anonymous.get(file["download_url"]).status_code == 404
    assert anonymous.get(f"/api/files/download/{file['file_key']}?token=forged").status_code == 404

    assert read_audit(api, session_id)["entries"] == []


def test_audit_log_is_listed_newest_first_in_pages(backend: Backend, api: ApiClient, user: UserName) -> None:
    session = load_session(backend, user, api.create_session())
    call_ids = [record_call(backend, session) for _ in range(5)]

    shown: list[Any] = []
    cursor = ""
    for size in (2, 2, 1):
        page = read_audit(api, session.session_id, f"?limit=2{cursor}")
        assert len(page["entries"]) == size
        shown += [entry["call_id"] for entry in page["entries"]]
        cursor = f"&cursor={page['cursor']}"
    assert (shown, cursor) == (call_ids[::-1], "&cursor=None")


def test_audit_log_can_be_read_after_the_session_has_ended(
    backend: Backend, api: ApiClient, http: TestClient, user: UserName
) -> None:
    session_id = api.create_session()
    record_call(backend, load_session(backend, user, session_id))
    assert http.delete(f"/api/sessions/{session_id}").status_code == 204

    assert len(read_audit(api, session_id)["entries"]) == 1


def test_audit_log_of_another_user_or_a_missing_session_is_not_found(backend: Backend, api: ApiClient) -> None:
    session_id = api.create_session()
    for client, requested in ((backend.client_for("mallory@example.com"), session_id), (api.http, random_id("s"))):
        response = client.get(f"/api/sessions/{requested}/audit")
        assert (response.status_code, response.json()) == (404, session_not_found(requested))


def test_invalid_cursor_is_rejected(api: ApiClient) -> None:
    response = api.http.get(f"/api/sessions/{api.create_session()}/audit?cursor=xyz")

    assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")

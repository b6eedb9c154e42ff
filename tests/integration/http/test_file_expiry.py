"""Deferred and temporary files over HTTP: their fields, keeping them, their deletion."""

from datetime import timedelta

import pytest

from satchel.domain.sessions import Session
from satchel.domain.timestamps import format_time
from tests.integration.aws.factories import make_session, new_user
from tests.integration.http.backend import Backend, record_file

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
def session(backend: Backend) -> Session:
    session = make_session(new_user(), created_at=backend.clock.now(), last_used_at=backend.clock.now())
    backend.sessions.create(session)
    return session


def sweep_files(backend: Backend) -> int:
    return backend.use_cases.sweep(lambda: True).files


@pytest.mark.clause("v2.1:deferred:fields", "v2.1:deferred:by-name", "v2.1:deferred:swept")
def test_deferred_file_is_listed_usable_by_name_and_deleted_at_expiry(backend: Backend, session: Session) -> None:
    call = record_file(backend, session, DRAFT, deferred=True)
    http = backend.client_for(session.user)
    (listed,) = http.get("/api/files", params={"session_id": session.session_id}).json()["files"]
    fields = ("name", "source", "status", "reason", "next_actions", "category", "expires_at")
    assert {name: listed[name] for name in fields} == {
        "name": "plan.docx",
        "source": "deferred",
        "status": "awaiting approval",
        "reason": "awaiting_approval",
        "next_actions": ["Ask Eve", "Send it"],
        "category": "draft",
        "expires_at": format_time(backend.clock.now() + timedelta(hours=5)),
    }
    resolve = backend.use_cases.resolve_inputs
    resolved, unresolved = resolve._find(call, ["plan.docx"])  # noqa: SLF001  (resolves the argument of a later call)
    assert (resolved["plan.docx"].file_key, unresolved) == (listed["file_key"], {})
    key = resolved["plan.docx"].key
    assert key.startswith(f"{session.user}/deferred/")
    tags = backend.store.client.get_object_tagging(Bucket=backend.store.bucket, Key=key)["TagSet"]
    assert tags == [{"Key": "expire-days", "Value": "1"}]

    backend.clock.advance(5 * HOUR)
    assert http.get(f"/api/files/{listed['file_key']}").status_code == 404
    assert http.get("/api/files").json()["files"] == []
    assert http.post(f"/api/files/{listed['file_key']}/keep").status_code == 404
    assert http.get(listed["download_url"]).status_code == 404
    assert backend.store.head(key) is not None
    backend.clock.advance(10)
    assert sweep_files(backend) == 1
    assert backend.store.head(key) is None
    assert sweep_files(backend) == 0


def test_kept_deferred_file_is_not_deleted(backend: Backend, session: Session) -> None:
    record_file(backend, session, DRAFT, deferred=True)
    http = backend.client_for(session.user)
    (listed,) = http.get("/api/files").json()["files"]
    response = http.post(f"/api/files/{listed['file_key']}/keep")
    assert response.status_code == 200
    kept_file = response.json()
    kept_fields: dict[str, object] = {
        "source": "generated",
        "status": None,
        "reason": None,
        "next_actions": [],
        "expires_at": None,
    }
    links = {"download_url": kept_file["download_url"]}
    assert kept_file == listed | kept_fields | links
    assert http.post(f"/api/files/{listed['file_key']}/keep").json() | links == kept_file
    backend.clock.advance(400 * 24 * HOUR)
    assert sweep_files(backend) == 0
    (still,) = http.get("/api/files").json()["files"]
    assert still | links == kept_file
    key = f"{session.user}/deferred/{listed['created_at'][:10].replace('-', '')}/{listed['file_key']}/plan.docx"
    assert backend.store.client.get_object_tagging(Bucket=backend.store.bucket, Key=key)["TagSet"] == []


def test_temporary_file_of_an_ended_session_cannot_be_kept(backend: Backend, session: Session) -> None:
    record_file(backend, session, {"name": "a.txt", "mime": "text/plain"}, deferred=False, temporary=True)
    http = backend.client_for(session.user)
    (listed,) = http.get("/api/files").json()["files"]
    assert listed["temporary"] is True
    backend.sessions.end(session.user, session.session_id, backend.clock.now())
    response = http.post(f"/api/files/{listed['file_key']}/keep")
    assert (response.status_code, response.json()["error_code"]) == (409, "E_SESSION_ENDED")


def test_file_of_another_user_cannot_be_kept(backend: Backend, session: Session) -> None:
    record_file(backend, session, DRAFT, deferred=True)
    (listed,) = backend.client_for(session.user).get("/api/files").json()["files"]
    assert backend.client_for(new_user()).post(f"/api/files/{listed['file_key']}/keep").status_code == 404

"""Quotas of a user over HTTP: 429 with Retry-After if waiting helps, 413 if the storage is full."""

import pytest

from satchel.domain.ids import UserName
from satchel.entrypoints.http.request_rates import BURST_SECONDS, RequestRates
from satchel.settings import QuotaSettings
from tests.integration.aws.factories import new_user, run_concurrently
from tests.integration.http.api_client import ApiClient, problem
from tests.integration.http.backend import Backend
from tests.integration.http.operations import OPERATIONS

RATE = 20
QUOTAS = QuotaSettings(
    user_open_sessions=3,
    user_turns_per_minute=2,
    user_running_calls=4,
    user_uploads=2,
    user_stored_bytes=1000,
    user_requests_per_second=RATE,
)


@pytest.fixture(scope="module")
def module_backend(cloud: None) -> Backend:
    del cloud
    return Backend(QUOTAS)


@pytest.fixture
def backend(module_backend: Backend) -> Backend:
    module_backend.clock.advance(60 - module_backend.clock.now().timestamp() % 60)
    return module_backend


def test_session_past_the_quota_returns_429_until_one_ends(api: ApiClient, user: UserName) -> None:
    del user
    first = api.create_session()
    responses = run_concurrently([lambda: api.http.post("/api/sessions")] * 4)

    statuses = sorted(response.status_code for response in responses if not isinstance(response, Exception))
    assert statuses == [201, 201, 429, 429]
    response = api.http.post("/api/sessions")
    assert "Retry-After" not in response.headers
    assert response.json() == problem(
        429,
        "Too many requests",
        "E_QUOTA_EXCEEDED",
        "You have 3 open chats, the maximum. End one, then try again (DELETE /api/sessions/{session_id}).",
        quota="open_sessions",
        limit=3,
        used=3,
    )
    assert api.http.delete(f"/api/sessions/{first}").status_code == 204
    api.create_session()


def test_turn_past_the_quota_returns_429_with_the_seconds_to_wait(backend: Backend, api: ApiClient) -> None:
    sessions = [api.create_session() for _ in range(3)]
    repeat = {"Idempotency-Key": "one"}
    first, again = (
        api.http.post(f"/api/sessions/{sessions[0]}/turns", json={"message": "a"}, headers=repeat) for _ in range(2)
    )
    assert first.json()["turn_id"] == again.json()["turn_id"]
    api.start_turn(sessions[1])
    backend.clock.advance(37)

    response = api.http.post(f"/api/sessions/{sessions[2]}/turns", json={"message": "a"})

    assert (response.status_code, response.headers["Retry-After"]) == (429, "23")
    assert response.json() == problem(
        429,
        "Too many requests",
        "E_QUOTA_EXCEEDED",
        "You sent 2 messages in this minute, the maximum. Try again in 23 seconds.",
        quota="turns_per_minute",
        limit=2,
        used=2,
        retry_after=23,
    )
    backend.clock.advance(23)
    api.start_turn(sessions[2])


def test_upload_past_the_quota_returns_429_until_one_is_aborted(api: ApiClient) -> None:
    body = {"name": "a", "size": 10}
    upload = api.http.post("/api/files/uploads", json=body).json()
    api.http.post("/api/files/uploads", json=body)

    response = api.http.post("/api/files/uploads", json=body)

    assert response.status_code == 429
    assert (response.json()["quota"], response.json()["used"]) == ("uploads", 2)
    assert "GET /api/files/uploads" in response.json()["detail"]
    api.http.delete(f"/api/files/uploads/{upload['upload_id']}")
    assert api.http.post("/api/files/uploads", json=body).status_code == 201


def test_file_past_the_storage_quota_returns_413(api: ApiClient) -> None:
    api.upload("a.bin", b"a" * 900)

    small = api.http.post("/api/files/content", json={"name": "b", "b64": "YQ==" * 50 + "YWFh" * 50})
    large = api.http.post("/api/files/uploads", json={"name": "b", "size": 101})

    assert small.status_code in {413, 422}
    assert (large.status_code, "Retry-After" in large.headers) == (413, False)
    assert large.json() == problem(
        413,
        "Too large",
        "E_QUOTA_EXCEEDED",
        "The file has 101 bytes, but your files and uploads in progress already take 900 of 1000 bytes. "
        "Delete files, then try again.",
        quota="stored_bytes",
        limit=1000,
        used=900,
    )


def test_me_shows_the_quotas_and_when_the_minute_ends(api: ApiClient, backend: Backend) -> None:
    session = api.create_session()
    api.start_turn(session)
    api.upload("a.bin", b"a" * 100)
    api.http.post("/api/files/uploads", json={"name": "b", "size": 50})

    quotas = api.get_json("/api/me")["quotas"]

    resets_at = quotas["turns_per_minute"].pop("resets_at")
    assert quotas == {
        "open_sessions": {"limit": 3, "used": 1, "resets_at": None},
        "turns_per_minute": {"limit": 2, "used": 1},
        "running_calls": {"limit": 4, "used": 0, "resets_at": None},
        "uploads": {"limit": 2, "used": 1, "resets_at": None},
        "stored_bytes": {"limit": 1000, "used": 150, "resets_at": None},
    }
    assert resets_at == f"{backend.clock.now():%Y-%m-%dT%H}:{backend.clock.now().minute + 1:02d}:00Z"


def test_other_users_are_answered_while_one_floods_the_api(backend: Backend) -> None:
    backend.local_app.state.request_rates = RequestRates(RATE, now=lambda: 0)
    flooder, other = backend.client_for(new_user()), backend.client_for(new_user())

    flood = [flooder.get("/api/config") for _ in range(RATE * (BURST_SECONDS + 2))]
    answers = [other.get("/api/config") for _ in range(RATE)]

    refused = [response for response in flood if response.status_code == 429]
    assert len(refused) == RATE * 2
    assert {response.headers["Retry-After"] for response in refused} == {"1"}
    assert refused[0].json() == problem(
        429,
        "Too many requests",
        "E_QUOTA_EXCEEDED",
        f"You sent more than {RATE} requests per second. Try again in 1 second.",
        quota="requests_per_second",
        limit=RATE,
        retry_after=1,
    )
    assert {response.status_code for response in answers} == {200}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_document_declares_429_with_retry_after(operation: object) -> None:
    spec = operation.spec  # type: ignore[attr-defined]
    headers = spec["responses"]["429"]["headers"]
    assert headers["Retry-After"]["schema"] == {"type": "integer", "minimum": 1}

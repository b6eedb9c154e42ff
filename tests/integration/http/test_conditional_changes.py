"""Changes with ``If-Match``: they apply only to the state that the client has read."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.domain.ids import SessionId, UserName
from tests.integration.http.api_client import ApiClient, problem
from tests.integration.http.backend import Backend, record_file

CHANGED = problem(
    412,
    "Precondition failed",
    "E_CHANGED",
    "It was changed meanwhile. Read it again, then decide whether to change it.",
)
SETTINGS = "/api/me/settings"


@pytest.fixture
def session(api: ApiClient) -> str:
    return f"/api/sessions/{api.create_session(title='one')}"


def patch(http: TestClient, path: str, title: str, if_match: str) -> tuple[int, object]:
    response = http.patch(path, json={"title": title}, headers={"If-Match": if_match})
    return response.status_code, response.json() if response.status_code == 412 else response.headers["etag"]


def test_session_changes_only_if_it_has_not_changed_since_it_was_read(http: TestClient, session: str) -> None:
    first = http.get(session).headers["etag"]
    status, second = patch(http, session, "two", first)
    assert (status, second) == (200, http.get(session).headers["etag"])
    assert first != second

    assert patch(http, session, "three", first) == (412, CHANGED)

    assert http.get(session).json()["title"] == "two"
    assert patch(http, session, "three", f'"other", {second}')[0] == 200


@pytest.mark.parametrize("if_match", ["W/{}", '"other"', "", '""'])
def test_weak_and_other_tags_never_match(http: TestClient, session: str, if_match: str) -> None:
    etag = http.get(session).headers["etag"]
    assert patch(http, session, "two", if_match.format(etag)) == (412, CHANGED)


def test_asterisk_and_requests_without_the_header_always_change(http: TestClient, session: str) -> None:
    assert patch(http, session, "two", "*")[0] == 200
    assert http.patch(session, json={"title": "three"}).status_code == 200


def test_new_turn_keeps_the_tag_of_the_session(http: TestClient, api: ApiClient, session: str) -> None:
    etag = http.get(session).headers["etag"]
    api.start_turn(session.rpartition("/")[2])
    assert http.get(session).headers["etag"] == etag


def test_of_requests_at_the_same_time_only_one_changes_the_session(http: TestClient, session: str) -> None:
    etag = http.get(session).headers["etag"]
    with ThreadPoolExecutor(6) as threads:
        statuses = list(threads.map(lambda number: patch(http, session, f"{number}", etag)[0], range(6)))
    assert sorted(statuses) == [200, 412, 412, 412, 412, 412]


def test_settings_change_only_if_they_have_not_changed_since_they_were_read(http: TestClient) -> None:
    first = http.get(SETTINGS).headers["etag"]

    def put(text: str, if_match: str) -> tuple[int, str | None]:
        response = http.put(SETTINGS, json={"instructions": text}, headers={"If-Match": if_match})
        return response.status_code, response.headers.get("etag")

    status, second = put("Be brief.", first)
    assert (status, second) == (204, http.get(SETTINGS).headers["etag"])
    assert put("Be long.", first) == (412, None)
    assert http.get(SETTINGS).json() == {"instructions": "Be brief."}
    with ThreadPoolExecutor(4) as threads:
        statuses = list(threads.map(lambda number: put(f"{number}", str(second))[0], range(4)))
    assert sorted(statuses) == [204, 412, 412, 412]


def test_settings_that_the_client_has_are_not_sent_again(http: TestClient) -> None:
    etag = http.get(SETTINGS).headers["etag"]
    response = http.get(SETTINGS, headers={"If-None-Match": etag})
    assert (response.status_code, response.content, response.headers["etag"]) == (304, b"", etag)
    http.put(SETTINGS, json={"instructions": "Be brief."})
    assert http.get(SETTINGS, headers={"If-None-Match": etag}).json() == {"instructions": "Be brief."}


def test_file_is_deleted_only_if_it_has_no_newer_version_than_the_client_has_read(
    http: TestClient, api: ApiClient
) -> None:
    file = f"/api/files/{api.upload('a.csv')['file_key']}"
    first = http.get(file).headers["etag"]
    api.upload("a.csv")
    second = http.get(file).headers["etag"]
    assert http.get(file, params={"version": 1}).headers["etag"] == first != second

    refused = http.delete(file, headers={"If-Match": first})

    assert (refused.status_code, refused.json()) == (412, CHANGED)
    assert http.get(file).json()["version"] == 2
    repeated = [http.delete(file, headers={"If-Match": second}).status_code for _ in range(2)]
    assert repeated == [204, 204]
    assert http.get(file).status_code == 404


def test_file_is_kept_only_if_it_has_not_changed_since_the_client_read_it(
    backend: Backend, http: TestClient, api: ApiClient, user: UserName
) -> None:
    file = expiring_file(backend, http, api, user)
    first = http.get(file).headers["etag"]
    assert http.post(f"{file}/keep", headers={"If-Match": '"other"'}).json() == CHANGED
    assert http.get(file).headers["etag"] == first

    stored = http.post(f"{file}/keep", headers={"If-Match": first})

    assert (stored.status_code, stored.headers["etag"]) == (200, http.get(file).headers["etag"])
    assert stored.headers["etag"] != first
    assert http.post(f"{file}/keep", headers={"If-Match": first}).json() == CHANGED
    assert http.delete(file, headers={"If-Match": first}).json() == CHANGED


def test_file_that_is_kept_during_its_deletion_is_not_deleted(
    backend: Backend, http: TestClient, api: ApiClient, user: UserName, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = expiring_file(backend, http, api, user)
    etag = http.get(file).headers["etag"]
    build_deletes = DynamoFiles.build_deletes

    def keep_before(self: DynamoFiles, *args: Any) -> Any:  # noqa: ANN401  (those of build_deletes)
        monkeypatch.setattr(DynamoFiles, "build_deletes", build_deletes)
        assert http.post(f"{file}/keep").status_code == 200
        return build_deletes(self, *args)

    monkeypatch.setattr(DynamoFiles, "build_deletes", keep_before)
    assert http.delete(file, headers={"If-Match": etag}).json() == CHANGED
    assert http.get(file).json()["expires_at"] is None


def test_file_that_is_kept_twice_at_the_same_time_was_changed_for_the_second_request(
    backend: Backend, http: TestClient, api: ApiClient, user: UserName
) -> None:
    file = expiring_file(backend, http, api, user)
    etag = http.get(file).headers["etag"]
    with ThreadPoolExecutor(4) as threads:
        keep = threads.map(lambda _: http.post(f"{file}/keep", headers={"If-Match": etag}).status_code, range(4))
    assert sorted(keep) == [200, 412, 412, 412]


def expiring_file(backend: Backend, http: TestClient, api: ApiClient, user: UserName) -> str:
    """Store a deferred file of a tool, which expires, and return its path."""
    session = backend.sessions.get(user, SessionId(api.create_session()))
    assert session is not None
    fields: dict[str, object] = {"name": "draft.txt", "reason": "review", "ttl_hours": 1}
    record_file(backend, session, fields, deferred=True)
    [file] = http.get("/api/files").json()["files"]
    return f"/api/files/{file['file_key']}"

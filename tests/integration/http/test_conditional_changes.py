"""Changes with ``If-Match``: they apply only to the state that the client has read."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from tests.integration.http.api_client import ApiClient, problem

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

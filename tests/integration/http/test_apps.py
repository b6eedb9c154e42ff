"""Apps of MCP servers over HTTP."""

import io

import httpx2
import pytest
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.requests import DynamoRequestKeys
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.contract import APP_MIME
from satchel.domain.ids import FileKey, TurnId, UserName, call_id
from tests.integration.http.api_client import ApiClient, Json
from tests.integration.http.backend import Backend
from tests.integration.http.crashes import crash_once


def test_app_has_the_state_that_its_call_has_left(backend: Backend, api: ApiClient, user: UserName) -> None:
    session_id = api.create_session()
    turn_id = api.start_turn(session_id)
    backend.request_approval(user, session_id, turn_id)
    app_key = backend.open_app(user, session_id, turn_id)

    app = api.get_json(f"/api/apps/{app_key}")

    assert (app["call_id"], app["tool_name"]) == (call_id(TurnId(turn_id), 0, 0), "report.summarise")
    assert app["state"]["uri"] == "ui://report/page"
    assert app["state"]["policy"]["connect_domains"] == []


def test_other_file_is_no_app(api: ApiClient) -> None:
    response = api.http.get(f"/api/apps/{api.upload('a.csv')['file_key']}")

    assert (response.status_code, response.json()["error_code"]) == (404, "E_APP_NOT_FOUND")


def open_link(anonymous: TestClient, url: str) -> tuple[str, str, str]:
    """Open a link without sign-in. Return the type, the disposition and the text."""
    response = anonymous.get(url.removeprefix("http://api.example"))
    assert response.status_code == 200
    return response.headers["content-type"], response.headers["content-disposition"].partition(";")[0], response.text


def test_shared_link_to_an_app_opens_its_still(
    backend: Backend, api: ApiClient, user: UserName, anonymous: TestClient
) -> None:
    _, app_key = app_of(backend, api, user)
    url = api.http.post(f"/api/files/{app_key}/link").json()["url"].removeprefix("http://api.example")

    response = anonymous.get(url)

    assert (response.status_code, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "report.summarise" in response.text
    assert response.headers["content-disposition"].startswith('inline; filename="report.still.html"')
    assert response.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    head = anonymous.head(url)
    assert (head.content, head.headers["content-length"]) == (b"", str(len(response.content)))
    again = anonymous.get(url, headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_own_link_to_an_app_opens_its_page_or_on_request_its_still(
    backend: Backend, api: ApiClient, user: UserName, anonymous: TestClient
) -> None:
    _, app_key = app_of(backend, api, user)
    record = backend.files.get(user, FileKey(app_key))
    assert record is not None
    backend.store.put(record.key, io.BytesIO(b"<p>"), APP_MIME)
    url = api.get_json(f"/api/files/{app_key}")["download_url"]

    assert open_link(anonymous, url)[1:] == ("attachment", "<p>")
    kind, disposition, text = open_link(anonymous, f"{url}&still=true")
    assert (kind, disposition) == ("text/html; charset=utf-8", "inline")
    assert "report.summarise" in text


def test_other_files_have_no_still(api: ApiClient, anonymous: TestClient) -> None:
    file = api.upload("a.csv", b"a\n1\n")
    page = api.http.post("/api/files", files={"file": ("a.app.html", b"<p>mine</p>", APP_MIME)}).json()

    assert open_link(anonymous, f"{file['download_url']}&still=true")[2] == "a\n1\n"
    url = api.http.post(f"/api/files/{page['file_key']}/link").json()["url"]
    assert open_link(anonymous, url)[1:] == ("attachment", "<p>mine</p>")


def upload_from_app(http: TestClient, app_key: str, **fields: str) -> tuple[int, Json]:
    """Upload a file that an app creates. Return the status and the body of the response."""
    form = {"app_key": app_key} | fields
    response = http.post("/api/files", files={"file": ("part.csv", b"a\n1\n", "text/csv")}, data=form)
    return response.status_code, response.json()


def app_of(backend: Backend, api: ApiClient, user: UserName) -> tuple[str, str]:
    """Let a call open an app. Return its session and its file."""
    session_id = api.create_session()
    turn_id = api.start_turn(session_id)
    backend.request_approval(user, session_id, turn_id)
    return session_id, backend.open_app(user, session_id, turn_id)


@pytest.mark.parametrize("crashed_at", [None, (DynamoTurns, "begin_for_app"), (DynamoRequestKeys, "finish")])
def test_repeated_call_with_a_key_runs_the_tool_once(
    backend: Backend,
    api: ApiClient,
    user: UserName,
    monkeypatch: pytest.MonkeyPatch,
    crashed_at: tuple[type, str] | None,
) -> None:
    """Also if the first request crashed behind its first or its last write."""
    _, app_key = app_of(backend, api, user)
    before = len(backend.workflow.started)

    def call() -> httpx2.Response:
        body = {"tool": "summarise", "arguments": {"filename": "a.csv"}}
        return api.http.post(f"/api/apps/{app_key}/calls", json=body, headers={"Idempotency-Key": "k1"})

    with monkeypatch.context() as patch:
        if crashed_at:
            crash_once(patch, *crashed_at, before=False)
        assert call().status_code == (500 if crashed_at else 202)
    backend.clock.advance(61)
    responses = [call() for _ in range(2)]

    assert [each.status_code for each in responses] == [202, 202]
    assert {each.json()["turn_id"] for each in responses} == {
        turn_id for *_, turn_id in backend.workflow.started[before:]
    }
    assert len(backend.workflow.started) == before + 1


def test_file_of_an_app_is_listed_with_the_app_as_its_source(backend: Backend, api: ApiClient, user: UserName) -> None:
    session_id, app_key = app_of(backend, api, user)

    status, _ = upload_from_app(api.http, app_key)

    assert status == 201
    [listed] = [file for file in api.get_json("/api/files")["files"] if file["name"] == "part.csv"]
    assert (listed["source"], listed["app"], listed["session_id"]) == ("uploaded", "report.summarise", session_id)


def test_upload_in_parts_has_the_app_as_its_source(backend: Backend, api: ApiClient, user: UserName) -> None:
    session_id, app_key = app_of(backend, api, user)

    begun = api.http.post("/api/files/uploads", json={"name": "a.csv", "size": 5, "app_key": app_key})

    assert (begun.json()["app"], begun.json()["session_id"]) == ("report.summarise", session_id)


def test_file_of_an_app_belongs_to_no_other_session(backend: Backend, api: ApiClient, user: UserName) -> None:
    _, app_key = app_of(backend, api, user)
    status, _ = upload_from_app(api.http, app_key, session_id=api.create_session())
    assert status == 422


def test_app_of_another_user_and_other_files_create_no_files(
    backend: Backend, api: ApiClient, user: UserName, other_user: TestClient
) -> None:
    _, app_key = app_of(backend, api, user)
    no_app = api.upload("a.csv")["file_key"]

    refused = [
        upload_from_app(http, key) for http, key in ((other_user, app_key), (api.http, no_app), (api.http, "../x"))
    ]

    assert [(status, body["error_code"]) for status, body in refused] == [
        (404, "E_FILE_NOT_FOUND"),
        (404, "E_APP_NOT_FOUND"),
        (404, "E_FILE_NOT_FOUND"),
    ]

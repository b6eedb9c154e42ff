"""Requests for the data of another user, over all routes of the OpenAPI document.

The users are separated by the header of the local run, and by the sessions of password mode.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.testclient import TestClient

from local.emulator.sign_in.gateway import identity_from_session
from satchel.domain.ids import FileKey, TurnId, UserName, call_id
from tests.fakes.accounts import CLIENT, PASSWORD, sign_in_parts
from tests.integration.aws.factories import new_user, random_id
from tests.integration.http.api_client import ApiClient, Json, b64
from tests.integration.http.backend import Backend, make_client
from tests.integration.http.operations import OPERATIONS, Operation

Ids = dict[str, str]
ClientFor = Callable[[str], TestClient]

BY_LABEL = {operation.label: operation for operation in OPERATIONS}
LISTS = {
    "GET /api/sessions": "sessions",
    "GET /api/files/uploads": "uploads",
    "GET /api/files": "files",
    "GET /api/links": "links",
    "GET /api/chat-links": "links",
    "GET /api/me/tokens": "tokens",
}
"""The routes that list the caller's own data, and the name of the list."""
WITHOUT_IDS = {
    "GET /api/health",
    "GET /.well-known/jwks.json",
    "GET /api/config",
    "GET /api/shared-chat",
    "GET /api/tools",
    "GET /api/resources",
    "GET /api/prompts",
    "POST /api/prompts",
    "POST /api/prompts/completion",
    "POST /api/resources",
    "POST /api/sessions",
    "GET /api/conversations",
    "POST /api/conversations",
    "POST /api/ws-ticket",
    "DELETE /api/links",
    "GET /api/me",
    "DELETE /api/me",
    "GET /api/me/settings",
    "PUT /api/me/settings",
    "POST /api/me/tokens",
}
"""The routes that cannot name the data of another user."""

SAFE_TO_REPEAT = {
    "DELETE /api/conversations/{session_id}",
    "DELETE /api/sessions/{session_id}",
    "DELETE /api/files/{file_key}",
    "DELETE /api/files/uploads/{upload_id}",
    "DELETE /api/links/{link_id}",
    "DELETE /api/chat-links/{chat_link_id}",
    "DELETE /api/me/tokens/{token_id}",
}
"""The routes that answer 204 also if there is nothing to delete."""


@dataclass(frozen=True)
class Request:
    """A request of an operation. ``{name}`` in its values is replaced by an id."""

    label: str
    query: Ids = field(default_factory=dict)
    body: Json | None = None
    form: Ids | None = None
    """Fields of a form with a file."""
    own: Ids = field(default_factory=dict)
    """Ids that belong to the caller, although the other ids in the request do not."""

    @property
    def name(self) -> str:
        return " ".join([self.label, *self.query, *(self.body or {}), *(self.form or {}), *self.own])


OWN_SESSION = {"session_id": "{own_session_id}"}
TURN = "/api/sessions/{session_id}/turns/{turn_id}"
UPLOAD = "/api/files/uploads/{upload_id}"
FILE = "/api/files/{file_key}"
REQUESTS = [
    Request("GET /api/sessions/{session_id}"),
    Request("PATCH /api/sessions/{session_id}", body={"title": "taken"}),
    Request("DELETE /api/sessions/{session_id}"),
    Request("GET /api/sessions/{session_id}/audit"),
    Request("GET /api/conversations/{session_id}"),
    Request("DELETE /api/conversations/{session_id}"),
    Request("POST /api/sessions/{session_id}/turns", body={"message": "hello"}),
    Request("POST /api/sessions/{session_id}/turns", body={"message": "x", "files": ["{file_key}"]}, own=OWN_SESSION),
    *(
        Request(label, query, body, own=own)
        for own in ({}, OWN_SESSION)
        for label, query, body in (
            (f"GET {TURN}", {}, None),
            (f"DELETE {TURN}", {}, None),
            (f"GET {TURN}/events", {"wait": "0"}, None),
            (f"PUT {TURN}/rating", {}, {"rating": "up"}),
            (f"GET {TURN}/calls/{{call_id}}/approval", {}, None),
            (f"GET {TURN}/calls/{{call_id}}/app", {}, None),
            (f"POST {TURN}/calls/{{call_id}}/approval", {}, {"approved": True}),
            (f"POST {TURN}/calls/{{call_id}}/input", {}, {"input_id": "1-0", "action": "accept"}),
        )
    ),
    Request("POST /api/canvas/{canvas_id}/actions", body={"action": "acknowledge"}),
    Request("POST /api/canvas/{canvas_id}/actions", body={"action": "acknowledge", "session_id": "{session_id}"}),
    Request("GET /api/apps/{app_key}"),
    Request("GET /api/apps/{app_key}", {"version": "1"}),
    Request("POST /api/apps/{app_key}/calls", body={"tool": "summarise"}),
    Request("GET /api/sessions/{session_id}/app-calls/{app_turn_id}"),
    Request("GET /api/sessions/{session_id}/app-calls/{app_turn_id}", own=OWN_SESSION),
    Request("GET /api/files", {"session_id": "{session_id}"}),
    Request("POST /api/files/content", body={"name": "a.csv", "b64": "aGk=", "session_id": "{session_id}"}),
    Request("POST /api/files", form={"session_id": "{session_id}"}),
    Request("POST /api/files/uploads", body={"name": "a.bin", "size": 9, "session_id": "{session_id}"}),
    Request(f"GET {UPLOAD}"),
    Request(f"DELETE {UPLOAD}"),
    Request(f"POST {UPLOAD}/parts", body={"parts": [{"number": 1, "sha256": b64(bytes(32))}]}),
    Request(f"POST {UPLOAD}/complete"),
    Request(f"GET {FILE}"),
    Request(f"GET {FILE}", {"content": "true", "version": "1"}),
    Request(f"DELETE {FILE}"),
    Request(f"GET {FILE}/versions"),
    Request(f"POST {FILE}/keep"),
    Request(f"POST {FILE}/link", body={}),
    Request("GET /api/files/download/{file_key}", {"token": "{own_token}"}),
    Request("HEAD /api/files/download/{file_key}", {"token": "{own_token}"}),
    Request("DELETE /api/links/{link_id}"),
    Request("POST /api/sessions/{session_id}/links", body={}),
    Request("DELETE /api/chat-links/{chat_link_id}"),
    Request("DELETE /api/me/tokens/{token_id}"),
]
"""One or more requests for each route whose path, query or body names data."""


@pytest.fixture(scope="module", params=["header", "session"])
def sign_in_method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def owner(sign_in_method: str) -> UserName:
    del sign_in_method  # each method has an owner, because the last test deletes the data
    return new_user()


@pytest.fixture(scope="module")
def client_for(
    module_backend: Backend, sign_in_method: str, owner: UserName, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClientFor]:
    """Factory of clients that are signed in as a user.

    Those with a session also send the header with the name of the owner, which the server must not believe.
    """
    if sign_in_method == "header":
        yield module_backend.client_for
        return
    with sign_in_parts(tmp_path_factory.mktemp("accounts")) as parts:
        app = parts.gateway(module_backend.app(identity_from_session))

        def create(user: str) -> TestClient:
            parts.accounts.add(user, PASSWORD)
            client = make_client(app, {**CLIENT, "X-Satchel-User": owner})
            assert client.post("/auth/sign-in", json={"user": user, "password": PASSWORD}).is_success
            return client

        yield create


@pytest.fixture(scope="module")
def api(client_for: ClientFor, owner: UserName) -> ApiClient:
    """A client that is signed in as the owner."""
    return ApiClient(client_for(owner))


@pytest.fixture(scope="module")
def foreign(module_backend: Backend, owner: UserName, api: ApiClient) -> Ids:
    """The ids of the owner's data of every kind."""
    session_id = api.create_session()
    turn_id = api.start_turn(session_id)
    module_backend.request_approval(owner, session_id, turn_id)
    module_backend.request_input(turn_id)
    file = api.upload("a.csv", session_id=session_id)
    upload = api.http.post("/api/files/uploads", json={"name": "half.bin", "size": 9}).json()
    app_key = module_backend.open_app(owner, session_id, turn_id)
    app_call = api.http.post(f"/api/apps/{app_key}/calls", json={"tool": "summarise"}).json()
    shared = api.http.post(f"/api/files/{file['file_key']}/link").json()
    chat_link = api.http.post(f"/api/sessions/{session_id}/links").json()
    token = api.http.post("/api/me/tokens", json={"name": "program"}).json()
    return {
        "session_id": session_id,
        "chat_link_id": chat_link["chat_link_id"],
        "turn_id": turn_id,
        "call_id": call_id(TurnId(turn_id), 0, 0),
        "file_key": file["file_key"],
        "app_key": app_key,
        "app_turn_id": app_call["turn_id"],
        "upload_id": upload["upload_id"],
        "link_id": shared["link_id"],
        "token_id": token["token_id"],
        "canvas_id": module_backend.open_dashboard(owner, session_id, random_id("canvas-")),
    }


@pytest.fixture(scope="module")
def missing(foreign: Ids) -> Ids:
    """Ids of the same form that do not exist."""
    ids = {name: random_id(value[: len(value) - 26]) for name, value in foreign.items() if name != "call_id"}
    return {**ids, "call_id": call_id(TurnId(ids["turn_id"]), 0, 0)}


@pytest.fixture(scope="module")
def caller(client_for: ClientFor) -> ApiClient:
    """Another user."""
    return ApiClient(client_for(new_user()))


@pytest.fixture(scope="module")
def own(caller: ApiClient) -> Ids:
    """The ids of the caller's own data."""
    file = caller.upload("own.csv")
    token = str(file["download_url"]).partition("token=")[2]
    return {"own_session_id": caller.create_session(), "own_token": token}


def fill(value: Any, ids: Ids) -> Any:  # noqa: ANN401  (JSON)
    """Replace ``{name}`` in all texts of a JSON value."""
    if isinstance(value, dict):
        return {name: fill(item, ids) for name, item in value.items()}
    if isinstance(value, list):
        return [fill(item, ids) for item in value]
    return value.format(**ids) if isinstance(value, str) else value


def send(http: TestClient, request: Request, ids: Ids) -> tuple[int, dict[str, str], str]:
    """Send a request. Return the status, the headers and the body of the response, without the ids of the request."""
    operation: Operation = BY_LABEL[request.label]
    ids = ids | fill(request.own, ids)
    response = http.request(
        operation.method,
        fill(operation.path, ids),
        params=fill(request.query, ids),
        json=fill(request.body, ids),
        data=fill(request.form, ids),
        files={"file": ("a.csv", b"a,b")} if request.form else None,
    )
    body = response.text
    for name, value in ids.items():
        body = body.replace(value, f"<{name}>")
    return response.status_code, {**response.headers, "content-length": ""}, body


def stored(backend: Backend, owner: UserName, session_id: str) -> Iterator[str]:
    """Yield all items of a user, and the versions of all objects."""
    items = backend.table.client.get_paginator("scan").paginate(TableName=backend.table.name)
    for page in items:
        yield from sorted(str(item) for item in page["Items"] if owner in str(item) or session_id in str(item))
    versions = backend.store.client.list_object_versions(Bucket=backend.store.bucket, Prefix=owner)
    yield from (f"{each['Key']} {each['VersionId']}" for each in versions.get("Versions", []))


def test_every_route_is_known_here() -> None:
    """A new route needs a request in this file, or a place in ``LISTS`` or ``WITHOUT_IDS``."""
    assert {request.label for request in REQUESTS} | set(LISTS) | WITHOUT_IDS == set(BY_LABEL)
    assert [label for label in WITHOUT_IDS | set(LISTS) if "{" in label] == []


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.name)
def test_foreign_data_gets_the_response_for_missing_data_and_is_unchanged(
    backend: Backend, owner: UserName, caller: ApiClient, foreign: Ids, missing: Ids, own: Ids, request_: Request
) -> None:
    before = list(stored(backend, owner, foreign["session_id"]))

    response = send(caller.http, request_, foreign | own)

    assert response[0] == (204 if request_.label in SAFE_TO_REPEAT else 404), response
    assert response == send(caller.http, request_, missing | own)
    assert list(stored(backend, owner, foreign["session_id"])) == before
    assert before


@pytest.mark.parametrize("label", LISTS)
def test_list_of_another_user_is_empty(client_for: ClientFor, api: ApiClient, foreign: Ids, label: str) -> None:
    path = BY_LABEL[label].path

    assert ApiClient(client_for(new_user())).get_json(path)[LISTS[label]] == []
    assert api.get_json(path)[LISTS[label]] != []
    assert foreign


def test_links_of_a_foreign_file_are_an_empty_list(caller: ApiClient, foreign: Ids) -> None:
    assert caller.get_json(f"/api/links?file_key={foreign['file_key']}")["links"] == []


def test_routes_without_ids_change_no_data_of_another_user(
    backend: Backend, owner: UserName, caller: ApiClient, foreign: Ids
) -> None:
    before = list(stored(backend, owner, foreign["session_id"]))

    for label in sorted(WITHOUT_IDS):
        response = caller.http.request(BY_LABEL[label].method, BY_LABEL[label].path)
        assert response.status_code < 500
        assert not [value for value in foreign.values() if value in response.text]

    assert list(stored(backend, owner, foreign["session_id"])) == before


def test_same_requests_of_the_owner_find_the_data(
    backend: Backend, api: ApiClient, owner: UserName, foreign: Ids
) -> None:
    """The ids of the other tests exist. Delete the data last, and the session after its contents."""
    file = backend.files.get(owner, FileKey(foreign["file_key"]))
    assert file is not None
    ids = foreign | {"own_token": backend.use_cases.mint_links(file).partition("token=")[2]}
    requests = [request for request in REQUESTS if not request.own]
    requests.sort(
        key=lambda request: (request.label.startswith("DELETE"), "conversations" in request.label, -len(request.label))
    )

    statuses = {request.name: send(api.http, request, ids)[0] for request in requests}

    missing = [name for name, status in statuses.items() if status in {404, 422, 500}]
    assert missing == [
        f"GET {TURN}/calls/{{call_id}}/app"
    ]  # the call waits for approval; no app is open before it starts

"""Requests that are repeated: with an Idempotency-Key they create one thing, and DELETE answers the same again."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import httpx2
import pytest
from starlette.testclient import TestClient

from satchel.adapters.dynamodb.chat_links import DynamoChatLinks
from satchel.adapters.dynamodb.files import DynamoFiles
from satchel.adapters.dynamodb.links import DynamoSharedLinks
from satchel.adapters.dynamodb.personal_tokens import DynamoPersonalTokens
from satchel.adapters.dynamodb.requests import DynamoRequestKeys
from satchel.adapters.dynamodb.sessions import DynamoSessions
from satchel.adapters.dynamodb.turns import DynamoTurns
from satchel.adapters.dynamodb.uploads import DynamoUploads
from satchel.domain.ids import UserName
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import ApiClient, Json
from tests.integration.http.backend import Backend, make_client
from tests.integration.http.crashes import crash_once

KEY = {"Idempotency-Key": "k1"}
Create = Callable[[TestClient, str], httpx2.Response]


def start(http: TestClient, name: str) -> httpx2.Response:
    return http.post("/api/sessions", json={"title": name}, headers=KEY)


def import_(http: TestClient, name: str) -> httpx2.Response:
    return http.post("/api/conversations", json={"turns": [{"message": name}]}, headers=KEY)


def upload_form(http: TestClient, name: str) -> httpx2.Response:
    return http.post("/api/files", files={"file": (name, b"a,b")}, headers=KEY)


def upload_json(http: TestClient, name: str) -> httpx2.Response:
    return http.post("/api/files/content", json={"name": name, "b64": "aGk="}, headers=KEY)


def begin(http: TestClient, name: str) -> httpx2.Response:
    return http.post("/api/files/uploads", json={"name": name, "size": 9}, headers=KEY)


def share(http: TestClient, name: str) -> httpx2.Response:
    listed = http.get("/api/files").json()["files"]
    file = listed[0] if listed else ApiClient(http).upload("shared.csv")
    return http.post(f"/api/files/{file['file_key']}/link", json={"ttl_seconds": 60 + len(name)}, headers=KEY)


def share_chat(http: TestClient, name: str) -> httpx2.Response:
    listed = http.get("/api/sessions").json()["sessions"]
    session_id = listed[0]["session_id"] if listed else ApiClient(http).create_session()
    return http.post(f"/api/sessions/{session_id}/links", json={"ttl_seconds": 3600 + len(name)}, headers=KEY)


def make_token(http: TestClient, name: str) -> httpx2.Response:
    return http.post("/api/me/tokens", json={"name": name}, headers=KEY)


CREATE: dict[str, Create] = {
    "session": start,
    "conversation": import_,
    "form": upload_form,
    "content": upload_json,
    "upload": begin,
    "link": share,
    "chat_link": share_chat,
    "token": make_token,
}
LISTS = {
    "session": ("/api/sessions", "sessions"),
    "conversation": ("/api/sessions", "sessions"),
    "form": ("/api/files", "files"),
    "content": ("/api/files", "files"),
    "upload": ("/api/files/uploads", "uploads"),
    "link": ("/api/links", "links"),
    "chat_link": ("/api/chat-links", "links"),
    "token": ("/api/me/tokens", "tokens"),
}
ID_NAMES = {
    "session": "session_id",
    "conversation": "session_id",
    "form": "file_key",
    "content": "file_key",
    "upload": "upload_id",
    "link": "link_id",
    "chat_link": "chat_link_id",
    "token": "token_id",
}
SECRETS = {"chat_link": "url", "token": "token"}
"""The properties whose values are not stored, so a repeated request gets another value."""

every_kind = pytest.mark.parametrize("kind", CREATE)
every_secret = pytest.mark.parametrize("kind", SECRETS)


def prepare(http: TestClient, kind: str) -> None:
    """Create what a link leads to, before its requests run at the same time or crash."""
    if kind == "link":
        ApiClient(http).upload("shared.csv")
    if kind == "chat_link":
        ApiClient(http).create_session()


def count(http: TestClient, kind: str) -> int:
    return len(ids(http, kind))


def ids(http: TestClient, kind: str) -> list[str]:
    """Return the ids of all things of a kind."""
    path, name = LISTS[kind]
    return [each[ID_NAMES[kind]] for each in http.get(path).json()[name]]


@every_kind
def test_repeated_request_returns_what_the_first_one_created(http: TestClient, kind: str) -> None:
    first, second = CREATE[kind](http, "a.csv"), CREATE[kind](http, "a.csv")

    assert (first.status_code, second.status_code) == (201, 201)
    assert lasting(kind, second.json()) == lasting(kind, first.json())
    assert count(http, kind) == 1


def lasting(kind: str, answer: Json) -> Json:
    """Return an answer without the presigned URLs, short-lived links and secrets, which are new in each answer."""
    new = {"parts", "download_url", SECRETS.get(kind)}
    return {name: value for name, value in answer.items() if name not in new}


@every_kind
def test_key_of_another_request_is_refused_and_creates_nothing(http: TestClient, kind: str) -> None:
    CREATE[kind](http, "a.csv")

    response = CREATE[kind](http, "other.csv")

    assert (response.status_code, response.json()["error_code"]) == (409, "E_IDEMPOTENCY_KEY_REUSED")
    assert count(http, kind) == 1


@every_kind
def test_requests_at_the_same_time_create_one_thing(http: TestClient, kind: str) -> None:
    prepare(http, kind)
    with ThreadPoolExecutor(4) as pool:
        responses = list(pool.map(lambda _: CREATE[kind](http, "a.csv"), range(4)))

    created = [lasting(kind, each.json()) for each in responses if each.status_code == 201]
    waiting = [each.json()["error_code"] for each in responses if each.status_code != 201]
    assert created == [created[0]] * len(created) != []
    assert set(waiting) <= {"E_REQUEST_RUNNING"}
    assert count(http, kind) == 1


WRITES: dict[str, list[tuple[type, str]]] = {
    "session": [(DynamoSessions, "create")],
    "conversation": [(DynamoSessions, "create"), (DynamoTurns, "add_imported")],
    "form": [(DynamoFiles, "save")],
    "content": [(DynamoFiles, "save")],
    "upload": [(DynamoUploads, "add")],
    "link": [(DynamoSharedLinks, "add")],
    "chat_link": [(DynamoChatLinks, "add")],
    "token": [(DynamoPersonalTokens, "add")],
}
CRASHES = [
    (kind, adapter, method, before)
    for kind, writes in WRITES.items()
    for adapter, method in [*writes, (DynamoRequestKeys, "finish")]
    for before in (True, False)
]


@pytest.mark.parametrize(("kind", "adapter", "method", "before"), CRASHES)
def test_repetition_after_a_crash_returns_the_same_thing(
    backend: Backend,
    http: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    adapter: type,
    method: str,
    before: bool,  # noqa: FBT001  (a parameter of the test)
) -> None:
    prepare(http, kind)
    with monkeypatch.context() as patch:
        crash_once(patch, adapter, method, before=before)
        assert CREATE[kind](http, "a.csv").status_code == 500
    stored = ids(http, kind)
    backend.clock.advance(61)

    repeated = [CREATE[kind](http, "a.csv") for _ in range(2)]

    assert [each.status_code for each in repeated] == [201, 201]
    assert {each.json()[ID_NAMES[kind]] for each in repeated} == set(ids(http, kind))
    assert set(stored) <= set(ids(http, kind))
    assert {each.json().get("version", 1) for each in repeated} == {1}
    assert count(http, kind) == 1


def test_import_is_complete_after_a_crash_in_the_middle(
    backend: Backend, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        crash_once(patch, DynamoTurns, "add_imported", before=True)
        assert import_(http, "hello").status_code == 500
    backend.clock.advance(61)

    session_id = import_(http, "hello").json()["session_id"]

    turns = http.get(f"/api/sessions/{session_id}").json()["turns"]
    assert [turn["message"] for turn in turns] == ["hello"]


@every_kind
def test_other_request_with_the_key_of_an_interrupted_one_creates_its_own_thing(
    backend: Backend, http: TestClient, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    prepare(http, kind)
    with monkeypatch.context() as patch:
        crash_once(patch, DynamoRequestKeys, "finish", before=True)
        assert CREATE[kind](http, "a.csv").status_code == 500
    interrupted = ids(http, kind)
    backend.clock.advance(61)

    other = CREATE[kind](http, "other.csv")

    assert other.status_code == 201
    assert set(ids(http, kind)) == {*interrupted, other.json()[ID_NAMES[kind]]}
    assert count(http, kind) == 2


@every_kind
def test_repetition_after_an_internal_error_returns_the_same_thing(
    http: TestClient, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The repetition needs no wait, because the request that failed has ended."""

    def fail(*_args: object) -> None:
        raise OSError

    prepare(http, kind)
    with monkeypatch.context() as patch:
        patch.setattr(DynamoRequestKeys, "finish", fail)
        assert CREATE[kind](http, "a.csv").status_code == 500
    stored = ids(http, kind)

    assert CREATE[kind](http, "a.csv").json()[ID_NAMES[kind]] == stored[0]
    assert ids(http, kind) == stored


def test_keys_of_other_users_and_operations_are_different_keys(backend: Backend, user: UserName) -> None:
    http, other = backend.client_for(user), backend.client_for(f"other-{user}")
    session = start(http, "a").json()

    assert start(other, "a").json()["session_id"] != session["session_id"]
    assert upload_json(http, "a.csv").status_code == 201


def test_failed_request_frees_its_key(http: TestClient) -> None:
    missing = {"name": "a.csv", "b64": "aGk=", "session_id": random_id("s")}

    assert http.post("/api/files/content", json=missing, headers=KEY).status_code == 404
    assert upload_json(http, "a.csv").status_code == 201


def test_key_can_be_used_again_after_a_day(backend: Backend, http: TestClient) -> None:
    first = start(http, "a").json()
    backend.clock.advance(timedelta(days=1, seconds=1).total_seconds())

    assert start(http, "b").json()["session_id"] != first["session_id"]


def test_repetition_does_not_bring_back_what_was_deleted(http: TestClient) -> None:
    session_id = start(http, "a").json()["session_id"]
    http.delete(f"/api/conversations/{session_id}")
    links = ("/api/links", "/api/chat-links", "/api/me/tokens")
    kinds = ("link", "chat_link", "token")
    for path, kind in zip(links, kinds, strict=True):
        http.delete(f"{path}/{CREATE[kind](http, 'a').json()[ID_NAMES[kind]]}")

    assert start(http, "a").status_code == 404
    assert [CREATE[kind](http, "a").status_code for kind in kinds] == [404, 404, 404]
    assert [ids(http, kind) for kind in kinds] == [[], [], []]


def works(backend: Backend, kind: str, answer: Mapping[str, str]) -> bool:
    """Return True if the secret of a link or token opens what it is for."""
    if kind == "token":
        client = make_client(backend.local_app, {"Authorization": f"Bearer {answer['token']}"})
        return client.get("/api/me").status_code == 200
    token = answer["url"].partition("#share=")[2]
    return make_client(backend.local_app).get("/api/shared-chat", params={"token": token}).status_code == 200


@every_secret
def test_secret_of_the_repeated_request_works_and_the_earlier_one_stops(
    backend: Backend, http: TestClient, kind: str
) -> None:
    first = CREATE[kind](http, "a").json()
    assert kind == "token" or works(backend, kind, first)  # using a token would prevent its repetition
    backend.clock.advance(60)

    second = CREATE[kind](http, "a").json()

    assert not works(backend, kind, first)
    assert works(backend, kind, second)


@every_secret
@pytest.mark.parametrize("before", [True, False])
def test_repetition_that_crashes_can_be_repeated(
    backend: Backend, http: TestClient, monkeypatch: pytest.MonkeyPatch, *, kind: str, before: bool
) -> None:
    first = CREATE[kind](http, "a").json()
    with monkeypatch.context() as patch:
        crash_once(patch, {"chat_link": DynamoChatLinks, "token": DynamoPersonalTokens}[kind], "replace", before=before)
        assert CREATE[kind](http, "a").status_code == 500

    repeated = CREATE[kind](http, "a").json()

    assert lasting(kind, repeated) == lasting(kind, first)
    assert works(backend, kind, repeated)
    assert count(http, kind) == 1


def test_used_token_is_not_replaced(backend: Backend, http: TestClient) -> None:
    created = make_token(http, "a").json()
    assert works(backend, "token", created)

    response = make_token(http, "a")

    assert (response.status_code, response.json()["error_code"]) == (409, "E_TOKEN_USED")
    assert response.json()["token_id"] == created["token_id"]
    assert works(backend, "token", created)
    assert ids(http, "token") == [created["token_id"]]


def test_link_of_an_ended_session_is_not_replaced(http: TestClient) -> None:
    session_id = ApiClient(http).create_session()
    share_chat(http, "a")
    http.delete(f"/api/sessions/{session_id}")

    response = http.post(f"/api/sessions/{session_id}/links", json={"ttl_seconds": 3601}, headers=KEY)

    assert (response.status_code, response.json()["error_code"]) == (404, "E_LINK_NOT_FOUND")


NOTHING_TWICE = {
    "/api/files/uploads/{upload_id}/parts": "returns presigned URLs",
    "/api/files/uploads/{upload_id}/complete": "returns the file that it has created",
    "/api/files/{file_key}/keep": "changes nothing of a permanent file",
    "/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/approval": "the same decision is accepted again",
    "/api/sessions/{session_id}/turns/{turn_id}/calls/{call_id}/input": "accepts the same answer again, or refuses it",
    "/api/prompts": "reads",
    "/api/prompts/completion": "reads",
    "/api/resources": "reads",
    "/api/ws-ticket": "a ticket that is not used ends after a minute",
}
"""The POST routes without an Idempotency-Key, and why it is harmless to repeat them. Clients repeat every POST."""


def test_every_post_takes_a_key_or_does_nothing_twice(http: TestClient) -> None:
    paths = http.get("/api/openapi.json").json()["paths"]
    posts = {
        path: operations["post"].get("parameters", []) for path, operations in paths.items() if "post" in operations
    }
    without_key = {
        path for path, parameters in posts.items() if "idempotency-key" not in {each["name"] for each in parameters}
    }
    assert without_key == set(NOTHING_TWICE)


def test_keys_are_deleted_with_the_data_of_their_user(backend: Backend, http: TestClient, user: UserName) -> None:
    start(http, "a")
    assert backend.table.query_all(f"USER#{user}", "ONCE#")

    token = http.delete("/api/me").json()["confirm_token"]
    http.delete("/api/me", headers={"X-Satchel-Confirm": token})
    backend.use_cases.erase_user(user, lambda: True)

    assert backend.table.query_all(f"USER#{user}", "ONCE#") == []


@pytest.mark.parametrize("kind", ["session", "conversation", "file", "upload", "link", "chat_link", "token"])
def test_delete_answers_the_same_again_and_for_what_never_existed(http: TestClient, kind: str) -> None:
    file = ApiClient(http).upload("a.csv")
    session = f"/api/sessions/{ApiClient(http).create_session()}"
    path, key = {
        "session": ("/api/sessions", start(http, "a").json()["session_id"]),
        "conversation": ("/api/conversations", start(http, "a").json()["session_id"]),
        "file": ("/api/files", file["file_key"]),
        "upload": ("/api/files/uploads", begin(http, "b.bin").json()["upload_id"]),
        "link": ("/api/links", share(http, "a").json()["link_id"]),
        "chat_link": ("/api/chat-links", http.post(f"{session}/links").json()["chat_link_id"]),
        "token": ("/api/me/tokens", http.post("/api/me/tokens", json={"name": "a"}).json()["token_id"]),
    }[kind]

    statuses = [http.delete(f"{path}/{each}").status_code for each in (key, key, random_id(key[0]))]

    assert statuses == [204, 204, 204]

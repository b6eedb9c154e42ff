"""A link opens one version of one file. Every invalid link gets the same response at the same cost."""

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.ids import UserName
from satchel.domain.links import Claims
from tests.integration.aws.factories import make_file, random_id
from tests.integration.aws.recorded_requests import record_requests
from tests.integration.http.api_client import LINK_NOT_FOUND, ApiClient
from tests.integration.http.backend import KEYS, Backend
from tests.integration.http.invalid_link_cases import CASES, ValidLink

LIFETIME = 300


@pytest.fixture
def valid_link(backend: Backend, http: TestClient, api: ApiClient, user: UserName) -> ValidLink:
    uploaded = api.upload("a.csv", session_id=api.create_session())
    file = backend.files.get(user, uploaded["file_key"])
    assert file is not None
    claims = Claims(
        file_key=file.file_key,
        version=1,
        owner=user,
        session_id=file.session_id or "",
        epoch=1,
        audience="ui",
        exp=int(backend.clock.now().timestamp()) + LIFETIME,
    )
    return ValidLink(backend, http, file, claims)


@pytest.fixture
def keys(backend: Backend) -> Iterator[SigningKeys]:
    yield backend.keys
    backend.keys = KEYS


def can_download(anonymous: TestClient, key: str, token: str, verb: str = "GET") -> bool:
    response = anonymous.request(verb, f"/api/files/download/{key}", params={"token": token})
    assert response.status_code == 200 or verb == "HEAD" or response.json() == LINK_NOT_FOUND
    return response.status_code == 200


@pytest.mark.parametrize("verb", ["GET", "HEAD"])
def test_unchanged_link_of_these_cases_is_valid(valid_link: ValidLink, anonymous: TestClient, verb: str) -> None:
    assert can_download(anonymous, valid_link.file.file_key, valid_link.sign(), verb)
    assert can_download(anonymous, valid_link.file.file_key, valid_link.forge(), verb)


@pytest.mark.clause("v2:download:token")
def test_forty_invalid_links_get_the_same_response_and_cost_one_request(
    valid_link: ValidLink, anonymous: TestClient
) -> None:
    backend, responses, costs = valid_link.backend, {}, {}
    assert len(CASES) == 40
    for name, case in CASES.items():
        key, token = case(valid_link)
        for verb in ("GET", "HEAD"):
            with record_requests(backend.table.client, backend.store.client) as requests:
                response = anonymous.request(verb, f"/api/files/download/{key}", params={"token": token})
            responses[name, verb] = (response.status_code, dict(response.headers), verb == "HEAD" or response.json())
            costs[name, verb] = [(operation, _count_keys(params)) for operation, params in requests]

    get, head = responses["not signed", "GET"], responses["not signed", "HEAD"]
    assert (get[0], get[2]) == (404, LINK_NOT_FOUND)
    assert {case: seen for case, seen in responses.items() if seen != (get if case[1] == "GET" else head)} == {}
    assert {case: cost for case, cost in costs.items() if cost != [("BatchGetItem", 3)]} == {}


def _count_keys(params: dict[str, object]) -> int:
    """Return how many items a request reads."""
    tables = params["RequestItems"]
    assert isinstance(tables, dict)
    return sum(len(table["Keys"]) for table in tables.values())


def test_link_stays_valid_until_its_expiry_after_a_key_rotation(
    valid_link: ValidLink, keys: SigningKeys, anonymous: TestClient
) -> None:
    key, old = valid_link.file.file_key, valid_link.sign()
    valid_link.backend.keys = keys.rotated(("a" * 40, "b" * 40))
    new = valid_link.sign()

    assert can_download(anonymous, key, old)
    assert can_download(anonymous, key, new)
    valid_link.backend.clock.advance(LIFETIME)
    assert not can_download(anonymous, key, old)


def test_link_is_invalid_after_two_key_rotations(
    valid_link: ValidLink, keys: SigningKeys, anonymous: TestClient
) -> None:
    key, oldest = valid_link.file.file_key, valid_link.sign()
    valid_link.backend.keys = keys.rotated(("a" * 40, "b" * 40))
    older = valid_link.sign()
    valid_link.backend.keys = valid_link.backend.keys.rotated(("c" * 40, "d" * 40))

    assert not can_download(anonymous, key, oldest)
    assert can_download(anonymous, key, older)
    assert can_download(anonymous, key, valid_link.sign())


def test_process_with_the_previous_keys_accepts_links_of_the_new_key(
    valid_link: ValidLink, keys: SigningKeys, anonymous: TestClient
) -> None:
    previous = keys.rotated(("a" * 40, "b" * 40))
    valid_link.backend.keys = previous.rotated(("c" * 40, "d" * 40))
    new = valid_link.sign()

    valid_link.backend.keys = previous

    assert can_download(anonymous, valid_link.file.file_key, new)


@pytest.fixture
def file(api: ApiClient) -> dict[str, Any]:
    return api.upload("a.csv", b"0123456789")


@pytest.fixture
def url(file: dict[str, Any]) -> str:
    return str(file["download_url"])


def assert_rejected(anonymous: TestClient, url: str) -> None:
    """Assert that the response is the same 404 for every reason."""
    for verb in ("GET", "HEAD"):
        response = anonymous.request(verb, url)
        assert response.status_code == 404
        assert response.headers["content-type"] == "application/problem+json"
        assert response.headers["cache-control"] == "no-store"
        assert verb == "HEAD" or response.json() == LINK_NOT_FOUND


def make_token(backend: Backend, user: UserName, file: dict[str, Any], **changes: object) -> str:
    claims = Claims(
        file_key=file["file_key"],
        version=1,
        owner=user,
        session_id="",
        epoch=0,
        audience="ui",
        exp=int(backend.clock.now().timestamp()) + 60,
    )
    return backend.signer.sign(claims.model_copy(update=changes))


def test_unchanged_claims_are_valid(
    backend: Backend, anonymous: TestClient, user: UserName, file: dict[str, Any]
) -> None:
    url = f"/api/files/download/{file['file_key']}?token={make_token(backend, user, file)}"

    assert anonymous.get(url).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"version": -1},
        {"owner": "mallory@example.com"},
        {"session_id": "s01kabcdefghjkmnpqrstvwxyz0"},
        {"file_key": "f01kabcdefghjkmnpqrstvwxyz0"},
        {"exp": 1},
    ],
)
def test_link_with_wrong_claims_is_rejected(
    backend: Backend, anonymous: TestClient, user: UserName, file: dict[str, Any], changes: dict[str, object]
) -> None:
    token = make_token(backend, user, file, **changes)

    assert_rejected(anonymous, f"/api/files/download/{file['file_key']}?token={token}")


@pytest.mark.clause("v2:download:token")
def test_token_signed_with_another_key_is_rejected(
    backend: Backend, anonymous: TestClient, file: dict[str, Any], url: str
) -> None:
    claims = backend.signer.verify(url.partition("token=")[2], ("ui",))
    assert claims is not None
    forger = JwtSigner(lambda: SigningKeys(newest="k1", keys={"k1": "x" * 64}), backend.clock)

    assert_rejected(anonymous, f"/api/files/download/{file['file_key']}?token={forger.sign(claims)}")


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "%00", "%ff.%ff.%ff", "x" * 4000, "..", "ä.ö.ü"])
def test_malformed_token_is_rejected(anonymous: TestClient, file: dict[str, Any], token: str) -> None:
    assert_rejected(anonymous, f"/api/files/download/{file['file_key']}?token={token}")


def test_token_over_4000_characters_is_an_invalid_request(anonymous: TestClient, file: dict[str, Any]) -> None:
    response = anonymous.get(f"/api/files/download/{file['file_key']}?token={'x' * 4001}")

    assert (response.status_code, response.json()["error_code"]) == (422, "E_INVALID_REQUEST")


def test_link_without_a_token_is_rejected(anonymous: TestClient, file: dict[str, Any]) -> None:
    assert_rejected(anonymous, f"/api/files/download/{file['file_key']}")


@pytest.mark.parametrize("key", ["x", "uploads", "s01kabcdefghjkmnpqrstvwxyz0", "f" * 300, "%00"])
def test_token_with_an_invalid_file_key_is_rejected(anonymous: TestClient, url: str, key: str) -> None:
    assert_rejected(anonymous, f"/api/files/download/{key}?{url.partition('?')[2]}")


def test_token_of_another_file_is_rejected(anonymous: TestClient, api: ApiClient, url: str) -> None:
    other = api.upload("b.csv")

    assert_rejected(anonymous, f"/api/files/download/{other['file_key']}?{url.partition('?')[2]}")
    assert_rejected(anonymous, f"/api/files/download/{random_id('f')}?{url.partition('?')[2]}")


def test_expired_link_is_rejected(backend: Backend, anonymous: TestClient, url: str) -> None:
    backend.clock.advance(299)
    assert anonymous.get(url).status_code == 200

    backend.clock.advance(1)

    assert_rejected(anonymous, url)


def test_link_to_a_deleted_file_is_rejected(
    http: TestClient, anonymous: TestClient, file: dict[str, Any], url: str
) -> None:
    http.delete(f"/api/files/{file['file_key']}")

    assert_rejected(anonymous, url)


@pytest.mark.clause("v2.1:deferred:expired")
def test_link_to_an_expired_file_is_rejected(backend: Backend, user: UserName, anonymous: TestClient) -> None:
    record = backend.files.save(make_file(user, None, "b.csv", expires_at=int(backend.clock.now().timestamp()) + 5))
    url = backend.use_cases.mint_links(record)
    backend.clock.advance(5)

    assert_rejected(anonymous, url)


def test_link_of_an_ended_session_is_rejected(http: TestClient, api: ApiClient, anonymous: TestClient) -> None:
    session_id = api.create_session()
    url = api.upload("b.csv", session_id=session_id)["download_url"]
    http.delete(f"/api/sessions/{session_id}")

    assert_rejected(anonymous, url)

"""All in the same words: a token tells nobody why it is refused."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from satchel.adapters.jwt_signer import JwtSigner
from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.links import Claims
from tests.integration.aws.makers import a_file, fresh
from tests.integration.http.desk import LINK_NOT_FOUND, Desk
from tests.integration.http.world import World


@pytest.fixture
def file(desk: Desk) -> dict[str, Any]:
    return desk.upload("a.csv", b"0123456789")


@pytest.fixture
def url(file: dict[str, Any]) -> str:
    return str(file["download_url"])


def refused(anybody: TestClient, url: str) -> None:
    for verb in ("GET", "HEAD"):
        answer = anybody.request(verb, url)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["cache-control"] == "no-store"
        assert verb == "HEAD" or answer.json() == LINK_NOT_FOUND


def token_of(world: World, user: str, file: dict[str, Any], **other: object) -> str:
    claims = Claims(
        file_key=file["file_key"],
        version=1,
        owner=user,
        session_id="",
        epoch=0,
        audience="ui",
        exp=int(world.clock.now().timestamp()) + 60,
    )
    return world.signer.sign(claims.model_copy(update=other))


def test_the_claims_of_these_tests_are_good(world: World, anybody: TestClient, user: str, file: dict[str, Any]) -> None:
    good = f"/api/files/download/{file['file_key']}?token={token_of(world, user, file)}"

    assert anybody.get(good).status_code == 200


@pytest.mark.parametrize(
    "other",
    [
        {"version": 2},
        {"version": -1},
        {"owner": "mallory@example.com"},
        {"session_id": "s01kabcdefghjkmnpqrstvwxyz0"},
        {"file_key": "f01kabcdefghjkmnpqrstvwxyz0"},
        {"exp": 1},
    ],
)
def test_claims_that_do_not_fit_are_refused(
    world: World, anybody: TestClient, user: str, file: dict[str, Any], other: dict[str, object]
) -> None:
    token = token_of(world, user, file, **other)

    refused(anybody, f"/api/files/download/{file['file_key']}?token={token}")


@pytest.mark.clause("v2:download:token")
def test_a_forged_token_is_refused(world: World, anybody: TestClient, file: dict[str, Any], url: str) -> None:
    claims = world.signer.read(url.partition("token=")[2], ("ui",))
    assert claims is not None
    forger = JwtSigner(lambda: SigningKeys(newest="k1", keys={"k1": "x" * 64}), world.clock)

    refused(anybody, f"/api/files/download/{file['file_key']}?token={forger.sign(claims)}")


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "%00", "%ff.%ff.%ff", "x" * 4000, "..", "ä.ö.ü"])
def test_what_is_no_token_is_refused(anybody: TestClient, file: dict[str, Any], token: str) -> None:
    refused(anybody, f"/api/files/download/{file['file_key']}?token={token}")


def test_a_token_longer_than_any_of_ours_is_not_even_read(anybody: TestClient, file: dict[str, Any]) -> None:
    answer = anybody.get(f"/api/files/download/{file['file_key']}?token={'x' * 4001}")

    assert (answer.status_code, answer.json()["error_code"]) == (422, "E_INVALID_REQUEST")


def test_no_token_at_all_is_refused(anybody: TestClient, file: dict[str, Any]) -> None:
    refused(anybody, f"/api/files/download/{file['file_key']}")


@pytest.mark.parametrize("key", ["x", "uploads", "s01kabcdefghjkmnpqrstvwxyz0", "f" * 300, "%00"])
def test_what_is_no_file_is_refused(anybody: TestClient, url: str, key: str) -> None:
    refused(anybody, f"/api/files/download/{key}?{url.partition('?')[2]}")


def test_another_files_token_is_refused(anybody: TestClient, desk: Desk, url: str) -> None:
    other = desk.upload("b.csv")

    refused(anybody, f"/api/files/download/{other['file_key']}?{url.partition('?')[2]}")
    refused(anybody, f"/api/files/download/{fresh('f')}?{url.partition('?')[2]}")


def test_an_expired_link_is_refused(world: World, anybody: TestClient, url: str) -> None:
    world.clock.advance(299)
    assert anybody.get(url).status_code == 200

    world.clock.advance(1)

    refused(anybody, url)


def test_a_link_to_a_deleted_file_is_refused(
    http: TestClient, anybody: TestClient, file: dict[str, Any], url: str
) -> None:
    http.delete(f"/api/files/{file['file_key']}")

    refused(anybody, url)


@pytest.mark.clause("v2.1:deferred:expired")
def test_a_link_to_an_expired_file_is_refused(world: World, user: str, anybody: TestClient) -> None:
    record = world.files.keep(a_file(user, None, "b.csv", expires_at=int(world.clock.now().timestamp()) + 5))
    url = world.use_cases.mint_links(record)
    world.clock.advance(5)

    refused(anybody, url)


def test_a_link_from_an_ended_session_is_refused(http: TestClient, desk: Desk, anybody: TestClient) -> None:
    session_id = desk.session()
    url = desk.upload("b.csv", session_id=session_id)["download_url"]
    http.delete(f"/api/sessions/{session_id}")

    refused(anybody, url)

"""Forged tokens at every route that takes a token: all are refused, and none says why."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import jwt
import pytest
from starlette.testclient import TestClient

from satchel.domain.dashboard_tokens import DashboardClaims
from satchel.domain.ids import UserName
from satchel.entrypoints.http.identity import identity_from_claims
from tests.integration.aws.factories import random_id
from tests.integration.http.api_client import LINK_NOT_FOUND, ApiClient
from tests.integration.http.backend import Backend, make_client
from tests.integration.http.erasure import request_erasure
from tests.integration.http.forged_tokens import FORGERIES, Genuine

if TYPE_CHECKING:
    from jwt.types import Options

ISSUER, ORIGIN = "http://api.example", "https://dash.example"
Attempt = Callable[[str], tuple[int, object]]


def outcomes(attempt: Attempt, genuine: Genuine) -> dict[str, tuple[int, object]]:
    """Try every forgery. Return the status and the body of each response."""
    assert len(FORGERIES) >= 40
    return {name: attempt(forge(genuine)) for name, forge in FORGERIES.items()}


@pytest.mark.clause("v2:download:token")
@pytest.mark.parametrize("verb", ["GET", "HEAD"])
def test_download_refuses_forged_tokens_with_one_response(api: ApiClient, anonymous: TestClient, verb: str) -> None:
    url, _, token = api.upload("a.csv")["download_url"].partition("?token=")

    def download(forged: str) -> tuple[int, object]:
        response = anonymous.request(verb, url, params={"token": forged})
        return response.status_code, response.json() if verb == "GET" else None

    assert anonymous.get(url, params={"token": token}).status_code == 200
    refused = (404, LINK_NOT_FOUND if verb == "GET" else None)
    assert outcomes(download, Genuine(token)) == dict.fromkeys(FORGERIES, refused)


def test_erasure_refuses_forged_confirmations_with_one_response(api: ApiClient) -> None:
    token = request_erasure(api.http).json()["confirm_token"]

    def confirm(forged: str) -> tuple[int, object]:
        response = api.http.delete("/api/me", headers=[(b"x-satchel-confirm", forged.encode())])
        return response.status_code, response.json()["error_code"]

    assert outcomes(confirm, Genuine(token)) == dict.fromkeys(FORGERIES, confirm("x"))
    assert confirm("x")[0] >= 400
    assert api.get_json("/api/me")["erasure"] is None
    assert request_erasure(api.http, token).status_code == 202  # the genuine one


def test_host_of_a_dashboard_refuses_forged_tokens(backend: Backend, anonymous: TestClient, user: UserName) -> None:
    """The check is that of docs/dashboards.md, without the expiry, because the clock of this test is fake."""
    published = anonymous.get("/.well-known/jwks.json").json()
    keys = {str(key["kid"]): jwt.PyJWK(key) for key in published["keys"]}

    def verify(token: str) -> tuple[int, object]:
        try:
            key = keys[jwt.get_unverified_header(token)["kid"]]
            options: Options = {"require": ["iss", "aud", "sub", "exp"], "verify_exp": False, "verify_iat": False}
            claims = jwt.decode(token, key, ["ES256"], options, issuer=ISSUER, audience=ORIGIN)
        except (jwt.PyJWTError, KeyError, TypeError, UnicodeError):
            return 401, None
        return 200, claims["sub"]

    now = int(backend.clock.now().timestamp())
    claims = {"iss": ISSUER, "aud": ORIGIN, "sub": user, "sid": random_id("s"), "canvas_id": "c", "jti": "j"}
    token = backend.dashboard_signer.sign(DashboardClaims(**claims, iat=now, exp=now + 300))

    assert verify(token) == (200, user)
    assert outcomes(verify, Genuine(token, json.dumps(published).encode())) == dict.fromkeys(FORGERIES, (401, None))


def test_deployed_api_believes_no_token_that_api_gateway_did_not_verify(backend: Backend, api: ApiClient) -> None:
    """API Gateway verifies id tokens and passes their claims on. A token that reaches the API any other way is text."""
    deployed = make_client(backend.app(identity_from_claims("email")))

    def sign_in(token: str) -> tuple[int, object]:
        headers = {"Authorization": f"Bearer {token}", "X-Amzn-Oidc-Data": token, "Cookie": f"id_token={token}"}
        response = deployed.get("/api/config", headers=[(n.encode(), v.encode()) for n, v in headers.items()])
        return response.status_code, response.json()["detail"]

    token = api.upload("a.csv")["download_url"].partition("?token=")[2]

    assert sign_in(token) == (403, "You are not signed in.")
    assert outcomes(sign_in, Genuine(token)) == dict.fromkeys(FORGERIES, (403, "You are not signed in."))

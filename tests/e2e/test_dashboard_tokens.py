"""Tokens of dashboards, verified by an independent library with the keys that the running system publishes."""

import json
import time
from collections.abc import Callable
from typing import Any

import jwt as pyjwt
import pytest
from joserfc import jwt
from joserfc.errors import BadSignatureError, InvalidClaimError
from joserfc.jwk import KeySet

from tests.e2e.recording_site import RecordingSite, verifier
from tests.e2e.user_client import UserClient, fetch

Json = dict[str, Any]
NewUser = Callable[..., UserClient]


def open_dashboard(user: UserClient, origin: str, **arguments: object) -> Json:
    """Let a tool open a dashboard, and return the final response of the turn."""
    return user.ask(user.create_session(), f"/samples.dashboard {json.dumps({'url': f'{origin}/board', **arguments})}")


def published_keys(user: UserClient) -> KeySet:
    return KeySet.import_key_set(fetch(f"{user.url}/.well-known/jwks.json").json())


def check(claims: Json, **expected: str) -> None:
    """Check the claims as a host does. Raise InvalidClaimError if one differs, or if the token has expired."""
    values: Json = {name: {"essential": True, "value": value} for name, value in expected.items()}
    jwt.JWTClaimsRegistry(exp={"essential": True}, **values).validate(claims)


@pytest.mark.clause("v2:canvas:token")
def test_another_library_verifies_the_token_with_the_keys_of_the_running_system(
    new_user: NewUser, dashboards: RecordingSite
) -> None:
    user = new_user()
    response = open_dashboard(user, dashboards.origin)

    token = jwt.decode(response["canvas"]["token"], published_keys(user), algorithms=["ES256"])

    check(token.claims, iss=user.url, aud=dashboards.origin, sub=user.name, sid=response["session_id"])
    assert token.claims["canvas_id"] == "monitor"
    assert token.claims["exp"] - token.claims["iat"] == 300
    assert abs(token.claims["iat"] - time.time()) < 120
    with pytest.raises(InvalidClaimError):
        check(token.claims, aud="http://127.0.0.1:1")


def test_token_with_the_claims_of_another_token_is_refused(new_user: NewUser, dashboards: RecordingSite) -> None:
    mallory, ada = new_user(), new_user()
    header, _, signature = open_dashboard(mallory, dashboards.origin)["canvas"]["token"].split(".")
    claims = open_dashboard(ada, dashboards.origin)["canvas"]["token"].split(".")[1]
    forged = f"{header}.{claims}.{signature}"

    with pytest.raises(BadSignatureError):
        jwt.decode(forged, published_keys(ada), algorithms=["ES256"])
    with pytest.raises(pyjwt.InvalidSignatureError):
        verifier(ada.url, dashboards.origin)(forged)


@pytest.mark.parametrize("wrong", ["issuer", "audience"])
def test_documented_example_refuses_tokens_of_other_deployments_and_dashboards(
    new_user: NewUser, dashboards: RecordingSite, wrong: str
) -> None:
    user = new_user()
    token = open_dashboard(user, dashboards.origin)["canvas"]["token"]

    assert verifier(user.url, dashboards.origin)(token)["sub"] == user.name
    # The same system under another of its names publishes the same keys.
    issuer = user.url.replace("127.0.0.1", "localhost") if wrong == "issuer" else user.url
    origin = "http://127.0.0.1:1" if wrong == "audience" else dashboards.origin
    with pytest.raises((pyjwt.InvalidIssuerError, pyjwt.InvalidAudienceError)):
        verifier(issuer, origin)(token)


@pytest.mark.clause("v2:canvas:tool-token")
def test_tools_own_token_is_only_in_the_dashboard_of_the_owners_turn(
    new_user: NewUser, dashboards: RecordingSite
) -> None:
    user, secret = new_user(), "server+token"
    response = open_dashboard(user, dashboards.origin, signer="server")
    session_id = response["session_id"]
    turn = f"/api/sessions/{session_id}/turns/{response['turn_id']}"

    assert response["canvas"]["token"] == "server+token/="
    paths = [f"{turn}/events", f"/api/sessions/{session_id}", f"/api/sessions/{session_id}/audit", "/api/files"]
    assert [path for path in paths if secret in user.request("GET", path).text] == []
    assert secret not in repr({**response, "canvas": None, "canvases": []})
    assert secret not in new_user().request("GET", turn).text

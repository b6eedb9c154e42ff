from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.entrypoints.http.identity import identity_from_claims
from tests.integration.http.api_client import problem
from tests.integration.http.backend import Backend, make_client

PATTERN = "The user name must match [A-Za-z0-9][A-Za-z0-9._@+-]{0,63}."
SIGNED_IN = {"email": "ada@example.com", "email_verified": "true", "cognito:groups": "[writers]"}


def forbidden(detail: str) -> dict[str, object]:
    return problem(403, "Forbidden", "E_FORBIDDEN", detail)


class TestHeaders:
    @pytest.mark.parametrize("name", ["ada@example.com", "a", "0", "A.b_c+d-e@f", "x" * 64])
    def test_header_names_the_user(self, backend: Backend, name: str) -> None:
        assert backend.client_for(name).get("/api/config").json()["user"] == name

    @pytest.mark.parametrize(
        "name",
        ["", " ", "../x", "a/b", "a\\b", ".a", "-a", "a*", "a?", "a b", "x" * 65, "ä", "a#b", "a\tb", "a,b", "$user"],
    )
    def test_invalid_user_name_is_forbidden(self, backend: Backend, name: str) -> None:
        client = make_client(backend.local_app)

        response = client.get("/api/config", headers=[(b"x-satchel-user", name.encode("latin-1"))])

        assert (response.status_code, response.json()) == (403, forbidden(PATTERN))
        assert response.headers["content-type"] == "application/problem+json"

    def test_all_routes_except_the_public_ones_need_a_user(self, backend: Backend) -> None:
        client = backend.client_for("../x")
        statuses = {path: client.get(path).status_code for path in ("/api/health", "/api/files", "/api/tools")}

        assert statuses == {"/api/health": 200, "/api/files": 403, "/api/tools": 403}

    def test_user_is_checked_before_the_body(self, backend: Backend) -> None:
        assert backend.client_for("../x").post("/api/files/content", content=b"{").status_code == 403

    @pytest.mark.parametrize(
        ("groups", "expected"),
        [("", ["users"]), ("a", ["a", "users"]), (" a , b,,a ", ["a", "b", "users"]), (",", ["users"])],
    )
    def test_header_names_the_groups(self, backend: Backend, groups: str, expected: list[str]) -> None:
        assert backend.client_for("ada", groups).get("/api/config").json()["groups"] == expected


class WithAwsEvent:
    """ASGI middleware that adds an event of API Gateway to the scope, as Mangum does."""

    def __init__(self, app: ASGIApp, event: object) -> None:
        self._app = app
        self._event = event

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "aws.event": self._event}, receive, send)


def with_claims(backend: Backend, claims: dict[str, Any], claim: str = "email") -> TestClient:
    event = {"requestContext": {"authorizer": {"jwt": {"claims": claims, "scopes": None}}}}
    return make_client(WithAwsEvent(backend.app(identity_from_claims(claim)), event))


class TestClaims:
    def test_claims_name_the_user_and_the_groups(self, backend: Backend) -> None:
        response = with_claims(backend, SIGNED_IN).get("/api/config").json()

        assert (response["user"], response["groups"]) == ("ada@example.com", ["users", "writers"])

    @pytest.mark.parametrize("email", ["Ada@Example.COM", "ADA@EXAMPLE.COM", "ada@example.com"])
    def test_email_address_is_converted_to_lower_case(self, backend: Backend, email: str) -> None:
        assert with_claims(backend, SIGNED_IN | {"email": email}).get("/api/config").json()["user"] == "ada@example.com"

    @pytest.mark.parametrize(
        ("groups", "expected"),
        [
            ({"cognito:groups": "[a b]"}, ["a", "b", "users"]),
            ({"cognito:groups": "[a]"}, ["a", "users"]),
            ({"cognito:groups": "[]"}, ["users"]),
            ({"cognito:groups": ""}, ["users"]),
            ({"cognito:groups": "a b"}, ["a", "b", "users"]),
            ({"cognito:groups": ["a", "b"]}, ["a", "b", "users"]),
            ({}, ["users"]),
        ],
    )
    def test_groups_are_parsed_from_text(self, backend: Backend, groups: dict[str, Any], expected: list[str]) -> None:
        claims = {"email": "ada@example.com", "email_verified": "true"}

        assert with_claims(backend, claims | groups).get("/api/config").json()["groups"] == expected

    @pytest.mark.parametrize("verified", ["false", False, "", "0", None, "no"])
    def test_unverified_email_address_is_forbidden(self, backend: Backend, verified: object) -> None:
        response = with_claims(backend, SIGNED_IN | {"email_verified": verified}).get("/api/config")

        assert (response.status_code, response.json()) == (
            403,
            forbidden("The email address of this account is not verified."),
        )

    def test_missing_email_verified_claim_is_forbidden(self, backend: Backend) -> None:
        response = with_claims(backend, {"email": "ada@example.com"}).get("/api/config")

        assert response.status_code == 403

    @pytest.mark.parametrize("verified", ["true", True, "True"])
    def test_verified_email_address_is_accepted_as_text_or_boolean(self, backend: Backend, verified: object) -> None:
        assert with_claims(backend, SIGNED_IN | {"email_verified": verified}).get("/api/config").status_code == 200

    @pytest.mark.parametrize("claims", [{"sub": "1", "token_use": "access"}, {"sub": "1", "email": ""}])
    def test_access_token_is_forbidden_with_the_reason(self, backend: Backend, claims: dict[str, Any]) -> None:
        response = with_claims(backend, claims).get("/api/config")

        assert (response.status_code, response.json()) == (
            403,
            forbidden("The token has no claim 'email': send the id token, not the access token."),
        )

    def test_another_claim_can_be_configured(self, backend: Backend) -> None:
        claims = {"cognito:username": "Ada.L", "email": "other@example.com"}

        assert with_claims(backend, claims, "cognito:username").get("/api/config").json()["user"] == "ada.l"

    @pytest.mark.parametrize(
        "email", ["a b@example.com", "ada/../x@example.com", "*@example.com", "ä@example.com", "x" * 65]
    )
    def test_claim_that_is_not_a_valid_user_name_is_forbidden(self, backend: Backend, email: str) -> None:
        response = with_claims(backend, SIGNED_IN | {"email": email}).get("/api/config")

        assert (response.status_code, response.json()) == (403, forbidden(PATTERN))

    @pytest.mark.parametrize(
        "event",
        [
            {},
            {"requestContext": None},
            {"requestContext": {}},
            {"requestContext": {"authorizer": {}}},
            {"requestContext": {"authorizer": None}},
            {"requestContext": {"authorizer": {"jwt": {}}}},
            {"requestContext": {"authorizer": {"jwt": {"claims": "email"}}}},
            {"requestContext": {"authorizer": {"jwt": {"claims": {}}}}},
            {"requestContext": {"authorizer": {"iam": {"userId": "x"}}}},
        ],
    )
    def test_missing_claims_are_forbidden(self, backend: Backend, event: dict[str, Any]) -> None:
        response = make_client(WithAwsEvent(backend.app(identity_from_claims("email")), event)).get("/api/config")

        assert (response.status_code, response.json()) == (403, forbidden("You are not signed in."))

    def test_headers_cannot_replace_claims(self, backend: Backend) -> None:
        not_signed_in = make_client(
            backend.app(identity_from_claims("email")), {"X-Satchel-User": "mallory@example.com"}
        )
        signed_in = with_claims(backend, SIGNED_IN)
        mallory = {"X-Satchel-User": "mallory@example.com", "X-Satchel-Groups": "admins"}

        assert not_signed_in.get("/api/config").status_code == 403
        response = signed_in.get("/api/config", headers=mallory).json()
        assert (response["user"], response["groups"]) == ("ada@example.com", ["users", "writers"])

    def test_public_routes_need_no_claims(self, backend: Backend) -> None:
        client = make_client(backend.app(identity_from_claims("email")))

        assert client.get("/api/health").status_code == 200
        assert client.get("/api/files/download/x?token=y").status_code == 404

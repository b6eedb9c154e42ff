from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from satchel.entrypoints.http.identity import from_claims
from tests.integration.http.desk import problem
from tests.integration.http.world import World, client_of

PATTERN = "The user name must match [A-Za-z0-9][A-Za-z0-9._@+-]{0,63}."
SIGNED_IN = {"email": "ada@example.com", "email_verified": "true", "cognito:groups": "[writers]"}


def refusal(detail: str) -> dict[str, object]:
    return problem(403, "Forbidden", "E_FORBIDDEN", detail)


class TestHeaders:
    @pytest.mark.parametrize("name", ["ada@example.com", "a", "0", "A.b_c+d-e@f", "x" * 64])
    def test_name_the_person(self, world: World, name: str) -> None:
        assert world.person(name).get("/api/config").json()["user"] == name

    @pytest.mark.parametrize(
        "name",
        ["", " ", "../x", "a/b", "a\\b", ".a", "-a", "a*", "a?", "a b", "x" * 65, "ä", "a#b", "a\tb", "a,b", "$user"],
    )
    def test_with_another_name_are_refused(self, world: World, name: str) -> None:
        client = client_of(world.local_app)

        answer = client.get("/api/config", headers=[(b"x-satchel-user", name.encode("latin-1"))])

        assert (answer.status_code, answer.json()) == (403, refusal(PATTERN))
        assert answer.headers["content-type"] == "application/problem+json"

    def test_are_asked_for_on_every_route_but_the_open_ones(self, world: World) -> None:
        client = world.person("../x")
        statuses = {path: client.get(path).status_code for path in ("/api/health", "/api/files", "/api/tools")}

        assert statuses == {"/api/health": 200, "/api/files": 403, "/api/tools": 403}

    def test_are_looked_at_before_the_body_is(self, world: World) -> None:
        assert world.person("../x").post("/api/files", content=b"{").status_code == 403

    @pytest.mark.parametrize(
        ("groups", "known"),
        [("", ["users"]), ("a", ["a", "users"]), (" a , b,,a ", ["a", "b", "users"]), (",", ["users"])],
    )
    def test_name_the_groups(self, world: World, groups: str, known: list[str]) -> None:
        assert world.person("ada", groups).get("/api/config").json()["groups"] == known


class Authorized:
    """Puts what API Gateway's authorizer found where the Lambda adapter puts it."""

    def __init__(self, app: ASGIApp, event: object) -> None:
        self._app = app
        self._event = event

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, "aws.event": self._event}, receive, send)


def with_claims(world: World, claims: dict[str, Any], claim: str = "email") -> TestClient:
    event = {"requestContext": {"authorizer": {"jwt": {"claims": claims, "scopes": None}}}}
    return client_of(Authorized(world.app(from_claims(claim)), event))


class TestClaims:
    def test_name_the_person_and_the_groups(self, world: World) -> None:
        answer = with_claims(world, SIGNED_IN).get("/api/config").json()

        assert (answer["user"], answer["groups"]) == ("ada@example.com", ["users", "writers"])

    @pytest.mark.parametrize("mail", ["Ada@Example.COM", "ADA@EXAMPLE.COM", "ada@example.com"])
    def test_are_one_person_however_the_mail_is_written(self, world: World, mail: str) -> None:
        assert with_claims(world, SIGNED_IN | {"email": mail}).get("/api/config").json()["user"] == "ada@example.com"

    @pytest.mark.parametrize(
        ("groups", "known"),
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
    def test_list_groups_as_text(self, world: World, groups: dict[str, Any], known: list[str]) -> None:
        claims = {"email": "ada@example.com", "email_verified": "true"}

        assert with_claims(world, claims | groups).get("/api/config").json()["groups"] == known

    @pytest.mark.parametrize("verified", ["false", False, "", "0", None, "no"])
    def test_with_a_mail_that_is_not_verified_are_refused(self, world: World, verified: object) -> None:
        answer = with_claims(world, SIGNED_IN | {"email_verified": verified}).get("/api/config")

        assert (answer.status_code, answer.json()) == (
            403,
            refusal("The e-mail address of this account is not verified."),
        )

    def test_that_say_nothing_of_the_mail_are_refused(self, world: World) -> None:
        answer = with_claims(world, {"email": "ada@example.com"}).get("/api/config")

        assert answer.status_code == 403

    @pytest.mark.parametrize("verified", ["true", True, "True"])
    def test_are_verified_as_text_or_not(self, world: World, verified: object) -> None:
        assert with_claims(world, SIGNED_IN | {"email_verified": verified}).get("/api/config").status_code == 200

    @pytest.mark.parametrize("claims", [{"sub": "1", "token_use": "access"}, {"sub": "1", "email": ""}])
    def test_of_an_access_token_are_refused_with_the_reason(self, world: World, claims: dict[str, Any]) -> None:
        answer = with_claims(world, claims).get("/api/config")

        assert (answer.status_code, answer.json()) == (
            403,
            refusal("The token has no 'email': send the id token, not the access token."),
        )

    def test_may_be_others_by_configuration(self, world: World) -> None:
        claims = {"cognito:username": "Ada.L", "email": "other@example.com"}

        assert with_claims(world, claims, "cognito:username").get("/api/config").json()["user"] == "ada.l"

    @pytest.mark.parametrize(
        "mail", ["a b@example.com", "ada/../x@example.com", "*@example.com", "ä@example.com", "x" * 65]
    )
    def test_that_are_no_name_for_a_prefix_are_refused(self, world: World, mail: str) -> None:
        answer = with_claims(world, SIGNED_IN | {"email": mail}).get("/api/config")

        assert (answer.status_code, answer.json()) == (403, refusal(PATTERN))

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
    def test_that_are_not_there_are_nobody(self, world: World, event: dict[str, Any]) -> None:
        answer = client_of(Authorized(world.app(from_claims("email")), event)).get("/api/config")

        assert (answer.status_code, answer.json()) == (403, refusal("Nobody is signed in."))

    def test_cannot_be_replaced_by_headers(self, world: World) -> None:
        bare = client_of(world.app(from_claims("email")), {"X-Satchel-User": "mallory@example.com"})
        signed_in = with_claims(world, SIGNED_IN)
        mallory = {"X-Satchel-User": "mallory@example.com", "X-Satchel-Groups": "admins"}

        assert bare.get("/api/config").status_code == 403
        answer = signed_in.get("/api/config", headers=mallory).json()
        assert (answer["user"], answer["groups"]) == ("ada@example.com", ["users", "writers"])

    def test_are_not_needed_on_open_routes(self, world: World) -> None:
        client = client_of(world.app(from_claims("email")))

        assert client.get("/api/health").status_code == 200
        assert client.get("/api/files/download/x?token=y").status_code == 404

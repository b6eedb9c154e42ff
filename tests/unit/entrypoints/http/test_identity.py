"""Users of requests: from claims that API Gateway verified, or from the headers of a local server."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from satchel.domain.errors import NotAllowed, TooManyRequests
from satchel.domain.users import Identity
from satchel.entrypoints.http.identity import (
    current_identity,
    identity_from_claims,
    identity_from_headers,
    keep_identity,
    signed_in_identity,
)
from satchel.entrypoints.http.personal_tokens import TOKEN_IDENTITY
from satchel.entrypoints.http.request_rates import BURST_SECONDS, RequestRates

NOT_SIGNED_IN = "You are not signed in."
UNVERIFIED = "The email address of this account is not verified."
INVALID_NAME = "The user name must match [A-Za-z0-9][A-Za-z0-9._@+-]{0,63}."
EMAIL = {"email": "ada@example.com", "email_verified": "true"}


def identity(name: str, *groups: str) -> Identity:
    return Identity(name=name, groups=frozenset({"users", *groups}))


def request_with(event: object = None, **headers: str) -> Request:
    raw = [(f"x-satchel-{name}".encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": raw, "aws.event": event})


def request_in_app(token_user: Identity | None = None, **headers: str) -> Request:
    """Return a request to a local server. ``token_user`` is the user of its personal token."""
    app = Starlette()
    app.state.read_identity = identity_from_headers
    app.state.request_rates = RequestRates(1, lambda: 0)
    request = request_with(**headers)
    request.scope.update({"app": app, TOKEN_IDENTITY: token_user})
    return request


def read_claims(claims: object, claim: str = "email") -> Identity:
    event = {"requestContext": {"authorizer": {"jwt": {"claims": claims}}}}
    return identity_from_claims(claim)(request_with(event))


def refusal(claims: object, claim: str = "email") -> str:
    with pytest.raises(NotAllowed) as raised:
        read_claims(claims, claim)
    return raised.value.message


def test_headers_name_the_user_and_the_groups() -> None:
    assert identity_from_headers(request_with(user="ada", groups=" a , b,,users")) == identity("ada", "a", "b")


def test_local_user_without_headers_is_the_developer() -> None:
    assert identity_from_headers(request_with()) == identity("dev@example.com")


def test_invalid_name_in_a_header_is_refused() -> None:
    with pytest.raises(NotAllowed) as raised:
        identity_from_headers(request_with(user="../x"))
    assert raised.value.message == INVALID_NAME


def test_claims_name_the_user_in_small_letters() -> None:
    assert read_claims(EMAIL | {"email": "Ada@Example.COM"}) == identity("ada@example.com")


@pytest.mark.parametrize("groups", ["[a b]", ["a", "b"], "a b", "[a\nb]", "[b a"])
def test_groups_are_a_list_or_the_text_of_a_list(groups: object) -> None:
    assert read_claims(EMAIL | {"cognito:groups": groups}) == identity("ada@example.com", "a", "b")


@pytest.mark.parametrize("groups", ["", "[]", [], "[ ]"])
def test_empty_groups_leave_the_default_group(groups: object) -> None:
    assert read_claims(EMAIL | {"cognito:groups": groups}) == identity("ada@example.com")


@pytest.mark.parametrize("claims", [None, {}, [], "text"])
def test_request_without_claims_is_not_signed_in(claims: object) -> None:
    assert refusal(claims) == NOT_SIGNED_IN


@pytest.mark.parametrize(
    "event", [None, "text", {}, {"requestContext": None}, {"requestContext": {"authorizer": {"jwt": [EMAIL]}}}]
)
def test_event_of_another_form_is_not_signed_in(event: object) -> None:
    with pytest.raises(NotAllowed, match=NOT_SIGNED_IN):
        identity_from_claims("email")(request_with(event))


def test_request_without_an_event_is_not_signed_in() -> None:
    with pytest.raises(NotAllowed, match=NOT_SIGNED_IN):
        identity_from_claims("email")(Request({"type": "http", "headers": []}))


@pytest.mark.parametrize("claims", [{"sub": "1"}, EMAIL | {"email": ""}])
def test_token_without_the_users_claim_is_refused(claims: dict[str, Any]) -> None:
    assert refusal(claims) == "The token has no claim 'email': send the id token, not the access token."


@pytest.mark.parametrize("verified", ["false", False, "", None, "1", "yes"])
def test_unverified_email_address_is_refused(verified: object) -> None:
    assert refusal(EMAIL | {"email_verified": verified}) == UNVERIFIED


def test_missing_verification_of_the_email_address_is_refused() -> None:
    assert refusal({"email": "ada@example.com"}) == UNVERIFIED


@pytest.mark.parametrize("verified", ["true", "True", True])
def test_verified_email_address_is_accepted(verified: object) -> None:
    assert read_claims(EMAIL | {"email_verified": verified}) == identity("ada@example.com")


def test_other_claims_than_the_email_address_need_no_verification() -> None:
    assert read_claims({"sub": "A1"}, "sub") == identity("a1")


def test_invalid_name_in_a_claim_is_refused() -> None:
    assert refusal({"sub": "a/b"}, "sub") == INVALID_NAME


def test_requests_of_each_user_are_counted() -> None:
    ada, bob = request_in_app(user="ada"), request_with(user="bob")
    bob.scope["app"] = ada.app

    for _ in range(BURST_SECONDS):
        assert current_identity(ada) == identity("ada")
    with pytest.raises(TooManyRequests):
        current_identity(ada)
    assert current_identity(bob) == identity("bob")


def test_personal_token_names_the_user_in_place_of_the_headers() -> None:
    request = request_in_app(token_user=identity("ada", "admins"), user="bob", groups="b")
    assert current_identity(request) == identity("ada", "admins")


def test_requests_with_personal_tokens_are_counted_for_their_user() -> None:
    by_token = request_in_app(token_user=identity("ada"), user="bob")
    for _ in range(BURST_SECONDS):
        current_identity(by_token)
    with pytest.raises(TooManyRequests):
        current_identity(by_token)


def test_request_with_a_personal_token_is_not_signed_in() -> None:
    user = identity("ada")
    with pytest.raises(NotAllowed) as raised:
        signed_in_identity(request_in_app(token_user=user), user)
    assert raised.value.message == "A personal token cannot be used for this: sign in."


def test_user_without_a_personal_token_is_signed_in() -> None:
    assert signed_in_identity(request_with(user="ada"), identity("ada", "a")) == identity("ada", "a")
    assert signed_in_identity(request_in_app(user="ada"), identity("ada", "a")) == identity("ada", "a")


def test_user_of_a_personal_token_keeps_the_groups_of_the_token() -> None:
    assert keep_identity(identity("ada", "a")) == identity("ada", "a")

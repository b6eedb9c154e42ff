"""Identify the user of a request.

From claims that API Gateway verified or, on a local server, from plain headers. A personal token comes before both.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request
from pydantic import ValidationError

from satchel.domain.errors import NotAllowed
from satchel.domain.users import DEFAULT_GROUP, Identity
from satchel.entrypoints.http.personal_tokens import TOKEN_IDENTITY

if TYPE_CHECKING:
    from satchel.entrypoints.http.request_rates import RequestRates

IdentityReader = Callable[[Request], Identity]
CurrentIdentity = Callable[[Identity], Identity | None]

USER_HEADER = "x-satchel-user"
GROUPS_HEADER = "x-satchel-groups"
_DEFAULT_USER = "dev@example.com"


def current_identity(request: Request) -> Identity:
    """Return the user who sent the request, and count the request.

    Raise NotAllowed if the user is not signed in, or TooManyRequests.
    """
    read: IdentityReader = request.app.state.read_identity
    rates: RequestRates = request.app.state.request_rates
    user = _token_identity(request) or read(request)
    rates.count(user.name)
    return user


def signed_in_identity(request: Request, user: Annotated[Identity, Depends(current_identity)]) -> Identity:
    """Return the user who sent the request. Raise NotAllowed if the request has a personal token."""
    if _token_identity(request):
        raise NotAllowed("A personal token cannot be used for this: sign in.")
    return user


def keep_identity(identity: Identity) -> Identity | None:
    """Return the identity of a personal token unchanged, where the API knows no accounts."""
    return identity


def _token_identity(request: Request) -> Identity | None:
    identity: Identity | None = request.scope.get(TOKEN_IDENTITY)
    return identity


CurrentUser = Annotated[Identity, Depends(current_identity)]
SignedInUser = Annotated[Identity, Depends(signed_in_identity)]
"""The user of a request that only the user may send, and no program with a personal token."""


def identity_from_headers(request: Request) -> Identity:
    """Return the user named in the request headers, unverified. Use only behind the local server's key check."""
    groups = request.headers.get(GROUPS_HEADER, DEFAULT_GROUP)
    name = request.headers.get(USER_HEADER, _DEFAULT_USER)
    return _make_identity(name, [group.strip() for group in groups.split(",")])


def identity_from_claims(claim: str) -> IdentityReader:
    """Return a function that reads the user from claims that API Gateway verified; ``claim`` holds the user's name."""

    def read(request: Request) -> Identity:
        claims: Any = request.scope.get("aws.event")
        for part in ("requestContext", "authorizer", "jwt", "claims"):
            claims = claims.get(part) if isinstance(claims, dict) else None
        if not isinstance(claims, dict) or not claims:
            raise NotAllowed("You are not signed in.")
        name = claims.get(claim)
        if not name:
            raise NotAllowed(f"The token has no claim '{claim}': send the id token, not the access token.")
        if claim == "email" and str(claims.get("email_verified")).lower() != "true":
            raise NotAllowed("The email address of this account is not verified.")
        return _make_identity(str(name).lower(), _parse_groups(claims.get("cognito:groups", "")))

    return read


def _parse_groups(groups: object) -> list[str]:
    """Return the group names. The claim is a list, or the text ``[a b]`` if API Gateway converted the list."""
    if isinstance(groups, list):
        return [str(group) for group in groups]
    return str(groups).removeprefix("[").removesuffix("]").split()


def _make_identity(name: str, groups: list[str]) -> Identity:
    try:
        return Identity(name=name, groups=frozenset({DEFAULT_GROUP, *filter(None, groups)}))
    except ValidationError as error:
        raise NotAllowed("The user name must match [A-Za-z0-9][A-Za-z0-9._@+-]{0,63}.") from error

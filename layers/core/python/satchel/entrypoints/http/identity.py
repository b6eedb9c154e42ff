"""Who is asking: from headers on one machine, from the verified token's claims behind API Gateway."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import ValidationError

from satchel.domain.errors import NotAllowed
from satchel.domain.users import EVERYBODY, Identity

IdentityReader = Callable[[Request], Identity]

USER_HEADER = "x-satchel-user"
GROUPS_HEADER = "x-satchel-groups"
_LOCAL_USER = "dev@example.com"
_GROUP_LIST = re.compile(r"^\[?(.*?)\]?$", re.DOTALL)


def current_identity(request: Request) -> Identity:
    """Return who is asking. Raises NotAllowed."""
    read: IdentityReader = request.app.state.read_identity
    return read(request)


Who = Annotated[Identity, Depends(current_identity)]


def from_headers(request: Request) -> Identity:
    """Read the local headers; a loopback server has nobody else to ask."""
    groups = request.headers.get(GROUPS_HEADER, EVERYBODY)
    return _identity(request.headers.get(USER_HEADER, _LOCAL_USER), [g.strip() for g in groups.split(",")])


def from_claims(claim: str) -> IdentityReader:
    """Return a reader of the JWT authorizer's claims, which API Gateway has verified."""

    def read(request: Request) -> Identity:
        claims: Any = request.scope.get("aws.event")
        for part in ("requestContext", "authorizer", "jwt", "claims"):
            claims = claims.get(part) if isinstance(claims, dict) else None
        if not isinstance(claims, dict) or not claims:
            raise NotAllowed("Nobody is signed in.")
        name = claims.get(claim)
        if not name:
            raise NotAllowed(f"The token has no '{claim}': send the id token, not the access token.")
        if claim == "email" and str(claims.get("email_verified", "false")).lower() != "true":
            raise NotAllowed("The e-mail address of this account is not verified.")
        return _identity(str(name).lower(), _listed(claims.get("cognito:groups", "")))

    return read


def _listed(groups: object) -> list[str]:
    """API Gateway hands a list over as the text ``[a b]``."""
    if isinstance(groups, list):
        return [str(group) for group in groups]
    found = _GROUP_LIST.match(str(groups))
    return (found[1] if found else "").split()


def _identity(name: str, groups: list[str]) -> Identity:
    try:
        return Identity(name=name, groups=frozenset({EVERYBODY, *filter(None, groups)}))
    except ValidationError as error:
        raise NotAllowed("The user name must match [A-Za-z0-9][A-Za-z0-9._@+-]{0,63}.") from error

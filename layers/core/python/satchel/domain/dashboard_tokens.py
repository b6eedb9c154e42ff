"""Tokens with which the host of a dashboard identifies the user: their claims, and the public keys that verify them."""

from typing import Literal

from pydantic import BaseModel

from satchel.domain.ids import CanvasId, SessionId, UserName

DASHBOARD_TOKEN_SECONDS = 300
MAX_TOOL_TOKEN_CHARS = 8_192


class DashboardClaims(BaseModel):
    """The claims of a dashboard's token (RFC 7519), under their names in the token. ``sid`` is the session.

    Only the dashboard's host must accept the token, so ``aud`` is the origin of the dashboard's URL. ``iat`` and
    ``exp`` are in seconds since 1970. ``jti`` differs in each token, so a host can refuse a token that it saw before.
    """

    iss: str
    aud: str
    sub: UserName
    sid: SessionId
    canvas_id: CanvasId
    iat: int
    exp: int
    jti: str


class PublicKey(BaseModel):
    """A public key in the format of a JSON Web Key (RFC 7517). ``x`` and ``y`` are the coordinates in base64url."""

    kid: str
    kty: Literal["EC"] = "EC"
    crv: Literal["P-256"] = "P-256"
    alg: Literal["ES256"] = "ES256"
    use: Literal["sig"] = "sig"
    x: str
    y: str

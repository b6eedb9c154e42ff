"""Capabilities as JWTs: HS256 only, every claim required, keys by ``kid`` so that they can be changed."""

import json
from collections.abc import Callable
from dataclasses import dataclass

import jwt
from pydantic import ValidationError

from satchel.domain.capabilities import Audience, CanvasClaims, Claims
from satchel.ports.clock import Clock

_ALGORITHM = "HS256"
_LEAST_KEY = 32  # what RFC 7518 §3.2 asks of HS256, in bytes
_REQUIRED = ["sub", "fil", "ver", "sid", "epo", "aud", "exp"]


@dataclass(frozen=True)
class SigningKeys:
    """The newest key signs; all of them read."""

    newest: str
    keys: dict[str, str]

    @classmethod
    def parse(cls, text: str) -> "SigningKeys":
        """Read the secret ``{"newest": kid, kid: key, …}``: flat, since that is what CloudFormation can generate.

        Raises ValueError for any other.
        """
        stored = json.loads(text)
        if not isinstance(stored, dict) or not all(isinstance(value, str) for value in stored.values()):
            raise ValueError("the secret of the signing keys has another form")
        newest = stored.pop("newest", None)
        if newest not in stored:
            raise ValueError("the newest signing key is not among the keys")
        if any(len(key) < _LEAST_KEY for key in stored.values()):
            raise ValueError(f"a signing key has fewer than {_LEAST_KEY} characters")
        return cls(newest=newest, keys=stored)


@dataclass(frozen=True)
class JwtSigner:
    """Implements ``ports.signer.Signer``. Time is the Clock's, so expiry is checked here and not by the library."""

    load_keys: Callable[[], SigningKeys]
    clock: Clock

    def sign(self, claims: Claims | CanvasClaims) -> str:
        """Return the token."""
        keys = self.load_keys()
        payload = {
            "sub": claims.owner,
            **_of_what(claims),
            "sid": claims.session_id,
            "epo": claims.epoch,
            "aud": claims.audience,
            "exp": claims.exp,
        }
        return jwt.encode(payload, keys.keys[keys.newest], algorithm=_ALGORITHM, headers={"kid": keys.newest})

    def read(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return what a valid token for one of these audiences says; None for any other."""
        try:
            key = self.load_keys().keys[str(jwt.get_unverified_header(token).get("kid"))]
            said = jwt.decode(
                token,
                key,
                algorithms=[_ALGORITHM],
                audience=list(audiences),
                options={"require": _REQUIRED, "verify_exp": False},
            )
            claims = Claims(
                file_key=said["fil"],
                version=said["ver"],
                owner=said["sub"],
                session_id=said["sid"],
                epoch=said["epo"],
                audience=said["aud"],
                exp=said["exp"],
            )
        except (jwt.PyJWTError, KeyError, ValidationError, UnicodeError):
            return None
        return claims if claims.exp > self.clock.now().timestamp() else None


def _of_what(claims: Claims | CanvasClaims) -> dict[str, str | int]:
    if isinstance(claims, CanvasClaims):
        return {"cnv": claims.canvas_id}
    return {"fil": claims.file_key, "ver": claims.version}

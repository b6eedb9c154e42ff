"""Capabilities as JWTs: HS256 only, every claim required, keys by ``kid`` so that they can be changed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt
from pydantic import ValidationError

from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.links import Audience, CanvasClaims, Claims, EraseClaims
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from jwt.types import Options

_ALGORITHM = "HS256"
_REQUIRED = ["sub", "fil", "ver", "sid", "epo", "aud", "exp", "jti"]
_OF_ERASURE = ["sub", "aud", "exp"]


@dataclass(frozen=True)
class JwtSigner:
    """Implements ``ports.signer.Signer``. Time is the Clock's, so expiry is checked here and not by the library."""

    load_keys: Callable[[], SigningKeys]
    clock: Clock

    def sign(self, claims: Claims | CanvasClaims | EraseClaims) -> str:
        """Return the token."""
        keys = self.load_keys()
        payload = {"sub": claims.owner, **_of_what(claims), "aud": claims.audience, "exp": claims.exp}
        return jwt.encode(payload, keys.keys[keys.newest], algorithm=_ALGORITHM, headers={"kid": keys.newest})

    def read(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return what a valid token for one of these audiences says; None for any other."""
        said = self._said(token, audiences, _REQUIRED)
        try:
            return Claims(
                file_key=said["fil"],
                version=said["ver"],
                owner=said["sub"],
                session_id=said["sid"],
                epoch=said["epo"],
                audience=said["aud"],
                exp=said["exp"],
                link_id=said["jti"],
            )
        except (KeyError, ValidationError):
            return None

    def read_confirmation(self, token: str) -> EraseClaims | None:
        """Return what a valid token of an erasure says; None for any other."""
        said = self._said(token, ("erase",), _OF_ERASURE)
        try:
            return EraseClaims(owner=said["sub"], exp=said["exp"])
        except (KeyError, ValidationError):
            return None

    def _said(self, token: str, audiences: tuple[str, ...], required: list[str]) -> Mapping[str, Any]:
        """Return the claims of a token of ours that has not ended; none of any other."""
        try:
            key = self.load_keys().keys[str(jwt.get_unverified_header(token).get("kid"))]
            options: Options = {"require": required, "verify_exp": False}
            said = jwt.decode(token, key, algorithms=[_ALGORITHM], audience=list(audiences), options=options)
        except (jwt.PyJWTError, KeyError, UnicodeError):
            return {}
        until = said["exp"]
        return said if isinstance(until, int) and until > self.clock.now().timestamp() else {}


def _of_what(claims: Claims | CanvasClaims | EraseClaims) -> dict[str, str | int]:
    if isinstance(claims, EraseClaims):
        return {}
    session: dict[str, str | int] = {"sid": claims.session_id, "epo": claims.epoch}
    if isinstance(claims, CanvasClaims):
        return {"cnv": claims.canvas_id, **session}
    return {"fil": claims.file_key, "ver": claims.version, **session, "jti": claims.link_id}

"""Signs and verifies capability tokens: JWTs with HS256 and a key id (``kid``). Every claim is required."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt
from pydantic import ValidationError

from satchel.adapters.signing_keys import SigningKeys
from satchel.domain.links import Audience, Claims, EraseClaims
from satchel.ports.system import Clock

if TYPE_CHECKING:
    from jwt.types import Options

_ALGORITHM = "HS256"
_FILE_CLAIMS = ["sub", "fil", "ver", "sid", "epo", "aud", "exp", "jti"]
_ERASURE_CLAIMS = ["sub", "aud", "exp"]


@dataclass(frozen=True)
class JwtSigner:
    """Implements ``ports.links.Signer``. Checks the expiry itself, because PyJWT always uses the system's time."""

    load_keys: Callable[[], SigningKeys]
    clock: Clock

    def sign(self, claims: Claims | EraseClaims) -> str:
        keys = self.load_keys()
        payload = {"sub": claims.owner, **_specific_claims(claims), "aud": claims.audience, "exp": claims.exp}
        return jwt.encode(payload, keys.keys[keys.newest], algorithm=_ALGORITHM, headers={"kid": keys.newest})

    def verify(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        """Return the claims of a token of a download link, or None if the token or its audience is not valid."""
        payload = self._decode(token, audiences, _FILE_CLAIMS)
        try:
            return Claims(
                file_key=payload["fil"],
                version=payload["ver"],
                owner=payload["sub"],
                session_id=payload["sid"],
                epoch=payload["epo"],
                audience=payload["aud"],
                exp=payload["exp"],
                link_id=payload["jti"],
            )
        except (KeyError, ValidationError):
            return None

    def verify_confirmation(self, token: str) -> EraseClaims | None:
        """Return the claims of a valid token that confirms an erasure, or None if the token is not valid."""
        payload = self._decode(token, ("erase",), _ERASURE_CLAIMS)
        try:
            return EraseClaims(owner=payload["sub"], exp=payload["exp"])
        except (KeyError, ValidationError):
            return None

    def _decode(self, token: str, audiences: tuple[str, ...], required: list[str]) -> Mapping[str, Any]:
        """Return a token's payload, or an empty dict if the signature, audience, claims or expiry are invalid."""
        try:
            key = self.load_keys().keys[str(jwt.get_unverified_header(token).get("kid"))]
            options: Options = {"require": required, "verify_exp": False}
            payload = jwt.decode(token, key, algorithms=[_ALGORITHM], audience=list(audiences), options=options)
        except (jwt.PyJWTError, KeyError, UnicodeError):
            return {}
        exp = payload["exp"]
        return payload if isinstance(exp, int) and exp > self.clock.now().timestamp() else {}


def _specific_claims(claims: Claims | EraseClaims) -> dict[str, str | int]:
    if isinstance(claims, EraseClaims):
        return {}
    session = {"sid": claims.session_id, "epo": claims.epoch}
    return {"fil": claims.file_key, "ver": claims.version, **session, "jti": claims.link_id}

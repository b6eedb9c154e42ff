"""A signer that nobody can fool: it knows the tokens that it made."""

from satchel.domain.links import Audience, CanvasClaims, Claims, EraseClaims
from satchel.ports.system import Clock

AnyClaims = Claims | CanvasClaims | EraseClaims


class FakeSigner:
    """Implements ``ports.signer.Signer``."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._made: dict[str, AnyClaims] = {}

    def sign(self, claims: AnyClaims) -> str:
        token = f"token-{len(self._made) + 1}"
        self._made[token] = claims
        return token

    def read(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        claims = self._made.get(token)
        if not isinstance(claims, Claims) or claims.audience not in audiences:
            return None
        return None if claims.exp <= self._clock.now().timestamp() else claims

    def read_confirmation(self, token: str) -> EraseClaims | None:
        claims = self._made.get(token)
        if not isinstance(claims, EraseClaims):
            return None
        return None if claims.exp <= self._clock.now().timestamp() else claims

    def said(self, token: str | None) -> AnyClaims:
        """Return what any token of ours says, good for something or not."""
        return self._made[token or ""]

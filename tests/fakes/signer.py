"""A signer that nobody can fool: it knows the tokens that it made."""

from satchel.domain.capabilities import Audience, Claims
from satchel.ports.clock import Clock


class FakeSigner:
    """Implements ``ports.signer.Signer``."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._made: dict[str, Claims] = {}

    def sign(self, claims: Claims) -> str:
        token = f"token-{len(self._made) + 1}"
        self._made[token] = claims
        return token

    def read(self, token: str, audiences: tuple[Audience, ...]) -> Claims | None:
        claims = self._made.get(token)
        if claims is None or claims.audience not in audiences or claims.exp <= self._clock.now().timestamp():
            return None
        return claims

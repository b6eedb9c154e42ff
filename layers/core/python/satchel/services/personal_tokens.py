"""Make, list, revoke and check personal tokens."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from satchel.domain.errors import TokenNotFound, TokenUsed, Unavailable
from satchel.domain.ids import IdBody, TokenId, new_id_body
from satchel.domain.personal_tokens import (
    MAX_TOKENS,
    SECRET_BYTES,
    TOKEN_ID_KIND,
    USE_PRECISION,
    PersonalToken,
    TokenText,
    digest_of,
    new_secret,
    parse_token,
)
from satchel.domain.users import Identity
from satchel.ports.system import Clock
from satchel.ports.users import PersonalTokens


@dataclass(frozen=True)
class PersonalTokenAccess:
    """Make, list, revoke and check the personal tokens of users."""

    store: PersonalTokens
    clock: Clock
    entropy: Callable[[int], bytes]

    def create(self, who: Identity, name: str, days: int, id_body: IdBody | None = None) -> tuple[PersonalToken, str]:
        """Return a new token and its text, which is not stored. Raise TooManyTokens or ErasureRunning.

        If a token with this ``id_body`` has been created already, return that one as ``again`` does.
        """
        now = self.clock.now()
        token_id = TokenId(f"{TOKEN_ID_KIND}{id_body or new_id_body(now, self.entropy(10))}")
        if id_body and self.store.get(who.name, token_id):
            return self.again(who, token_id)
        secret = new_secret(self.entropy(SECRET_BYTES))
        token = PersonalToken(
            token_id=token_id,
            user=who.name,
            groups=who.groups,
            name=name,
            digest=digest_of(secret),
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        self.store.add(token, MAX_TOKENS)
        return token, str(TokenText(who.name, token_id, secret))

    def again(self, who: Identity, token_id: TokenId) -> tuple[PersonalToken, str]:
        """Return a token that was created before, with a new secret, because the first one is not stored.

        The first secret stops working. Raise TokenNotFound if the token was revoked or has expired, TokenUsed if a
        program has it already, or RequestRunning.
        """
        token = self.store.get(who.name, token_id)
        if token is None or self.clock.now() >= token.expires_at:
            raise TokenNotFound(token_id)
        if token.last_used_at is not None:
            raise TokenUsed(token_id)
        secret = new_secret(self.entropy(SECRET_BYTES))
        renewed = token.model_copy(update={"digest": digest_of(secret)})
        self.store.replace(token, renewed)
        return renewed, str(TokenText(who.name, token_id, secret))

    def list(self, who: Identity) -> Sequence[PersonalToken]:
        """Return the user's valid tokens, newest first."""
        now = self.clock.now()
        return [token for token in self.store.list(who.name) if now < token.expires_at]

    def revoke(self, who: Identity, token_id: TokenId) -> None:
        """Revoke a token of the user, if it exists. It stops working immediately."""
        self.store.remove(who.name, token_id)

    def check(self, text: str) -> Identity | None:
        """Return the user of a token, or None if the token is wrong, has expired or was revoked."""
        parts = parse_token(text)
        token = self.store.get(parts.user, parts.token_id) if parts else None
        now = self.clock.now()
        if parts is None or token is None or not token.is_valid(parts.secret, now):
            return None
        self._mark_used(token, now)
        return token.identity

    def _mark_used(self, token: PersonalToken, now: datetime) -> None:
        if token.last_used_at is None or now - token.last_used_at >= USE_PRECISION:
            with suppress(Unavailable):  # the time is information for the user only
                self.store.mark_used(token.user, token.token_id, now)

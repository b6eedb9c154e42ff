"""Personal tokens: long-lived bearer tokens that users make for their programs.

The text of a token is ``satchel_{user in base64url}.{token_id}.{secret}``. It names its user, so one read finds the
record. The record has only a hash of the secret.
"""

import hashlib
import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from satchel.domain.ids import ID_BODY, TokenId, UserName
from satchel.domain.users import Identity

PREFIX = "satchel_"
TOKEN_ID_KIND = "p"  # noqa: S105  (the first letter of ids)
TOKEN_ID = f"{TOKEN_ID_KIND}{ID_BODY}"
SECRET_BYTES = 32
MAX_TOKENS = 20
"""The valid tokens that one user may have."""
MAX_DAYS = 365
DEFAULT_DAYS = 90
MAX_NAME_CHARS = 100
USE_PRECISION = timedelta(minutes=5)
"""The use of a token is stored at most once in this time, to save writes."""

_TEXT = re.compile(rf"{PREFIX}([A-Za-z0-9_-]{{1,100}})\.({TOKEN_ID})\.([A-Za-z0-9_-]{{20,100}})")
_user_name = TypeAdapter[UserName](UserName)


class PersonalToken(BaseModel):
    """The record of a personal token: its user, the user's groups when the token was made, and the secret's hash."""

    model_config = ConfigDict(frozen=True)

    token_id: TokenId
    user: UserName
    groups: frozenset[str]
    name: str
    digest: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None = None

    @property
    def identity(self) -> Identity:
        """Return the user as whom requests with the token act."""
        return Identity(name=self.user, groups=self.groups)

    def is_valid(self, secret: str, now: datetime) -> bool:
        """Return True if the secret is that of the token and the token has not expired."""
        return hmac.compare_digest(digest_of(secret), self.digest) and now < self.expires_at


@dataclass(frozen=True)
class TokenText:
    """The parts of a token's text. Nothing about them is verified."""

    user: UserName
    token_id: TokenId
    secret: str

    def __str__(self) -> str:
        """Return the text."""
        user = urlsafe_b64encode(self.user.encode()).decode().rstrip("=")
        return f"{PREFIX}{user}.{self.token_id}.{self.secret}"


def parse_token(text: str) -> TokenText | None:
    """Return the parts of a token's text, or None if the text cannot be a token."""
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    user, token_id, secret = match.groups()
    try:
        name = _user_name.validate_python(urlsafe_b64decode(user + "=" * (-len(user) % 4)).decode())
    except (ValueError, ValidationError):
        return None
    return TokenText(name, TokenId(token_id), secret)


def new_secret(entropy: bytes) -> str:
    """Return a secret made of these random bytes."""
    return urlsafe_b64encode(entropy).decode().rstrip("=")


def digest_of(secret: str) -> str:
    """Return the stored form of a secret. The secret is random, so a fast hash is safe."""
    return hashlib.sha256(secret.encode()).hexdigest()

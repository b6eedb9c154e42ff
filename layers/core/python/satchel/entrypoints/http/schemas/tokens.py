"""JSON bodies of personal tokens."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from satchel.domain.personal_tokens import DEFAULT_DAYS, MAX_DAYS, MAX_NAME_CHARS, PersonalToken

_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME_CHARS)]


class NewToken(BaseModel):
    """A personal token to make. ``name`` says for which program it is."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Open WebUI", "ttl_days": 30}]})

    name: _Name
    ttl_days: Annotated[int, Field(ge=1, le=MAX_DAYS)] = DEFAULT_DAYS


class TokenOut(BaseModel):
    """A personal token, valid until ``expires_at`` unless it is revoked."""

    token_id: str
    name: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None

    @classmethod
    def of(cls, token: PersonalToken) -> "TokenOut":
        """Convert a token to its JSON response, without its text, because the text is not stored."""
        return cls(**token.model_dump(include=set(cls.model_fields)))


class TokenWithText(TokenOut):
    """A new personal token with its text, which is returned only once. Anyone with the text can act as the user."""

    token: str


class TokenList(BaseModel):
    """All valid personal tokens of the user, newest first."""

    tokens: list[TokenOut]

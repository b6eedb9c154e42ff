"""Kinds of values that a deployment may choose. All of them may come as text: the command line can give no other."""

import json
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints


def listed(value: object) -> object:
    """Make a list of ``a,b``: the command line can give text only."""
    return [part for part in value.split(",") if part] if isinstance(value, str) else value


def numbered(value: object) -> object:
    """Make numbers by name of ``a=1,b=2``."""
    parts = listed(value)
    return dict(part.partition("=")[::2] for part in parts) if isinstance(parts, list) else value


def _number(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdigit() else value


Listed = Annotated[list[str], BeforeValidator(listed)]
_Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^/,\s*]+$")]
Origins = Annotated[list[_Origin], BeforeValidator(listed)]
Group = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
LogDays = Annotated[
    Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653], BeforeValidator(_number)
]


class ModelChoice(BaseModel):
    """A model that people may choose by its name; without groups, everybody may."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=200)]
    model: Annotated[str, Field(min_length=1)]
    description: str = ""
    groups: list[str] = []
    context_tokens: Annotated[int, Field(ge=2000)] | None = None


def _decoded(value: object) -> object:
    """Read JSON: the command line can give text only."""
    return json.loads(value) if isinstance(value, str) else value


ModelList = Annotated[list[ModelChoice], BeforeValidator(_decoded)]

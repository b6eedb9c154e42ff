"""The base of all models, and the model of events whose type this version does not know."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A part of a response. Members that this version does not know are ignored."""

    model_config = ConfigDict(
        frozen=True,
        defer_build=True,  # a program uses few of the models
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )


class UnknownEvent(Model):
    """An event that this version of the client does not know. Its other members are in ``model_extra``."""

    model_config = ConfigDict(extra="allow")

    seq: int
    turn_id: str
    type: str
    at: datetime

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (a member of any type)
        """Return another member of the event. Raise AttributeError if the event has no such member."""
        return super().__getattr__(name)  # type: ignore[misc]  # pydantic defines it only at run time

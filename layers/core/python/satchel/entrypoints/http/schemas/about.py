"""TODO.

What goes over the wire about a person and all that is kept of them.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from satchel.domain.conversation import ToolSpec
from satchel.domain.files import Usage
from satchel.domain.isolation import Level
from satchel.domain.users import Erased, Erasure


class Health(BaseModel):
    """The server is alive."""

    status: str = "ok"
    version: str


class SizeLimits(BaseModel):
    """How much goes which way, in bytes."""

    body_bytes: Annotated[int, Field(description="One request to the API, a file in it included.")]
    message_bytes: Annotated[int, Field(description="A message to the model.")]
    inline_bytes: Annotated[
        int,
        Field(
            description="A file inside JSON, as `b64`: `base64_size_limit_mb`, or less where the transport has less."
        ),
    ]
    file_bytes: Annotated[int, Field(description="Any file: uploaded in parts, or made by a tool.")]
    part_bytes: Annotated[
        int, Field(description="A part of an upload, of files that make no more than 10,000 of them.")
    ]


class ModelOut(BaseModel):
    """A model that the person may choose for a session."""

    name: str
    description: str


class Config(BaseModel):
    """Who is asking, and what this deployment does and allows.

    ``model`` is the one of ``models`` that a session has which names none; None where there is none for this person.
    ``socket_url`` is where connections are opened, with a ticket of ``POST /api/ws-ticket``.
    """

    user: str
    groups: list[str]
    model: str | None
    models: list[ModelOut]
    socket_url: str
    isolation_level: Level
    flags: dict[str, Any]
    limits: SizeLimits


ServerStatus = Literal["ready", "starting", "unavailable"]


class ToolServer(BaseModel):
    """A server with its tools.

    ``status`` is ``starting`` until its tools are known, and ``unavailable`` when it did not start the last time, for
    the ``reason`` given; it is tried again, and its tools are those that it had before.
    """

    name: str
    description: str
    status: ServerStatus
    reason: str | None = None
    tools: list[ToolSpec]


class Tools(BaseModel):
    """What the person may use."""

    servers: list[ToolServer]


class ErasureOut(BaseModel):
    """The last time that everything was deleted: done when ``finished_at`` is set. ``erased`` counts on the way."""

    started_at: datetime
    finished_at: datetime | None
    erased: Erased

    @classmethod
    def of(cls, erasure: Erasure) -> "ErasureOut":
        """Show an erasure."""
        return cls(**erasure.model_dump(include={"started_at", "finished_at", "erased"}))


class Me(BaseModel):
    """Who is asking, how much they keep (bytes of all versions, number of files), and what was deleted."""

    user: str
    groups: list[str]
    usage: Usage
    erasure: ErasureOut | None


class ErasureAsked(BaseModel):
    """Nothing is deleted yet: say it again with ``confirm_token``. ``usage`` is what would go."""

    confirm_token: str
    expires_at: datetime
    usage: Usage

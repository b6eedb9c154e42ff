"""Responses about the deployment and about the signed-in user."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from satchel.domain.conversation import ToolSpec
from satchel.domain.files import Usage
from satchel.domain.isolation import Level
from satchel.domain.users import Erased, Erasure


class Health(BaseModel):
    """The server is running."""

    status: str = "ok"
    version: str


class SizeLimits(BaseModel):
    """Upload and response limits, in bytes."""

    body_bytes: Annotated[int, Field(description="A request to the API, including a file in it.")]
    message_bytes: Annotated[int, Field(description="A message to the model.")]
    inline_bytes: Annotated[
        int,
        Field(description="A file as `b64` in JSON: `base64_size_limit_mb`, or less if the transport allows less."),
    ]
    file_bytes: Annotated[int, Field(description="A file that is uploaded in parts, or created by a tool.")]
    part_bytes: Annotated[
        int, Field(description="A part of an upload. Files of more than 10,000 such parts have larger parts.")
    ]


class ModelOut(BaseModel):
    """A model that the user may choose for a session."""

    name: str
    description: str


class Config(BaseModel):
    """The signed-in user and the settings of this deployment.

    ``model`` is the default model of a session, one of ``models``; None if the user may use no model.
    ``socket_url`` is the WebSocket API; connecting needs a ticket of ``POST /api/ws-ticket``.
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

    ``status`` is ``starting`` until its tools are known, and ``unavailable`` if its last start failed with ``reason``.
    An unavailable server is started again later; until then ``tools`` are those of its last successful start.
    """

    name: str
    description: str
    status: ServerStatus
    reason: str | None = None
    tools: list[ToolSpec]


class Tools(BaseModel):
    """The servers and tools that the user may use."""

    servers: list[ToolServer]


class ErasureOut(BaseModel):
    """The last deletion of all data. It is complete when ``finished_at`` is set; ``erased`` has the counts so far."""

    started_at: datetime
    finished_at: datetime | None
    erased: Erased

    @classmethod
    def of(cls, erasure: Erasure) -> "ErasureOut":
        """Return the response for an erasure."""
        return cls(**erasure.model_dump(include={"started_at", "finished_at", "erased"}))


class Me(BaseModel):
    """The signed-in user, the storage used (bytes of all versions, number of files), the last deletion of all data."""

    user: str
    groups: list[str]
    usage: Usage
    erasure: ErasureOut | None


class ErasureConfirmation(BaseModel):
    """The token that confirms the deletion. Nothing is deleted yet; ``usage`` is the amount that would be deleted."""

    confirm_token: str
    expires_at: datetime
    usage: Usage

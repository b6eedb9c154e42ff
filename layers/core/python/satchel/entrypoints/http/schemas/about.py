"""Responses that describe the deployment and the signed-in user."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from satchel.domain.conversation import ToolSpec
from satchel.domain.dashboard_tokens import PublicKey
from satchel.domain.files import Usage
from satchel.domain.isolation import Level
from satchel.domain.prompt import MAX_USER_INSTRUCTIONS_CHARS
from satchel.domain.quotas import QuotaReport
from satchel.domain.resources import OfferedFile, Prompt, Resource, ResourceTemplate
from satchel.domain.users import Erased, Erasure


class Health(BaseModel):
    """The server is running this ``version`` of Satchel."""

    status: Literal["ok"] = "ok"
    version: str


class JsonWebKeySet(BaseModel):
    """The public keys that verify the tokens of dashboards, in the format of a JSON Web Key Set (RFC 7517)."""

    keys: list[PublicKey]


class SizeLimits(BaseModel):
    """Size limits of uploads, messages and responses, in bytes."""

    body_bytes: Annotated[int, Field(description="A request to the API, including a file in it.")]
    message_bytes: Annotated[int, Field(description="A message to the model.")]
    inline_bytes: Annotated[
        int,
        Field(description="A file as `b64` in JSON: the flag `base64_size_limit_mb` in bytes."),
    ]
    file_bytes: Annotated[int, Field(description="A file that is uploaded in parts, or created by a tool.")]
    part_bytes: Annotated[
        int, Field(description="A part of an upload. Files of more than 10,000 such parts have larger parts.")
    ]


class ModelOut(BaseModel):
    """A model that the user may choose for a session."""

    name: str
    description: str


class Flags(BaseModel):
    """Settings of the deployment that clients need, with the names of the specifications."""

    persist_files_across_sessions: Annotated[bool, Field(description="Files stay in My Files after their session.")]
    base64_size_limit_mb: Annotated[float, Field(description="Limit of a file as `b64` in JSON, in MiB.")]
    canvas_origins: Annotated[list[str], Field(description="The origins whose dashboards may be shown in a frame.")]


class Config(BaseModel):
    """The signed-in user and the settings of this deployment.

    ``model`` is the default model of a session, one of ``models``; null if the user may use no model.
    The flag ``base64_size_limit_mb`` is the configured limit, or the limit of responses if that is lower.
    ``isolation_level`` is the weakest isolation of the tools that the user may call, as their runners report it; null
    until a runner has.
    ``socket_url`` is the address of the WebSocket API; to connect, get a ticket from ``POST /api/ws-ticket``.
    """

    user: str
    groups: list[str]
    model: str | None
    models: list[ModelOut]
    socket_url: str
    isolation_level: Level | None
    flags: Flags
    limits: SizeLimits


ServerStatus = Literal["ready", "starting", "unavailable"]


class ToolServer(BaseModel):
    """An MCP server with its tools.

    ``status`` is ``starting`` until the server's tools are known, and ``unavailable`` if its last start failed;
    ``reason`` says why. Satchel retries later. Until then, ``tools`` lists the tools of the last successful start.
    """

    name: str
    title: str
    description: str
    status: ServerStatus
    reason: str | None = None
    since: Annotated[datetime | None, Field(description="Start of the status; null if it is not known.")] = None
    isolation_level: Annotated[
        Level | None, Field(description="Isolation that the runner reports; null if unknown, or for a remote server.")
    ] = None
    tools: list[ToolSpec]


class Tools(BaseModel):
    """The MCP servers, with their tools, that the signed-in user may use."""

    servers: list[ToolServer]


class Resources(BaseModel):
    """A page of the resources of MCP servers, and on the first page their templates.

    The tool ``read_resource`` of a server reads a resource into a file of the session.
    """

    resources: list[Resource]
    templates: list[ResourceTemplate]
    cursor: str | None


class Prompts(BaseModel):
    """The prompts of MCP servers: prepared messages with arguments."""

    prompts: list[Prompt]


Values = Annotated[
    dict[Annotated[str, Field(max_length=200)], Annotated[str, Field(max_length=10_000)]],
    Field(max_length=100, description="Values of the prompt's arguments by name."),
]
_Name = Annotated[str, Field(max_length=200)]


class PromptRequest(BaseModel):
    """A prompt of a server, with values of its arguments."""

    model_config = ConfigDict(extra="forbid")

    server: _Name
    name: _Name
    arguments: Values = {}


class CompletionRequest(PromptRequest):
    """A prompt with the values so far. The value of ``argument`` may be incomplete or missing."""

    argument: _Name


class ResourceRequest(BaseModel):
    """A resource of a server."""

    model_config = ConfigDict(extra="forbid")

    server: _Name
    uri: Annotated[str, Field(max_length=1000)]


class PromptMessage(BaseModel):
    """The text that a prompt adds to the message, and files to upload and attach."""

    text: str
    files: list[OfferedFile]


class ResourceContent(BaseModel):
    """The content of a resource, as files to upload and attach."""

    files: list[OfferedFile]


class Completion(BaseModel):
    """At most 100 values of an argument that begin like the given one."""

    values: list[str]


class ErasureOut(BaseModel):
    """A user's latest deletion of all data. ``erased`` counts the items.

    Until ``cleared_at``, requests that would store new data return 409 `E_ERASING`. From then on, the user can store
    data again, and only late writes of stopped turns remain to be deleted. At ``finished_at``, all is complete.
    """

    started_at: datetime
    cleared_at: datetime | None
    finished_at: datetime | None
    erased: Erased

    @classmethod
    def of(cls, erasure: Erasure) -> "ErasureOut":
        """Convert an erasure to its JSON response."""
        return cls(**erasure.model_dump(include={"started_at", "cleared_at", "finished_at", "erased"}))


class Me(BaseModel):
    """The signed-in user, storage usage (bytes of all versions, number of files) and latest deletion of all data.

    ``quotas`` are the user's limits with their use. If one is used up, requests return ``E_QUOTA_EXCEEDED``.
    """

    user: str
    groups: list[str]
    usage: Usage
    quotas: QuotaReport
    erasure: ErasureOut | None


class UserSettingsOut(BaseModel):
    """The user's settings for all chats. ``instructions`` tell the model what the user wants."""

    instructions: str | None


class NewUserSettings(BaseModel):
    """Settings for all chats that start later.

    ``instructions`` tell the model what the user wants, behind the instructions of the deployment or the session.
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"instructions": "Answer in German."}]})

    instructions: Annotated[str | None, Field(max_length=MAX_USER_INSTRUCTIONS_CHARS)] = None


class ErasureConfirmation(BaseModel):
    """The token that confirms the deletion of all data. Nothing is deleted yet. ``usage`` is what will be deleted."""

    confirm_token: str
    expires_at: datetime
    usage: Usage

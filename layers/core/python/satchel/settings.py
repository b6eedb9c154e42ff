"""Settings from environment variables ``SATCHEL_…``, in one small group for each subject.

``Settings`` reads a group when a use case first needs it. A function therefore needs only the variables of the groups
that its own use cases read.
"""

import json
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from satchel.domain.canvas import parse_origin
from satchel.domain.isolation import Level
from satchel.domain.llm import ModelEntry, Models
from satchel.domain.prompt import MAX_INSTRUCTIONS_CHARS
from satchel.domain.steps import MAX_ROUNDS
from satchel.domain.timing import Limits, NoticeSeconds, Seconds, disorder
from satchel.domain.token_budget import LEAST_TOKENS

_MIB = 1 << 20
if TYPE_CHECKING:
    # The plugin for pydantic knows that this class, and no other, is made without naming its fields.
    from pydantic_settings import BaseSettings as _Base
else:

    class _Base(BaseModel):
        """The few lines that we need of pydantic-settings, whose import would be a fifth of a function's cold start."""

        def __init__(self, **given: object) -> None:
            variables = {name: f"SATCHEL_{name.upper()}" for name in type(self).model_fields}
            found = {name: os.environ[variable] for name, variable in variables.items() if variable in os.environ}
            super().__init__(**found | given)


class SettingsGroup(_Base, frozen=True, extra="forbid", validate_default=True):
    """A field ``name`` is the variable ``SATCHEL_NAME``. Raises ValidationError for what is missing or wrong."""


class StorageSettings(SettingsGroup):
    """Where records and bytes lie."""

    table: str
    bucket: str


class WorkflowSettings(SettingsGroup):
    """The state machine of turns (its ARN)."""

    state_machine: str


class ServerSettings(SettingsGroup):
    """Which servers there are."""

    mcp_config: Path


def _decoded(value: object) -> object:
    """Read what a variable says in JSON."""
    return json.loads(value) if isinstance(value, str) else value


class ModelSettings(SettingsGroup):
    """Which models there are: ``models`` is a JSON list of ``{"name", "model", "description", "groups", …}``.

    ``model`` is the one for whoever chooses none: the name of one of them, or a model itself. Without it that is the
    first of the list, or ``offline``.
    """

    model: str = ""
    models: Annotated[tuple[ModelEntry, ...], BeforeValidator(_decoded)] = ()

    @property
    def choice(self) -> Models:
        """Return what may be chosen."""
        first = self.models[0].name if self.models else "offline"
        return Models(self.model or first, self.models)

    @model_validator(mode="after")
    def _different_names(self) -> "ModelSettings":
        self.choice  # noqa: B018  (raises where two have the same name)
        return self


class ThinkSettings(SettingsGroup):
    """How a model is asked.

    ``max_rounds`` bounds how often it may ask for tools in one turn; an execution holds no more. It is given at most
    ``context_tokens`` at once, as ``domain.budget`` counts them. ``instructions`` say how it is to behave, in place of
    our own words; what it must know of files, names and tools is always added.
    """

    max_rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] = 40
    context_tokens: Annotated[int, Field(ge=LEAST_TOKENS)] = 100_000
    instructions: Annotated[str, Field(max_length=MAX_INSTRUCTIONS_CHARS)] = ""


class CompletionSettings(SettingsGroup):
    """How models are asked: what is sent with every question, and how long an answer may take (seconds).

    ``model_base_url`` is where those models are served whose names give no address; None: where their provider is.
    ``model_silence_seconds``: a model that says nothing for so long is given up, ``model_seconds``: one whose answer,
    with all that is tried again, is not whole by then. ``secret_prefix`` is what the names of the secrets begin with
    that hold the keys of providers; without it they are in the environment.
    """

    model_base_url: str | None = None
    model_temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    model_max_tokens: Annotated[int, Field(ge=1)] | None = None
    model_silence_seconds: Annotated[float, Field(gt=0)] = 90
    model_seconds: Annotated[float, Field(gt=0)] = 270
    secret_prefix: str | None = None


class LinkSettings(SettingsGroup):
    """Capabilities: the secret with the signing keys, and the address under which tools reach the API."""

    capability_secret: str
    public_url: str = ""


class LimitSettings(SettingsGroup):
    """How much and how long. Bytes and seconds.

    ``max_inline_bytes`` is what the transport lets through as base64 in one answer (6 MB of payload on Lambda).
    """

    max_body_bytes: int = 6 * 1000 * 1000
    max_message_bytes: int = 100_000
    base64_size_limit_mb: int = 300
    max_inline_bytes: int = 4 * _MIB
    max_file_size_bytes: int = 50 << 30
    max_input_bytes: int = 8 << 30

    @property
    def inline_bytes(self) -> int:
        """Return the limit in force for files inside JSON (spec 3 §2.2)."""
        return min(self.base64_size_limit_mb * _MIB, self.max_inline_bytes)


class ApiSettings(SettingsGroup):
    """Who may come in. ``auth=local`` trusts headers: for loopback alone."""

    auth: Literal["jwt", "local"] = "jwt"
    identity_claim: str = "email"


class CleanupSettings(SettingsGroup):
    """The function that clears sessions which have ended."""

    end_session_function: str


class ErasureSettings(SettingsGroup):
    """The function that deletes everything of a person."""

    erase_function: str


class SessionSettings(SettingsGroup):
    """What becomes of a session: whether its files outlive it (spec 3 §2.2), and how long it may be idle."""

    persist_files_across_sessions: bool = True
    session_idle_hours: Annotated[float, Field(gt=0)] = 24 * 30


def _listed(value: object) -> object:
    """Read a list as it is written in a variable: ``a,b``, or as JSON."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return [part.strip() for part in value.split(",") if part.strip()]


class CanvasSettings(SettingsGroup):
    """Origins from which dashboards may be shown, comma-separated or as JSON; none by default (spec 2 §3)."""

    canvas_origins: Annotated[tuple[Annotated[str, AfterValidator(parse_origin)], ...], BeforeValidator(_listed)] = ()


class OriginSettings(SettingsGroup):
    """Origins whose pages may open a connection, comma-separated or as JSON; ``*`` means any."""

    web_origins: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()


class SocketSettings(SettingsGroup):
    """Where connections are opened (``wss://…``)."""

    socket_url: str


class PushSettings(SettingsGroup):
    """Where connections are spoken to: the management address of the WebSocket API."""

    socket_endpoint: str


class TimingSettings(SettingsGroup):
    """The time of a tool (spec 3 §11): how long it may be silent, when that is announced, how long it may last.

    ``tool_notice_seconds`` are three times, comma-separated or as JSON. A server's entry may have its own times.
    """

    tool_silence_seconds: Seconds = 30
    tool_notice_seconds: Annotated[NoticeSeconds | None, BeforeValidator(_listed)] = None
    tool_max_seconds: Seconds = 840

    @field_validator("tool_notice_seconds")
    @classmethod
    def _within_the_silence(cls, notices: NoticeSeconds | None, info: ValidationInfo) -> NoticeSeconds | None:
        silence = info.data.get("tool_silence_seconds")
        if notices and silence and (problem := disorder(notices, silence)):
            raise ValueError(f"give {problem}")
        return notices

    @property
    def limits(self) -> Limits:
        """Return the times of a call whose server has none of its own."""
        return Limits(
            silence=self.tool_silence_seconds, notices=self.tool_notice_seconds, max_seconds=self.tool_max_seconds
        )


class ApprovalSettings(SettingsGroup):
    """How long a call waits for its owner's word."""

    approval_seconds: Annotated[int, Field(gt=0)] = 3600


class AuditSettings(SettingsGroup):
    """How long it is kept who called which tool and fetched which file."""

    audit_days: Annotated[int, Field(gt=0)] = 90


class MetricSettings(SettingsGroup):
    """Whether figures are written into the log, in CloudWatch's embedded metric format, or nowhere."""

    metrics: Literal["emf", "off"] = "emf"


class RunnersSettings(SettingsGroup):
    """Where runners are: a function for each server that runs here, one for all those that are somewhere else."""

    runner_prefix: str
    remote_runner: str


class RefreshSettings(SettingsGroup):
    """How long a server's list of tools is taken for good: asking for it starts the server."""

    tools_kept_seconds: Annotated[float, Field(gt=0)] = 300


class DispatchSettings(SettingsGroup):
    """The role that a call's credentials are cut from."""

    call_role: str


class RunnerSettings(SettingsGroup):
    """Which server this runner is for; None: for all those that are somewhere else.

    ``beat_seconds`` decides how soon a cancel is felt; the machine waits for 35.
    A tool's answer may have ``max_result_mb``, files inside it included; what a tool returns by path is not part of it.
    Of the server there are ``max_servers`` processes at most, for calls that come side by side. ``secret_prefix`` is
    what the names of the secrets begin with that hold its variables; without it they are all in the environment.
    ``server_packages`` is where its packages lie, where they are not the interpreter's own.
    """

    server: str | None = None
    server_packages: str | None = None
    beat_seconds: Annotated[float, Field(gt=0, le=10)] = 1.0
    max_result_mb: int = 64
    max_servers: Annotated[int, Field(ge=1)] = 8
    secret_prefix: str | None = None

    @property
    def max_result_bytes(self) -> int:
        """Return the limit of one answer."""
        return self.max_result_mb * _MIB


class IsolationSettings(SettingsGroup):
    """How well tools must be walled in before any runs, and what becomes of a call whose tool was stopped and went on.

    ``violation_policy``: its result stands with a note (``note``), or the attempt alone fails it (``fail``).
    """

    min_isolation: Level = "process"
    violation_policy: Literal["note", "fail"] = "note"


class PageSettings(SettingsGroup):
    """The web client: the bucket that it is copied to, the folder that it lies in, and what its config.json says."""

    page_bucket: str
    page_folder: Path
    page_config: str


class Settings:
    """All groups, each read from the environment when it is first used. Raises ValidationError then."""

    @cached_property
    def api(self) -> ApiSettings:
        return ApiSettings()

    @cached_property
    def approvals(self) -> ApprovalSettings:
        return ApprovalSettings()

    @cached_property
    def audit(self) -> AuditSettings:
        return AuditSettings()

    @cached_property
    def canvas(self) -> CanvasSettings:
        return CanvasSettings()

    @cached_property
    def cleanup(self) -> CleanupSettings:
        return CleanupSettings()

    @cached_property
    def dispatch(self) -> DispatchSettings:
        return DispatchSettings()

    @cached_property
    def erasure(self) -> ErasureSettings:
        return ErasureSettings()

    @cached_property
    def limits(self) -> LimitSettings:
        return LimitSettings()

    @cached_property
    def links(self) -> LinkSettings:
        return LinkSettings()

    @cached_property
    def metrics(self) -> MetricSettings:
        return MetricSettings()

    @cached_property
    def models(self) -> ModelSettings:
        return ModelSettings()

    @cached_property
    def origins(self) -> OriginSettings:
        return OriginSettings()

    @cached_property
    def page(self) -> PageSettings:
        return PageSettings()

    @cached_property
    def push(self) -> PushSettings:
        return PushSettings()

    @cached_property
    def refresh(self) -> RefreshSettings:
        return RefreshSettings()

    @cached_property
    def runners(self) -> RunnersSettings:
        return RunnersSettings()

    @cached_property
    def servers(self) -> ServerSettings:
        return ServerSettings()

    @cached_property
    def sessions(self) -> SessionSettings:
        return SessionSettings()

    @cached_property
    def sockets(self) -> SocketSettings:
        return SocketSettings()

    @cached_property
    def storage(self) -> StorageSettings:
        return StorageSettings()

    @cached_property
    def think(self) -> ThinkSettings:
        return ThinkSettings()

    @cached_property
    def timing(self) -> TimingSettings:
        return TimingSettings()

    @cached_property
    def workflow(self) -> WorkflowSettings:
        return WorkflowSettings()

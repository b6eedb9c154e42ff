"""Settings, read from environment variables ``SATCHEL_…``, in one group for each subject.

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
from satchel.domain.llm import ModelCatalog, ModelEntry
from satchel.domain.prompt import MAX_INSTRUCTIONS_CHARS
from satchel.domain.steps import MAX_ROUNDS
from satchel.domain.timing import Limits, NoticeSeconds, Seconds, describe_order_problem
from satchel.domain.token_budget import MIN_CONTEXT_TOKENS

_MIB = 1 << 20
if TYPE_CHECKING:
    # mypy's pydantic plugin allows the call without field arguments only for this class.
    from pydantic_settings import BaseSettings as _Base
else:

    class _Base(BaseModel):
        """Replaces pydantic-settings, whose import takes a fifth of a function's cold start."""

        def __init__(self, **overrides: object) -> None:
            variables = {name: f"SATCHEL_{name.upper()}" for name in type(self).model_fields}
            values = {name: os.environ[variable] for name, variable in variables.items() if variable in os.environ}
            super().__init__(**values | overrides)


class SettingsGroup(_Base, frozen=True, extra="forbid", validate_default=True):
    """Reads the field ``name`` from the variable ``SATCHEL_NAME``. Raises ValidationError for invalid values."""


class StorageSettings(SettingsGroup):
    """The DynamoDB table and the S3 bucket."""

    table: str
    bucket: str


class WorkflowSettings(SettingsGroup):
    """The ARN of the state machine that runs turns."""

    state_machine: str


class ServerSettings(SettingsGroup):
    """The file with the configured MCP servers."""

    mcp_config: Path


def _parse_json(value: object) -> object:
    """Parse the text of a variable as JSON."""
    return json.loads(value) if isinstance(value, str) else value


class ModelSettings(SettingsGroup):
    """The models that users may choose: ``models`` is a JSON list of ``{"name", "model", "description", "groups", …}``.

    ``model`` is the default: a name in the list, or the id of a model. Without it the first of the list is the default,
    or ``offline`` if the list is empty.
    """

    model: str = ""
    models: Annotated[tuple[ModelEntry, ...], BeforeValidator(_parse_json)] = ()

    @property
    def catalog(self) -> ModelCatalog:
        """Return the models and the default."""
        first = self.models[0].name if self.models else "offline"
        return ModelCatalog(self.model or first, self.models)

    @model_validator(mode="after")
    def _check_names_are_unique(self) -> "ModelSettings":
        self.catalog  # noqa: B018  (raises ValueError if two models have the same name)
        return self


class ThinkSettings(SettingsGroup):
    """The requests of a turn to the model.

    ``max_rounds`` limits the rounds of tool calls in a turn; its upper bound is what fits into an execution's history.
    A request has at most ``context_tokens``, counted by ``domain.token_budget``. ``instructions`` replace the
    built-in text about the model's behavior; the text about files, names and tools is always added.
    """

    max_rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] = 40
    context_tokens: Annotated[int, Field(ge=MIN_CONTEXT_TOKENS)] = 100_000
    instructions: Annotated[str, Field(max_length=MAX_INSTRUCTIONS_CHARS)] = ""


class CompletionSettings(SettingsGroup):
    """The options and timeouts of every request to a model.

    ``model_base_url`` is the address of models whose names have none; None: the address of the provider.
    ``model_silence_seconds`` is the timeout between two pieces of an answer, ``model_seconds`` the timeout of the whole
    answer, including retries. ``secret_prefix`` is the prefix of the secrets with the providers' API keys; None: they
    are in the environment.
    """

    model_base_url: str | None = None
    model_temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    model_max_tokens: Annotated[int, Field(ge=1)] | None = None
    model_silence_seconds: Annotated[float, Field(gt=0)] = 90
    model_seconds: Annotated[float, Field(gt=0)] = 270
    secret_prefix: str | None = None


class LinkSettings(SettingsGroup):
    """Links: the secret with the signing keys, and the address at which tools reach the API."""

    capability_secret: str
    public_url: str = ""


class LimitSettings(SettingsGroup):
    """Limits of sizes, in bytes.

    ``max_inline_bytes`` is the largest file that fits into one response as base64 (a response of Lambda has 6 MB).
    """

    max_body_bytes: int = 6 * 1000 * 1000
    max_message_bytes: int = 100_000
    base64_size_limit_mb: int = 300
    max_inline_bytes: int = 4 * _MIB
    max_file_size_bytes: int = 50 << 30
    max_input_bytes: int = 8 << 30

    @property
    def inline_bytes(self) -> int:
        """Return the effective limit of files in JSON, in bytes."""
        return min(self.base64_size_limit_mb * _MIB, self.max_inline_bytes)


class ApiSettings(SettingsGroup):
    """The sign-in. ``auth=local`` trusts plain headers, so use it only on loopback."""

    auth: Literal["jwt", "local"] = "jwt"
    identity_claim: str = "email"


class CleanupSettings(SettingsGroup):
    """The function that cleans up ended sessions."""

    end_session_function: str


class ErasureSettings(SettingsGroup):
    """The function that deletes all data of a user."""

    erase_function: str


class SessionSettings(SettingsGroup):
    """The end of sessions: whether the files stay, and after how many idle hours a session ends."""

    persist_files_across_sessions: bool = True
    session_idle_hours: Annotated[float, Field(gt=0)] = 24 * 30


def _parse_list(value: object) -> object:
    """Parse the text of a variable as a list: ``a,b`` or JSON."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return [part.strip() for part in value.split(",") if part.strip()]


class CanvasSettings(SettingsGroup):
    """The allowed origins of dashboards, comma-separated or as JSON; none by default."""

    canvas_origins: Annotated[
        tuple[Annotated[str, AfterValidator(parse_origin)], ...], BeforeValidator(_parse_list)
    ] = ()


class OriginSettings(SettingsGroup):
    """The origins whose pages may open a WebSocket connection, comma-separated or as JSON; ``*`` allows any."""

    web_origins: Annotated[tuple[str, ...], BeforeValidator(_parse_list)] = ()


class SocketSettings(SettingsGroup):
    """The address of the WebSocket API for clients (``wss://…``)."""

    socket_url: str


class PushSettings(SettingsGroup):
    """The management address of the WebSocket API, through which events are sent to connections."""

    socket_endpoint: str


class TimingSettings(SettingsGroup):
    """Timeouts of a tool call: without progress, before each notice, and in total.

    ``tool_notice_seconds`` are three numbers, comma-separated or as JSON. A server's entry may override the settings.
    """

    tool_silence_seconds: Seconds = 30
    tool_notice_seconds: Annotated[NoticeSeconds | None, BeforeValidator(_parse_list)] = None
    tool_max_seconds: Seconds = 840

    @field_validator("tool_notice_seconds")
    @classmethod
    def _check_notice_order(cls, notices: NoticeSeconds | None, info: ValidationInfo) -> NoticeSeconds | None:
        silence = info.data.get("tool_silence_seconds")
        if notices and silence and (problem := describe_order_problem(notices, silence)):
            raise ValueError(f"set {problem}")
        return notices

    @property
    def limits(self) -> Limits:
        """Return the timeouts of a call whose server's entry has none."""
        return Limits(
            silence=self.tool_silence_seconds, notices=self.tool_notice_seconds, max_seconds=self.tool_max_seconds
        )


class ApprovalSettings(SettingsGroup):
    """The time that a call waits for the user's approval."""

    approval_seconds: Annotated[int, Field(gt=0)] = 3600


class AuditSettings(SettingsGroup):
    """The retention of the audit log of tool calls and downloads."""

    audit_days: Annotated[int, Field(gt=0)] = 90


class MetricSettings(SettingsGroup):
    """The destination of metrics: the log, in CloudWatch's embedded metric format (``emf``), or none (``off``)."""

    metrics: Literal["emf", "off"] = "emf"


class RunnersSettings(SettingsGroup):
    """The runner functions: the prefix of those for stdio servers, and the one function for all remote servers."""

    runner_prefix: str
    remote_runner: str


class RefreshSettings(SettingsGroup):
    """The time that a server's list of tools is cached; reading the list anew starts the server."""

    tools_kept_seconds: Annotated[float, Field(gt=0)] = 300


class DispatchSettings(SettingsGroup):
    """The role from which the restricted credentials of a call are derived."""

    call_role: str


class RunnerSettings(SettingsGroup):
    """The server that this runner executes; None: all remote servers.

    ``beat_seconds`` is the heartbeat interval. It decides how soon a call notices its cancellation; the state machine
    waits 35 seconds for a heartbeat. ``max_result_mb`` limits a tool result, including its files except those that are
    returned by path. At most ``max_servers`` processes of the server run at the same time, for concurrent calls.
    ``secret_prefix`` is the prefix of the secrets with the server's variables; None: they are in the environment.
    ``server_packages`` is the folder of the server's packages; None: those of the interpreter.
    """

    server: str | None = None
    server_packages: str | None = None
    beat_seconds: Annotated[float, Field(gt=0, le=10)] = 1.0
    max_result_mb: int = 64
    max_servers: Annotated[int, Field(ge=1)] = 8
    secret_prefix: str | None = None

    @property
    def max_result_bytes(self) -> int:
        """Return the limit of a tool result, in bytes."""
        return self.max_result_mb * _MIB


class IsolationSettings(SettingsGroup):
    """The minimum isolation, without which no tool is run, and the reaction to a blocked access.

    ``violation_policy``: if a tool continues after a blocked access, its result gets a note (``note``), or the call
    fails (``fail``).
    """

    min_isolation: Level = "process"
    violation_policy: Literal["note", "fail"] = "note"


class PageSettings(SettingsGroup):
    """The web client: the bucket to which it is copied, its source folder, and the content of its config.json."""

    page_bucket: str
    page_folder: Path
    page_config: str


class Settings:
    """All groups. Reads each from the environment when it is first used, and raises ValidationError then."""

    api = cached_property(lambda _: ApiSettings())
    approvals = cached_property(lambda _: ApprovalSettings())
    audit = cached_property(lambda _: AuditSettings())
    canvas = cached_property(lambda _: CanvasSettings())
    cleanup = cached_property(lambda _: CleanupSettings())
    dispatch = cached_property(lambda _: DispatchSettings())
    erasure = cached_property(lambda _: ErasureSettings())
    limits = cached_property(lambda _: LimitSettings())
    links = cached_property(lambda _: LinkSettings())
    metrics = cached_property(lambda _: MetricSettings())
    models = cached_property(lambda _: ModelSettings())
    origins = cached_property(lambda _: OriginSettings())
    page = cached_property(lambda _: PageSettings())
    push = cached_property(lambda _: PushSettings())
    refresh = cached_property(lambda _: RefreshSettings())
    runners = cached_property(lambda _: RunnersSettings())
    servers = cached_property(lambda _: ServerSettings())
    sessions = cached_property(lambda _: SessionSettings())
    sockets = cached_property(lambda _: SocketSettings())
    storage = cached_property(lambda _: StorageSettings())
    think = cached_property(lambda _: ThinkSettings())
    timing = cached_property(lambda _: TimingSettings())
    workflow = cached_property(lambda _: WorkflowSettings())

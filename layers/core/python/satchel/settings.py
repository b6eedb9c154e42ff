"""Settings from environment variables named ``SATCHEL_…``, in one class (group) for each subject.

``Settings`` reads a group only when a use case first needs it. So a Lambda function needs only the variables of the
groups that its own use cases read.
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
from satchel.domain.quotas import Quotas
from satchel.domain.steps import MAX_ROUNDS
from satchel.domain.timing import Limits, NoticeSeconds, Seconds, describe_order_problem
from satchel.domain.token_budget import MIN_CONTEXT_TOKENS

_MIB = 1 << 20
if TYPE_CHECKING:
    # With this base class, mypy accepts settings groups that are created without arguments for their fields.
    from pydantic_settings import BaseSettings as _Base
else:

    class _Base(BaseModel):
        """Read settings from the environment. Replaces pydantic-settings, whose import takes 20 % of a cold start."""

        def __init__(self, **overrides: object) -> None:
            variables = {name: f"SATCHEL_{name.upper()}" for name in type(self).model_fields}
            values = {name: os.environ[variable] for name, variable in variables.items() if variable in os.environ}
            super().__init__(**values | overrides)


class SettingsGroup(_Base, frozen=True, extra="forbid", validate_default=True):
    """Base class that reads each field ``name`` from the variable ``SATCHEL_NAME``, or raises ValidationError."""


class StorageSettings(SettingsGroup):
    """The names of the DynamoDB table and the S3 bucket."""

    table: str
    bucket: str


class WorkflowSettings(SettingsGroup):
    """The ARN of the Step Functions state machine that runs turns."""

    state_machine: str


class FirstRoundSettings(SettingsGroup):
    """The name of the Lambda function that runs the first round of a turn."""

    think_function: str


class ServerSettings(SettingsGroup):
    """The path of the file that configures the MCP servers (mcp.json)."""

    mcp_config: Path


def _parse_json(value: object) -> object:
    """Parse a variable's text as JSON. Return other values unchanged."""
    return json.loads(value) if isinstance(value, str) else value


class ModelSettings(SettingsGroup):
    """The models that users may choose: a JSON list of ``{"name", "model", "description", "groups", …}``.

    ``model`` is the default model: a name in the list, or a provider's model id. If ``model`` is not set, the default
    is the first model in the list, or ``offline`` if the list is empty.
    """

    model: str = ""
    models: Annotated[tuple[ModelEntry, ...], BeforeValidator(_parse_json)] = ()

    @property
    def catalog(self) -> ModelCatalog:
        """Return the catalog of the configured models and the default model."""
        first = self.models[0].name if self.models else "offline"
        return ModelCatalog(self.model or first, self.models)

    @model_validator(mode="after")
    def _check_names_are_unique(self) -> "ModelSettings":
        self.catalog  # noqa: B018  (reading the catalog raises ValueError if two models have the same name)
        return self


class ThinkSettings(SettingsGroup):
    """Limits and instructions for the requests that a turn sends to the model.

    ``max_rounds`` limits the rounds of tool calls in a turn; it cannot exceed what fits into the history of a Step
    Functions execution. ``context_tokens`` limits each request, as counted by ``domain.token_budget``.
    ``instructions`` replace the built-in text about the model's behavior, but not the text about files and tools.
    ``chat_titles``: the model writes the titles of conversations.
    With ``pushes_text``, the function sends the text to open connections itself, before the table's stream does.
    """

    max_rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)] = 40
    context_tokens: Annotated[int, Field(ge=MIN_CONTEXT_TOKENS)] = 100_000
    instructions: Annotated[str, Field(max_length=MAX_INSTRUCTIONS_CHARS)] = ""
    chat_titles: bool = True
    pushes_text: bool = False


class CompletionSettings(SettingsGroup):
    """Options and timeouts for all requests to language models.

    ``model_base_url`` is the address for model names that contain no address; if None, the provider's own address.
    ``model_silence_seconds`` limits the time between two pieces of an answer, ``model_seconds`` the time for the whole
    answer, including retries. ``secret_prefix`` begins the names of the secrets that contain the providers' API keys;
    if None, the keys are environment variables.
    """

    model_base_url: str | None = None
    model_temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    model_max_tokens: Annotated[int, Field(ge=1)] | None = None
    model_silence_seconds: Annotated[float, Field(gt=0)] = 90
    model_seconds: Annotated[float, Field(gt=0)] = 270
    secret_prefix: str | None = None


class LinkSettings(SettingsGroup):
    """Download links: the name of the secret that contains the signing keys, and the API's address for users.

    Links for tools begin with ``tool_url``, or with ``public_url`` if it is empty.
    """

    capability_secret: str
    public_url: str = ""
    tool_url: str = ""


class LimitSettings(SettingsGroup):
    """Size limits: in bytes, except ``base64_size_limit_mb``.

    ``max_inline_bytes`` limits a file in a JSON response: its base64 text must fit into Lambda's limit of 6 MB.
    """

    max_body_bytes: int = 6 * 1000 * 1000
    max_message_bytes: int = 100_000
    base64_size_limit_mb: int = 300
    max_inline_bytes: int = 4 * _MIB
    max_file_size_bytes: int = 50 << 30
    max_input_bytes: int = 8 << 30

    @property
    def inline_bytes(self) -> int:
        """Return the smaller of ``base64_size_limit_mb`` and ``max_inline_bytes``, in bytes.

        A file in a JSON response may have at most this size.
        """
        return min(self.base64_size_limit_mb * _MIB, self.max_inline_bytes)

    @property
    def base64_mb_in_force(self) -> float:
        """Return the smaller of ``base64_size_limit_mb`` and ``max_inline_bytes``, in MiB."""
        return self.inline_bytes / _MIB


class QuotaSettings(SettingsGroup):
    """Limits for each user, so that one user cannot take the deployment from the others.

    ``user_requests_per_second`` is enforced by each process of the API for itself; bursts of five seconds are allowed.
    """

    user_open_sessions: Annotated[int, Field(gt=0)] = 1_000
    user_turns_per_minute: Annotated[int, Field(gt=0)] = 120
    user_app_calls_per_minute: Annotated[int, Field(gt=0)] = 240
    user_running_calls: Annotated[int, Field(gt=0)] = 32
    user_uploads: Annotated[int, Field(gt=0)] = 100
    user_stored_bytes: Annotated[int, Field(gt=0)] = 500 << 30
    user_requests_per_second: Annotated[int, Field(gt=0)] = 50

    @property
    def quotas(self) -> Quotas:
        """Return the limits of what a user may have in use."""
        return Quotas(
            open_sessions=self.user_open_sessions,
            turns_per_minute=self.user_turns_per_minute,
            running_calls=self.user_running_calls,
            uploads=self.user_uploads,
            stored_bytes=self.user_stored_bytes,
        )


class ApiSettings(SettingsGroup):
    """The sign-in method. ``auth=local`` trusts unverified headers, so use it only for a server on loopback."""

    auth: Literal["jwt", "local"] = "jwt"
    identity_claim: str = "email"


class CleanupSettings(SettingsGroup):
    """The name of the Lambda function that cleans up ended sessions."""

    end_session_function: str


class ErasureSettings(SettingsGroup):
    """The name of the Lambda function that deletes all data of a user."""

    erase_function: str


class SessionSettings(SettingsGroup):
    """The end of sessions: the number of idle hours after which a session ends, and whether its files persist."""

    persist_files_across_sessions: bool = True
    session_idle_hours: Annotated[float, Field(gt=0)] = 24 * 30


def _parse_list(value: object) -> object:
    """Parse a variable's text as a list: ``a,b`` or JSON. Return other values unchanged."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return [part.strip() for part in value.split(",") if part.strip()]


class CanvasSettings(SettingsGroup):
    """The origins from which tools may open dashboards, comma-separated or as a JSON list; none by default."""

    canvas_origins: Annotated[
        tuple[Annotated[str, AfterValidator(parse_origin)], ...], BeforeValidator(_parse_list)
    ] = ()


class DashboardSettings(SettingsGroup):
    """The ids of the KMS keys for dashboards' tokens, comma-separated: the first signs tokens, and all verify them."""

    dashboard_keys: Annotated[tuple[str, ...], BeforeValidator(_parse_list), Field(min_length=1)]


class OriginSettings(SettingsGroup):
    """The origins whose web pages may open WebSocket connections: comma-separated or a JSON list; ``*`` allows all."""

    web_origins: Annotated[tuple[str, ...], BeforeValidator(_parse_list)] = ()


class SocketSettings(SettingsGroup):
    """The address at which clients connect to the WebSocket API (``wss://…``)."""

    socket_url: str


class PushSettings(SettingsGroup):
    """The management address of the WebSocket API, to which Satchel posts the messages for connected clients."""

    socket_endpoint: str


class TimingSettings(SettingsGroup):
    """Timeouts of a tool call: maximum silence (no progress), silence before each notice, and maximum duration.

    ``tool_notice_seconds`` are three numbers, comma-separated or as JSON. A server's entry may override the timeouts.
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
        """Return the default timeouts, for servers whose entry sets no timeouts."""
        return Limits(
            silence=self.tool_silence_seconds, notices=self.tool_notice_seconds, max_seconds=self.tool_max_seconds
        )


class ApprovalSettings(SettingsGroup):
    """The maximum time that a tool call waits for the user's approval, in seconds."""

    approval_seconds: Annotated[int, Field(gt=0)] = 3600


class InputSettings(SettingsGroup):
    """The maximum time that a call waits for the user's answers to the tool's questions, in seconds.

    ``input_in_call_seconds`` is that of servers before MCP 2026-07-28, whose tools run during the wait.
    """

    input_seconds: Annotated[int, Field(gt=0)] = 24 * 3600
    input_in_call_seconds: Annotated[int, Field(gt=0)] = 300


class AuditSettings(SettingsGroup):
    """The retention of audit entries (tool calls and downloads), in days."""

    audit_days: Annotated[int, Field(gt=0)] = 90


class MetricSettings(SettingsGroup):
    """The output of metrics: log lines in CloudWatch's embedded metric format (``emf``), or none (``off``)."""

    metrics: Literal["emf", "off"] = "emf"


class RunnersSettings(SettingsGroup):
    """The names of the runner functions: a prefix for stdio servers, and one function for all remote servers."""

    runner_prefix: str
    remote_runner: str


class OfferSettings(SettingsGroup):
    """The name of the Lambda function that requests prompts and resources from runners."""

    refresh_function: str


class RefreshSettings(SettingsGroup):
    """The maximum age of a server's stored tool list, in seconds. Refreshing the list starts the server.

    If ``reload_servers`` is True, a server whose source files have changed is started again before its next call.
    """

    tools_kept_seconds: Annotated[float, Field(gt=0)] = 300
    reload_servers: bool = False


class DispatchSettings(SettingsGroup):
    """The IAM role from which each call's restricted credentials are derived."""

    call_role: str


class RunnerSettings(SettingsGroup):
    """Settings of a runner. It runs the stdio server ``server``; if None, it connects to all remote servers.

    ``beat_seconds`` is the heartbeat interval (the state machine waits 35 seconds for a heartbeat). ``max_result_mb``
    limits a tool result with its inline files; files returned as a path do not count. For concurrent calls, at most
    ``max_servers`` processes of the server run at the same time. ``secret_prefix`` begins the names of secrets with the
    server's variables; if None, the environment has them. ``server_packages`` is the folder with the server's Python
    packages; if None, the interpreter's own are used. Servers with ``writes: keep`` keep their users' state in
    ``state_folder``, at most ``max_state_mb`` for each user and server; it is None on AWS, which has no such folder.
    """

    server: str | None = None
    server_packages: str | None = None
    beat_seconds: Annotated[float, Field(gt=0, le=10)] = 10.0
    max_result_mb: int = 64
    max_servers: Annotated[int, Field(ge=1)] = 8
    secret_prefix: str | None = None
    state_folder: Path | None = None
    max_state_mb: Annotated[int, Field(gt=0)] = 1024

    @property
    def max_result_bytes(self) -> int:
        """Return the maximum size of a tool result, in bytes."""
        return self.max_result_mb * _MIB


class IsolationSettings(SettingsGroup):
    """The minimum isolation level that tools need to run, and the consequence of a blocked file access.

    If a tool succeeds despite a blocked access, the policy ``note`` adds a note to the result; ``fail`` fails the call.
    """

    min_isolation: Level = "process"
    violation_policy: Literal["note", "fail"] = "note"


class PageSettings(SettingsGroup):
    """The web client: the folder of its built files, and the content of its config.json."""

    page_folder: Path
    page_config: str


class PageBucketSettings(SettingsGroup):
    """The bucket that serves the web client."""

    page_bucket: str


class PageHeaderSettings(SettingsGroup):
    """The HTTP headers of the web client's files as a JSON object, if a function serves the files."""

    page_headers: Annotated[dict[str, str], BeforeValidator(_parse_json)]


class Settings:
    """All groups of settings. Reads a group when it is first used, and raises ValidationError for an invalid value."""

    api = cached_property(lambda _: ApiSettings())
    approvals = cached_property(lambda _: ApprovalSettings())
    audit = cached_property(lambda _: AuditSettings())
    canvas = cached_property(lambda _: CanvasSettings())
    cleanup = cached_property(lambda _: CleanupSettings())
    dashboards = cached_property(lambda _: DashboardSettings())
    dispatch = cached_property(lambda _: DispatchSettings())
    erasure = cached_property(lambda _: ErasureSettings())
    first_round = cached_property(lambda _: FirstRoundSettings())
    inputs = cached_property(lambda _: InputSettings())
    limits = cached_property(lambda _: LimitSettings())
    links = cached_property(lambda _: LinkSettings())
    metrics = cached_property(lambda _: MetricSettings())
    models = cached_property(lambda _: ModelSettings())
    offers = cached_property(lambda _: OfferSettings())
    origins = cached_property(lambda _: OriginSettings())
    page = cached_property(lambda _: PageSettings())
    page_bucket = cached_property(lambda _: PageBucketSettings())
    page_headers = cached_property(lambda _: PageHeaderSettings())
    push = cached_property(lambda _: PushSettings())
    quotas = cached_property(lambda _: QuotaSettings())
    refresh = cached_property(lambda _: RefreshSettings())
    runners = cached_property(lambda _: RunnersSettings())
    servers = cached_property(lambda _: ServerSettings())
    sessions = cached_property(lambda _: SessionSettings())
    sockets = cached_property(lambda _: SocketSettings())
    storage = cached_property(lambda _: StorageSettings())
    think = cached_property(lambda _: ThinkSettings())
    timing = cached_property(lambda _: TimingSettings())
    workflow = cached_property(lambda _: WorkflowSettings())

"""Settings of a deployment from CDK context: ``-c architecture=x86_64``, or ``context`` in cdk.json.

The docstring of each field is copied to docs/deployment-settings.md (``python -m infra.settings_table``). Every value
may be text, because the command line can pass only text.
"""

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    DirectoryPath,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from infra import sources
from infra.limits import (
    BRIDGE_RESPONSE_SECONDS,
    ENVIRONMENTS_PER_EXECUTION,
    MAX_INPUT_SECONDS,
    MIN_RUNNER_CONCURRENCY,
    MODEL_SECONDS,
    RUNNER_DISK_MIB,
    TOOL_MAX_SECONDS,
)
from infra.packing.platform import Platform
from infra.vpc import SecurityGroupId, SubnetId, Vpc

PROVIDER_SECRETS = {"openai-chat": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""For each model provider with an API key, the name of the secret with the key, without the deployment's prefix."""

_RESERVED_WORDS = ("aws", "amazon", "cognito")

_FUNCTIONS = frozenset({"bridge", *(path.parent.name for path in sources.FUNCTIONS.glob("*/handler.py"))})


class UnknownSettingError(ValueError):
    """The CDK context contains keys that are not settings. The message has a line for each key."""


def _describe_unknown(key: str, settings: Iterable[str]) -> str:
    similar = get_close_matches(key, list(settings), n=1)
    hint = f"did you mean {similar[0]!r}?" if similar else "docs/deployment-settings.md lists all settings"
    return f"unknown setting {key!r}: {hint}"


def _parse_list(value: object) -> object:
    """Split text such as ``a,b`` into a list. Return any other value unchanged."""
    return [part for part in value.split(",") if part] if isinstance(value, str) else value


def _parse_mapping(value: object) -> object:
    """Parse text such as ``a=1,b=2`` into a mapping. Return any other value unchanged."""
    parts = _parse_list(value)
    return dict(part.partition("=")[::2] for part in parts) if isinstance(parts, list) else value


def _parse_int(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdigit() else value


def _parse_json(value: object) -> object:
    return json.loads(value) if isinstance(value, str) else value


class ModelChoice(BaseModel):
    """A model that users can select by its name. If ``groups`` is empty, all users can select it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=200)]
    model: Annotated[str, Field(min_length=1)]
    description: str = ""
    groups: list[str] = []
    context_tokens: Annotated[int, Field(ge=2000)] | None = None
    vision: bool | None = None
    documents: bool | None = None
    thinking: bool | Literal["minimal", "low", "medium", "high"] | None = None


TextList = Annotated[list[str], BeforeValidator(_parse_list)]
_Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^/,\s*]+$")]
Origins = Annotated[list[_Origin], BeforeValidator(_parse_list)]
_Group = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Groups = Annotated[list[_Group], BeforeValidator(_parse_list)]
Concurrency = Annotated[dict[str, Annotated[int, Field(ge=0)]], BeforeValidator(_parse_mapping)]
ModelList = Annotated[list[ModelChoice], BeforeValidator(_parse_json)]
LogDays = Annotated[
    Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 3653],
    BeforeValidator(_parse_int),
]


class Settings(BaseModel):
    """All deployment settings with their defaults. ValidationError names the key of an invalid value."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,19}$")] = "satchel"
    """Prefix of all fixed resource names. Two deployments in one region need different names."""

    architecture: Literal["arm64", "x86_64"] = "arm64"
    """Processor of the functions."""

    python: Literal["3.11", "3.12", "3.13", "3.14"] | None = Field(default=None, validate_default=True)
    """Python version of the functions. By default the version of the building interpreter, which also ran the tests.
    Layers for another version contain no byte code, so functions start more slowly."""

    model: str = ""
    """The default model: the name of an entry of `models`, or a model (`bedrock:…`). By default the first entry of
    `models`, or else the built-in test model `offline`."""

    models: ModelList = []
    """The models that users can select, as JSON: `[{"name": "…", "model": "bedrock:…", "groups": ["…"]}]`."""

    context_tokens: Annotated[int, Field(ge=2000)] = 100_000
    """Maximum size of a model request in tokens. An entry of `models` can override it."""

    instructions: Annotated[str, Field(max_length=3000)] = ""
    """System instructions for the model, in place of the built-in ones. Lambda limits a function's variables to 4 KB in
    total."""

    model_base_url: Annotated[str, StringConstraints(pattern=r"^https?://")] | None = None
    """Base URL for models whose names contain no address. By default the provider's own."""

    model_temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """Sampling temperature of models. By default the provider's."""

    model_max_tokens: Annotated[int, Field(ge=1)] | None = None
    """Maximum output tokens of one model response. By default the provider's limit."""

    model_silence_seconds: Annotated[float, Field(gt=0, le=MODEL_SECONDS)] = 90
    """A model request fails if no output arrives for this many seconds."""

    max_rounds: Annotated[int, Field(ge=1, le=99)] = 40
    """Maximum rounds of tool calls in one turn."""

    chat_titles: bool = True
    """The model writes the titles of new conversations, with a small request beside its first answer. If `false`, the
    first line of the first message is the title."""

    removal_policy: Literal["retain", "destroy"] = "retain"
    """The fate of bucket, table, secret and user pool when their stack is deleted. `destroy` also deletes all files."""

    termination_protection: bool = False
    """Refuse to delete the data stack, also for administrators, until this setting is `false` and deployed."""

    existing_bucket: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")] | None = None
    """Name of a bucket to use in place of the deployment's own, for example one that an earlier deployment left
    (`docs/deploy.md`)."""

    existing_table: (
        Annotated[str, StringConstraints(pattern=r"^arn:[a-z-]+:dynamodb:[a-z0-9-]+:\d{12}:table/[\w.-]+/stream/\S+$")]
        | None
    ) = None
    """ARN of the stream of a table to use in place of the deployment's own, for example a restored one."""

    existing_user_pool: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+_[A-Za-z0-9]+$")] | None = None
    """Id of a Cognito user pool to use in place of the deployment's own. Its users need a verified e-mail address."""

    existing_sign_in_page: Annotated[str, StringConstraints(pattern=r"^https://[^/]+$")] | None = None
    """URL of the sign-in page of `existing_user_pool`. By default the deployment creates one, which fails if the pool
    already has one."""

    domain: Annotated[str, StringConstraints(pattern=r"^([a-z0-9-]+\.)+[a-z]{2,}$")] | None = None
    """Host name of the page and the API (`chat.example.com`). By default the CloudFront name. Create a DNS record that
    points it to the output `Distribution`."""

    certificate_arn: Annotated[str, StringConstraints(pattern=r"^arn:[^:]+:acm:us-east-1:")] | None = None
    """The certificate for `domain`. CloudFront requires it to be in us-east-1."""

    public_url: Annotated[str, StringConstraints(pattern=r"^https://[^/]+$")] | None = None
    """Public URL of the API if you run your own proxy in front of it."""

    site: Literal["cloudfront", "none"] = "cloudfront"
    """Server of the page: CloudFront, or `none` for accounts that cannot use CloudFront. With `none`, a function
    behind the HTTP API serves the page, at API Gateway's address."""

    page: Path = sources.SITE
    """Folder with the built web client."""

    bridge: bool = False
    """Serve other chat front ends (chat completions of OpenAI, AG-UI, npm `ai`) with a function that has a public
    address of its own, the output `BridgeUrl` (`docs/bridge.md`). Pages of `web_origins` may use it in a browser."""

    bridge_wait_seconds: Annotated[int, Field(ge=10, le=BRIDGE_RESPONSE_SECONDS)] = 300
    """A stream of the bridge ends if the user needs longer for a decision in Satchel. AWS bills the function during the
    wait."""

    persist_files_across_sessions: bool = True
    """Keep a session's files after the session ends."""

    base64_size_limit_mb: Annotated[int, Field(ge=0)] = 300
    """Maximum size (MiB) of a file whose content the API returns as base64 in JSON, within Lambda's payload limit. For
    larger files it returns a link only."""

    max_file_size_bytes: Annotated[int, Field(ge=1, le=5 << 40)] = 50 << 30
    """Maximum size of a file, for uploads and for tool output. S3's own limit is 5 TiB."""

    input_seconds: Annotated[int, Field(ge=60, le=MAX_INPUT_SECONDS)] = 24 * 3600
    """A user has this many seconds to answer the question of a tool. Nothing runs during the wait."""

    input_in_call_seconds: Annotated[int, Field(ge=10, le=TOOL_MAX_SECONDS)] = 300
    """The same for tools of servers before MCP 2026-07-28, which run during the wait: AWS bills their runner."""

    session_idle_hours: Annotated[float, Field(gt=0)] = 720
    """A session ends after this many hours without use."""

    audit_days: Annotated[int, Field(gt=0)] = 90
    """Days to keep the audit log of tool calls and file downloads."""

    log_retention: LogDays = 30
    """Days to keep logs. CloudWatch accepts these values."""

    runner_disk_mib: Annotated[int, Field(ge=512, le=10240)] = RUNNER_DISK_MIB
    """Disk of a runner. The inputs of a call may fill half of it. Space above 512 MiB is billed while a tool runs."""

    web_origins: TextList = []
    """Origins of other web pages that may call the API. The deployment's own page shares the API's host."""

    canvas_origins: Origins = []
    """Origins of dashboards that tools may show in frames (`https://host[:port]`)."""

    dashboard_keys: Annotated[list[Annotated[int, Field(ge=1)]], BeforeValidator(_parse_list), Field(min_length=1)] = [
        1
    ]
    """Numbers of the keys that sign the tokens of dashboards: the first signs, and all are published. A rotation adds a
    number (`docs/dashboards.md`)."""

    jwt_issuer: Annotated[str, StringConstraints(pattern=r"^https://")] | None = None
    """An OpenID Connect issuer. By default the deployment creates a Cognito user pool."""

    jwt_audience: TextList = []
    """Accepted client ids (audience) of the issuer's tokens. The page signs in with the first."""

    groups: Groups = []
    """Groups to create in the user pool. All signed-in users are members of `users` as well. A group that is removed
    here remains in the pool: delete it (`aws cognito-idp delete-group`) before you add it again."""

    min_isolation: Literal["process", "kernel"] = "process"
    """Minimum isolation of tools; below it no tool runs. Lambda's kernel does not support `kernel`."""

    violation_policy: Literal["note", "fail"] = "note"
    """The effect on a call whose tool tried to access a blocked path and continued: a note in its result, or an
    error."""

    servers: DirectoryPath = sources.SERVERS
    """Folder with mcp.json and the programs of its servers, or `config/overrides` with mcp.json in a project's folder,
    which then contains the programs."""

    runner_subnets: Annotated[list[SubnetId], BeforeValidator(_parse_list), Field(max_length=16)] = []
    """Subnets of a VPC to which runners connect (`docs/deploy.md`). By default they have Lambda's network. An entry of
    mcp.json with `vpc` can choose others, or none."""

    runner_security_groups: Annotated[list[SecurityGroupId], BeforeValidator(_parse_list), Field(max_length=5)] = []
    """Security groups of the runners in `runner_subnets`."""

    snap_start: bool = False
    """Start the functions between a message and its answer from snapshots (SnapStart, Python 3.12 and newer). Snapshots
    are billed even if unused. Runners never use them."""

    reserved_concurrency: Concurrency = {}
    """Reserved concurrency by function folder (`api=50,run_tool=100`; the latter for each runner), which is also the
    maximum. A runner has an environment for each recent user, and Lambda allows it 2.5 of them for each reserved
    execution, so `run_tool` is at least 40 (100 users). New accounts have too little concurrency to reserve any."""

    requests_per_second: Annotated[int, Field(gt=0, le=10_000)] = 1_000
    """Maximum rate of HTTP requests, and of WebSocket messages, across all users. Keep it far above
    `user_requests_per_second`, so that no user reaches it alone."""

    burst: Annotated[int, Field(gt=0, le=5_000)] = 2_000
    """Maximum burst of HTTP requests, and of WebSocket messages."""

    user_open_sessions: Annotated[int, Field(gt=0)] = 1_000
    """Maximum open sessions of a user. Sessions also end when they are idle."""

    user_turns_per_minute: Annotated[int, Field(gt=0)] = 120
    """Maximum turns that a user may start in a minute of the clock."""

    user_running_calls: Annotated[int, Field(gt=0)] = 32
    """Maximum tool calls of a user that run at the same time, in all sessions. Further calls wait for up to two
    minutes, then fail."""

    user_uploads: Annotated[int, Field(gt=0)] = 100
    """Maximum uploads in parts that a user may have in progress."""

    user_stored_bytes: Annotated[int, Field(gt=0)] = 500 << 30
    """Maximum size of all files of a user, with all versions and uploads in progress. Files of tools may exceed it by a
    tenth."""

    user_requests_per_second: Annotated[int, Field(gt=0, le=10_000)] = 50
    """Maximum rate of a user's HTTP requests, in bursts of up to five seconds. Each environment of the function `api`
    counts for itself."""

    alarm_email: Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+$")] | None = None
    """E-mail address for alarms. AWS first sends it a confirmation request."""

    bucket_access_logs: bool = False
    """Log S3 requests to a second bucket. The logs contain presigned URLs."""

    @field_validator("python")
    @classmethod
    def _default_python(cls, python: str | None) -> str:
        return python or Platform().python

    @field_validator("min_isolation")
    @classmethod
    def _check_isolation(cls, level: str) -> str:
        if level == "kernel":
            raise ValueError("Lambda's kernel has no Landlock, so at the level 'kernel' no tool would run")
        return level

    @field_validator("reserved_concurrency")
    @classmethod
    def _check_function_names(cls, reserved: dict[str, int]) -> dict[str, int]:
        if unknown := sorted(reserved.keys() - _FUNCTIONS):
            raise ValueError(
                f"unknown function {', '.join(unknown)}; the functions are {', '.join(sorted(_FUNCTIONS))}"
            )
        if (runners := reserved.get("run_tool", MIN_RUNNER_CONCURRENCY)) < MIN_RUNNER_CONCURRENCY:
            users = int(runners * ENVIRONMENTS_PER_EXECUTION)
            raise ValueError(
                f"with run_tool={runners}, only {users} users could call a server within ten minutes, because each has "
                f"an environment of its own: reserve at least {MIN_RUNNER_CONCURRENCY}, or nothing"
            )
        return reserved

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        if (self.jwt_issuer is None) != (not self.jwt_audience):
            raise ValueError("set jwt_issuer and jwt_audience together, or neither")
        if (self.domain is None) != (self.certificate_arn is None):
            raise ValueError("set domain and certificate_arn together, or neither")
        if (not self.runner_subnets) != (not self.runner_security_groups):
            raise ValueError("set runner_subnets and runner_security_groups together, or neither")
        if self.domain and self.site == "none":
            raise ValueError("domain is a name of CloudFront, which site=none leaves out; set public_url instead")
        if self.groups and self.jwt_issuer:
            raise ValueError(
                "groups are created in the user pool; with jwt_issuer, the issuer's tokens list a user's groups"
            )
        if self.existing_user_pool and (self.jwt_issuer or self.groups):
            other = "jwt_issuer" if self.jwt_issuer else "groups: create them in the pool"
            raise ValueError(f"existing_user_pool cannot be combined with {other}")
        if self.existing_sign_in_page and not self.existing_user_pool:
            raise ValueError("existing_sign_in_page belongs to existing_user_pool, which is not set")
        if self.jwt_issuer is None and (word := next((each for each in _RESERVED_WORDS if each in self.name), None)):
            raise ValueError(
                f"name contains {word!r}, which Cognito refuses in the address of a sign-in page: set another name, or "
                "jwt_issuer"
            )
        if self.snap_start and not self.platform.has_snapstart:
            raise ValueError("snap_start needs Python 3.12 or newer: set python, or build with a newer Python")
        return self

    @model_validator(mode="after")
    def _check_bridge(self) -> Self:
        if "bridge" in self.reserved_concurrency and not self.bridge:
            raise ValueError("reserved_concurrency has bridge, a function that only the setting bridge adds")
        return self

    @property
    def platform(self) -> Platform:
        """Return the Python version and processor on which the functions run."""
        version = self.python or Platform().python
        return Platform(self.architecture, int(version.removeprefix("3.")))

    @property
    def runner_vpc(self) -> Vpc | None:
        """Return the VPC to which runners connect, or None for Lambda's own network."""
        if not self.runner_subnets:
            return None
        return Vpc(subnets=self.runner_subnets, security_groups=self.runner_security_groups)

    @property
    def allowed_models(self) -> list[str]:
        """Return all models (``provider:id``) that the deployment may call, without duplicates, the default first."""
        models = {choice.name: choice.model for choice in self.models}
        default = [models.get(self.model, self.model)] if self.model else []
        return list(dict.fromkeys([*default, *models.values()]))

    @property
    def model_choice_environment(self) -> dict[str, str]:
        """Return environment variables for the default model and the list of models. Omit variables without a value."""
        models = json.dumps([choice.model_dump(exclude_defaults=True) for choice in self.models])
        variables = {"SATCHEL_MODEL": self.model, "SATCHEL_MODELS": models if self.models else ""}
        return {name: value for name, value in variables.items() if value}

    @property
    def model_request_environment(self) -> dict[str, str]:
        """Return environment variables for the options of model requests. Omit variables without a value."""
        variables = {
            "SATCHEL_MODEL_BASE_URL": self.model_base_url,
            "SATCHEL_MODEL_TEMPERATURE": self.model_temperature,
            "SATCHEL_MODEL_MAX_TOKENS": self.model_max_tokens,
            "SATCHEL_MODEL_SILENCE_SECONDS": self.model_silence_seconds,
        }
        return {name: str(value) for name, value in variables.items() if value is not None}

    @property
    def input_in_call_environment(self) -> dict[str, str]:
        """Return the environment variable for the wait of a running tool for the user."""
        return {"SATCHEL_INPUT_IN_CALL_SECONDS": str(self.input_in_call_seconds)}

    @property
    def storage_quota_environment(self) -> dict[str, str]:
        """Return the environment variable for the quota of stored bytes."""
        return {"SATCHEL_USER_STORED_BYTES": str(self.user_stored_bytes)}

    @property
    def quota_environment(self) -> dict[str, str]:
        """Return environment variables for all quotas of a user."""
        fields = [field for field in type(self).model_fields if field.startswith("user_")]
        return {f"SATCHEL_{field.upper()}": str(getattr(self, field)) for field in fields}

    @property
    def remote_runner(self) -> str:
        """Return the name of the Lambda function that calls all remote servers."""
        return f"{self.name}-remote"

    @property
    def secret_prefix(self) -> str:
        """Return the name prefix of the secrets for placeholders in mcp.json: ``satchel/`` in ``satchel/TOKEN``."""
        return f"{self.name}/"

    @property
    def runner_prefix(self) -> str:
        """Return the name prefix of the functions that run stdio servers: ``satchel-run-`` before a server's name."""
        return f"{self.name}-run-"

    @classmethod
    def from_context(cls, context: Mapping[str, object]) -> Self:
        """Create the settings from CDK context. A key that is absent or None means the default.

        Ignore CDK's own keys: feature flags (``@aws-cdk/…``), and options and look-ups, which contain a colon. Raise
        UnknownSettingError for any other key without a field, because a misspelt setting would have no effect.
        """
        own = {key: value for key, value in context.items() if not key.startswith("@") and ":" not in key}
        if unknown := sorted(own.keys() - cls.model_fields.keys()):
            raise UnknownSettingError("\n".join(_describe_unknown(key, cls.model_fields) for key in unknown))
        return cls.model_validate({key: value for key, value in own.items() if value is not None})

"""What a deployment may choose, from CDK context: ``-c architecture=x86_64``, or ``context`` in cdk.json.

The docstring of a field is its line in docs/deployment-settings.md (``python -m infra.settings_table``).
"""

import json
from collections.abc import Callable
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
from infra.choices import Group, Listed, LogDays, ModelList, Origins, listed, numbered
from infra.limits import MODEL_SECONDS, RUNNER_DISK_MIB
from infra.packing.platform import Platform

_FUNCTIONS = frozenset(path.parent.name for path in sources.FUNCTIONS.glob("*/handler.py"))


class Settings(BaseModel):
    """Every choice with its default. Raises ValidationError that names the key which is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,19}$")] = "satchel"
    """Stands at the start of every name that is fixed: two deployments in one region have two names."""

    architecture: Literal["arm64", "x86_64"] = "arm64"
    """The functions' processor."""

    python: Literal["3.11", "3.12", "3.13", "3.14"] | None = Field(default=None, validate_default=True)
    """The functions' Python; by default the one that builds, so that what ran the tests is what runs. Layers for
    another hold no byte code, so that functions start more slowly."""

    model: str = ""
    """The model of whoever chooses none: the name of one of `models`, or a model itself (`bedrock:…`); without it the
    first of `models`, or the stand-in `offline`."""

    models: ModelList = []
    """What people may choose from, as JSON: `[{"name": "…", "model": "bedrock:…", "groups": ["…"]}]`."""

    context_tokens: Annotated[int, Field(ge=2000)] = 100_000
    """How much a model is given at once, unless its entry in `models` says otherwise."""

    instructions: Annotated[str, Field(max_length=3000)] = ""
    """How the model is to behave, in place of our own words. A function's variables hold 4 KB in all."""

    model_base_url: Annotated[str, StringConstraints(pattern=r"^https?://")] | None = None
    """Where models are served whose names give no address; by default where their provider is."""

    model_temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """How freely a model chooses its words; by default as its provider does."""

    model_max_tokens: Annotated[int, Field(ge=1)] | None = None
    """How much a model may write at once; by default what its provider allows."""

    model_silence_seconds: Annotated[float, Field(gt=0, le=MODEL_SECONDS)] = 90
    """A model that says nothing for so long is given up."""

    max_rounds: Annotated[int, Field(ge=1, le=99)] = 40
    """How often the model may ask for tools in one turn."""

    removal_policy: Literal["retain", "destroy"] = "retain"
    """What becomes of bucket, table, secret and user pool when their stack is deleted."""

    domain: Annotated[str, StringConstraints(pattern=r"^([a-z0-9-]+\.)+[a-z]{2,}$")] | None = None
    """The host that page and API share (`chat.example.com`); by default CloudFront's own. Point it at the
    distribution that the output `Distribution` names."""

    certificate_arn: Annotated[str, StringConstraints(pattern=r"^arn:[^:]+:acm:us-east-1:")] | None = None
    """The certificate for `domain`, in us-east-1, where CloudFront looks for it."""

    public_url: Annotated[str, StringConstraints(pattern=r"^https://[^/]+$")] | None = None
    """Where people and tools reach the API when something of your own stands in front of it."""

    site: Path = sources.SITE
    """The folder with the page, built."""

    persist_files_across_sessions: bool = True
    """Whether a session's files outlive it."""

    base64_size_limit_mb: Annotated[int, Field(ge=0)] = 300
    """Up to this size (MiB) a file goes inside JSON, as far as Lambda's payload carries it; above it by link."""

    max_file_size_bytes: Annotated[int, Field(ge=1, le=5 << 40)] = 50 << 30
    """A larger file is neither taken nor kept. S3 itself takes 5 TiB."""

    session_idle_hours: Annotated[float, Field(gt=0)] = 720
    """A session that nobody used for so long is ended."""

    audit_days: Annotated[int, Field(gt=0)] = 90
    """How long it is kept who called which tool and fetched which file."""

    log_retention: LogDays = 30
    """How many days logs are kept; CloudWatch knows these numbers."""

    runner_disk_mib: Annotated[int, Field(ge=512, le=10240)] = RUNNER_DISK_MIB
    """The disk of a runner; a call's inputs may fill half of it. Above 512 it costs something while a tool runs."""

    web_origins: Listed = []
    """Origins of other pages that may call the API; its own page shares its host."""

    canvas_origins: Origins = []
    """Origins from which tools may show dashboards in frames (`https://host[:port]`)."""

    jwt_issuer: Annotated[str, StringConstraints(pattern=r"^https://")] | None = None
    """An OpenID Connect issuer; by default a Cognito user pool of our own."""

    jwt_audience: Listed = []
    """The client ids that the issuer's tokens are meant for; the page signs in with the first."""

    groups: Annotated[list[Group], BeforeValidator(listed)] = []
    """Groups to make in our own user pool; everybody who is signed in is in `users` besides."""

    min_isolation: Literal["process", "kernel"] = "process"
    """How well tools must be walled in before any runs. Lambda's kernel cannot do `kernel`."""

    violation_policy: Literal["note", "fail"] = "note"
    """What becomes of a call whose tool was stopped at a path and went on: a note in its result, or its failure."""

    servers: DirectoryPath = sources.SERVERS
    """The folder with mcp.json and the programs of the servers that it names."""

    snap_start: bool = False
    """Whether the functions that somebody waits for start from a snapshot (Python 3.12 and newer). Snapshots are
    billed while nobody uses them; runners never have any."""

    reserved_concurrency: Annotated[dict[str, Annotated[int, Field(ge=0)]], BeforeValidator(numbered)] = {}
    """How many environments a function keeps for itself and has at most, by its folder (`api=50,run_tool=20`; the
    latter for each runner). New accounts have none to give."""

    requests_per_second: Annotated[int, Field(gt=0, le=10_000)] = 200
    """Requests, and messages over WebSocket, that the APIs let through."""

    burst: Annotated[int, Field(gt=0, le=5_000)] = 400
    """How many may come at once."""

    alarm_email: Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+$")] | None = None
    """Who is told of alarms. AWS asks that address to agree first."""

    bucket_access_logs: bool = False
    """Whether a second bucket logs who fetched which object; such logs hold presigned addresses."""

    @field_validator("python")
    @classmethod
    def _known(cls, python: str | None) -> str:
        return python or Platform().python

    @field_validator("min_isolation")
    @classmethod
    def _within_reach(cls, level: str) -> str:
        if level == "kernel":
            raise ValueError("Lambda's kernel has no Landlock, so at the level 'kernel' no tool would ever run")
        return level

    @field_validator("reserved_concurrency")
    @classmethod
    def _of_functions(cls, reserved: dict[str, int]) -> dict[str, int]:
        if unknown := sorted(reserved.keys() - _FUNCTIONS):
            raise ValueError(f"there is no function {', '.join(unknown)}; there are {', '.join(sorted(_FUNCTIONS))}")
        return reserved

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        if (self.jwt_issuer is None) != (not self.jwt_audience):
            raise ValueError("give jwt_issuer and jwt_audience together, or neither")
        if (self.domain is None) != (self.certificate_arn is None):
            raise ValueError("give domain and certificate_arn together, or neither")
        if self.groups and self.jwt_issuer:
            raise ValueError("groups are made in our own user pool: with jwt_issuer that issuer says who is in which")
        if self.snap_start and not self.platform.has_snapshots:
            raise ValueError("snap_start needs Python 3.12 or newer: set python, or build with another")
        return self

    @property
    def platform(self) -> Platform:
        """Return what functions run on."""
        version = self.python or Platform().python
        return Platform(self.architecture, int(version.removeprefix("3.")))

    @property
    def named_models(self) -> list[str]:
        """Return every model that may be asked, as it is told to the functions."""
        listed = {choice.name: choice.model for choice in self.models}
        default = [listed.get(self.model, self.model)] if self.model else []
        return list(dict.fromkeys([*default, *listed.values()]))

    @property
    def of_models(self) -> dict[str, str]:
        """Return the variables that say which models there are; what is not chosen is not said."""
        listed = json.dumps([choice.model_dump(exclude_defaults=True) for choice in self.models])
        told = {"SATCHEL_MODEL": self.model, "SATCHEL_MODELS": listed if self.models else ""}
        return {name: value for name, value in told.items() if value}

    @property
    def model_environment(self) -> dict[str, str]:
        """Return how models are asked, for the function that asks them."""
        given = {
            "SATCHEL_MODEL_BASE_URL": self.model_base_url,
            "SATCHEL_MODEL_TEMPERATURE": self.model_temperature,
            "SATCHEL_MODEL_MAX_TOKENS": self.model_max_tokens,
            "SATCHEL_MODEL_SILENCE_SECONDS": self.model_silence_seconds,
        }
        return {name: str(value) for name, value in given.items() if value is not None}

    @property
    def remote_runner(self) -> str:
        """Return the name of the function that all servers share which are somewhere else."""
        return f"{self.name}-remote"

    @property
    def secret_prefix(self) -> str:
        """Return what the names of the secrets begin with that hold the variables of mcp.json: ``satchel/TOKEN``."""
        return f"{self.name}/"

    @property
    def runner_prefix(self) -> str:
        """Return what the names of the runners' functions begin with."""
        return f"{self.name}-run-"

    @classmethod
    def from_context(cls, look_up: Callable[[str], object]) -> Self:
        """Read each field from the context key of its name; keys that are absent (None) keep their default."""
        given = {field: look_up(field) for field in cls.model_fields}
        return cls.model_validate({field: value for field, value in given.items() if value is not None})

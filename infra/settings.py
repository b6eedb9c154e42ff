"""What a deployment may choose, from CDK context: ``-c architecture=x86_64``, or ``context`` in cdk.json."""

import json
from collections.abc import Callable
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
from infra.limits import MODEL_SECONDS


def _listed(value: object) -> object:
    """Make a list of ``a,b``: the command line can give text only."""
    return [part for part in value.split(",") if part] if isinstance(value, str) else value


Listed = Annotated[list[str], BeforeValidator(_listed)]
_Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^/,\s*]+$")]
Origins = Annotated[list[_Origin], BeforeValidator(_listed)]


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


class Settings(BaseModel):
    """Every choice with its default. Raises ValidationError that names the key which is wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,19}$")] = "satchel"
    """Stands at the start of every name that is fixed: two deployments in one region have two names."""

    architecture: Literal["arm64", "x86_64"] = "arm64"
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
    """Where models are served whose names give no address; None: where their provider is."""

    model_temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    model_max_tokens: Annotated[int, Field(ge=1)] | None = None
    """How much a model may write at once; None: what its provider allows."""

    model_silence_seconds: Annotated[float, Field(gt=0, le=MODEL_SECONDS)] = 90
    """A model that says nothing for so long is given up."""

    max_rounds: Annotated[int, Field(ge=1, le=99)] = 40
    """How often the model may ask for tools in one turn."""

    removal_policy: Literal["retain", "destroy"] = "retain"
    """What becomes of bucket, table, secret and user pool when their stack is deleted."""

    public_url: Annotated[str, StringConstraints(pattern=r"^https://[^/]+$")] | None = None
    """Where people and tools reach the API; None: API Gateway's own address."""

    persist_files_across_sessions: bool = True
    """Whether a session's files outlive it."""

    base64_size_limit_mb: Annotated[int, Field(ge=0)] = 300
    """Up to this size (MiB) a file goes inside JSON, as far as Lambda's payload carries it; above it by link."""

    max_file_size_bytes: Annotated[int, Field(ge=1, le=5 << 40)] = 50 << 30
    """A larger file is neither taken nor kept. S3 itself takes 5 TiB."""

    session_idle_hours: Annotated[float, Field(gt=0)] = 720
    """A session that nobody used for so long is ended."""

    web_origins: Listed = []
    """Origins whose pages may call the API; none where page and API share a host."""

    canvas_origins: Origins = []
    """Origins from which tools may show dashboards in frames (``https://host[:port]``)."""

    jwt_issuer: Annotated[str, StringConstraints(pattern=r"^https://")] | None = None
    """An OpenID Connect issuer; None: a Cognito user pool of our own."""

    jwt_audience: Listed = []
    """The client ids that the issuer's tokens are meant for."""

    @model_validator(mode="after")
    def _audience_with_issuer(self) -> Self:
        if (self.jwt_issuer is None) != (not self.jwt_audience):
            raise ValueError("give jwt_issuer and jwt_audience together, or neither")
        return self

    min_isolation: Literal["process", "kernel"] = "process"
    """How well tools must be walled in before any runs."""

    @field_validator("min_isolation")
    @classmethod
    def _within_reach(cls, level: str) -> str:
        if level == "kernel":
            raise ValueError("Lambda's kernel has no Landlock, so at the level 'kernel' no tool would ever run")
        return level

    violation_policy: Literal["note", "fail"] = "note"
    """What becomes of a call whose tool was stopped at a path and went on: a note in its result, or its failure."""

    servers: DirectoryPath = sources.SERVERS
    """The folder with mcp.json and the programs of the servers that it names."""

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

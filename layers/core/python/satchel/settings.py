"""What is set from outside, by environment variables ``SATCHEL_…``: a small class for each thing that needs some.

A function reads only the classes that its bootstrap module names, so these also say which variables it must be given.
"""

import json
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from satchel.domain.canvas import parse_origin

_MIB = 1 << 20


class _Settings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="SATCHEL_", frozen=True)


class StorageSettings(_Settings):
    """Where records and bytes lie."""

    table: str
    bucket: str


class WorkflowSettings(_Settings):
    """The state machine of turns (its ARN)."""

    state_machine: str


class ServerSettings(_Settings):
    """Which servers there are."""

    mcp_config: Path


class ModelSettings(_Settings):
    """The model. ``max_rounds`` bounds how often it may ask for tools in one turn."""

    model: str = "offline"
    max_rounds: int = 40


class LinkSettings(_Settings):
    """Capabilities: the secret with the signing keys, and the address under which tools reach the API."""

    capability_secret: str
    public_url: str = ""


class LimitSettings(_Settings):
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


class ApiSettings(_Settings):
    """Who may come in, and what files do when a session ends. ``auth=local`` trusts headers: for loopback alone."""

    auth: Literal["jwt", "local"] = "jwt"
    identity_claim: str = "email"
    persist_files_across_sessions: bool = True
    model: str = "offline"


def _listed(value: object) -> object:
    """Read a list as it is written in a variable: ``a,b``, or as JSON."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return [part.strip() for part in value.split(",") if part.strip()]


class CanvasSettings(_Settings):
    """Origins from which dashboards may be shown, comma-separated or as JSON; none by default (spec 2 §3)."""

    canvas_origins: Annotated[
        tuple[Annotated[str, AfterValidator(parse_origin)], ...], NoDecode, BeforeValidator(_listed)
    ] = ()


class OriginSettings(_Settings):
    """Origins whose pages may open a connection, comma-separated or as JSON; ``*`` means any."""

    web_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)] = ()


class SocketSettings(_Settings):
    """Where connections are opened (``wss://…``)."""

    socket_url: str


class PushSettings(_Settings):
    """Where connections are spoken to: the management address of the WebSocket API."""

    socket_endpoint: str


class TimingSettings(_Settings):
    """The time of a tool: how long it may be silent, how long it may last (spec 3 §11)."""

    tool_silence_seconds: float = 30
    tool_max_seconds: float = 840


class ApprovalSettings(_Settings):
    """How long a call waits for its owner's word."""

    approval_seconds: int = 3600


class DispatchSettings(_Settings):
    """Where runners are, and the role that a call's credentials are cut from."""

    runner_prefix: str
    call_role: str


class RunnerSettings(_Settings):
    """Which server this runner is for. ``beat_seconds`` decides how soon a cancel is felt.

    A tool's answer may have ``max_result_mb``, files inside it included; what a tool returns by path is not part of it.
    """

    server: str
    beat_seconds: float = 1.0
    max_result_mb: int = 64

    @property
    def max_result_bytes(self) -> int:
        """Return the limit of one answer."""
        return self.max_result_mb * _MIB

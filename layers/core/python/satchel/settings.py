"""What is set from outside, by environment variables ``SATCHEL_…``: a small class for each thing that needs some.

A function reads only the classes that its bootstrap module names, so these also say which variables it must be given.
"""

from pathlib import Path
from typing import Literal

from pydantic_settings import BaseSettings, SettingsConfigDict

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


class TimingSettings(_Settings):
    """The time of a tool: how long it may be silent, how long it may last (spec 3 §11)."""

    tool_silence_seconds: float = 30
    tool_max_seconds: float = 840


class DispatchSettings(_Settings):
    """Where runners are, and the role that a call's credentials are cut from."""

    runner_prefix: str
    call_role: str


class RunnerSettings(_Settings):
    """Which server this runner is for. ``beat_seconds`` decides how soon a cancel is felt."""

    server: str
    beat_seconds: float = 1.0

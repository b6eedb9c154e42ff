"""The MCP servers: the entries of mcp.json and the registry of all servers (clause v4:registry:entry)."""

import hashlib
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from satchel.domain.timing import Limits, NoticeSeconds, Seconds, describe_order_problem

ServerName = str
FileMode = Literal["path", "url"]

VARIABLE = re.compile(r"\$\{(\w+)\}")
"""Matches a placeholder ``${NAME}`` in mcp.json, which stands for an environment variable or a secret."""


class ProcessLimits(BaseModel):
    """Resource limits for each process of a server. ``processes`` limits how many processes a server can have.

    ``file_mb`` lowers the system's maximum size of a file (``SATCHEL_MAX_FILE_SIZE_BYTES``) for this server. The
    kernel does not apply its process limit to root. For root, Satchel uses a control group if it can create one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file_mb: int | None = Field(default=None, ge=1)
    processes: int = Field(default=256, ge=1)
    open_files: int = Field(default=1024, ge=64)
    address_space_mb: int | None = Field(default=None, ge=256)


class ServerEntry(BaseModel):
    """An mcp.json entry for one MCP server, which has either a ``command`` (stdio) or a ``url`` (HTTP).

    ``env``, ``auth_token`` and ``url`` may contain ``${NAME}``; only the server's own runner replaces the placeholders.
    ``files`` says how tools get file arguments (as path or URL): one mode for all tools, or a mode by tool name. The
    default is ``path`` for stdio and ``url`` for HTTP. With ``allow_private``, ``url`` may be in a private network.
    ``silence_seconds``, ``notice_seconds`` and ``max_seconds`` override the default time limits of tool calls
    (``domain.timing``). The server can read ``read_paths`` in addition to the system and its own files.
    ``network: false`` blocks the network. Paths are relative in mcp.json, and absolute in this class.
    The API returns ``title`` (default: the name) and ``description`` with the server.
    ``requirements`` (a file of pinned packages) and ``deploy`` control the deployment of the server's function.
    """

    model_config = ConfigDict(extra="forbid")

    command: list[str] | None = Field(default=None, min_length=1)
    cwd: str | None = None
    env: dict[str, str] = {}
    url: str | None = None
    transport: Literal["stdio", "http", "sse"] | None = None
    auth_token: str | None = None
    groups: list[str] = []
    title: str | None = None
    description: str = ""
    allow_private: bool = False
    files: FileMode | dict[str, FileMode] | None = None
    strict_files: bool = False
    memory_mb: int = Field(default=1024, ge=128, le=10240)
    requirements: str | None = None
    network: bool = True
    read_paths: list[str] = []
    process_limits: ProcessLimits = ProcessLimits()
    enabled: bool = True
    deploy: bool = True
    collect: Literal["all", "declared"] = "all"
    require_approval: Literal["*"] | list[str] = []
    silence_seconds: Seconds | None = None
    notice_seconds: NoticeSeconds | None = None
    max_seconds: Seconds | None = None

    @field_validator("notice_seconds")
    @classmethod
    def _check_notices(cls, notices: NoticeSeconds | None, info: ValidationInfo) -> NoticeSeconds | None:
        """Require ``silence_seconds`` if ``notice_seconds`` is set: notices must come before the silence limit."""
        silence: float | None = info.data.get("silence_seconds")
        if notices is None:
            return None
        if silence is None:
            raise ValueError("set silence_seconds, too")
        if problem := describe_order_problem(notices, silence):
            raise ValueError(f"set {problem}")
        return notices

    @model_validator(mode="after")
    def _check_transport(self) -> "ServerEntry":
        if (self.command is None) == (self.url is None):
            raise ValueError("set either 'command' (stdio) or 'url' (HTTP), not both")
        return self

    @property
    def is_remote(self) -> bool:
        """Return True if the server is called over HTTP instead of being started as a local process."""
        return self.command is None

    def max_file_bytes(self, system_limit: int) -> int:
        """Return the maximum size of a file that a tool writes: the system's limit, or the server's own lower one."""
        own_mb = self.process_limits.file_mb
        return system_limit if own_mb is None else min(system_limit, own_mb << 20)

    def needs_approval(self, tool: str) -> bool:
        """Return True if calls of this tool need the user's approval. The entry ``*`` matches every tool."""
        return "*" in self.require_approval or tool in self.require_approval

    def file_mode_for(self, tool: str) -> FileMode:
        """Return how this tool gets file arguments: as a local path or as a URL."""
        configured = self.files.get(tool) if isinstance(self.files, dict) else self.files
        return configured or ("path" if self.command else "url")

    def limits_with_defaults(self, defaults: Limits) -> Limits:
        """Return the time limits for this server's tool calls. ``defaults`` apply if the server sets no limit."""
        limits = defaults if self.max_seconds is None else defaults.model_copy(update={"max_seconds": self.max_seconds})
        if self.silence_seconds is None:
            return limits
        return limits.model_copy(update={"silence": self.silence_seconds, "notices": self.notice_seconds})

    @property
    def variables(self) -> set[str]:
        """Return the names of all placeholders (``${NAME}``) in the entry."""
        texts = [*self.env.values(), self.auth_token or "", self.url or ""]
        return {name for text in texts for name in VARIABLE.findall(text)}

    def config_hash(self) -> str:
        """Return a hash of the fields that determine the server's tools. A new hash makes stored tool lists invalid.

        The hash covers placeholders, not the secrets that replace them, so code without the secrets can compute it.
        """
        relevant = self.model_dump_json(include={"command", "cwd", "env", "url", "transport"})
        return hashlib.sha256(relevant.encode()).hexdigest()[:16]


class Registry(BaseModel):
    """All enabled MCP servers by name."""

    servers: dict[ServerName, ServerEntry]

    def visible_to(self, groups: list[str] | frozenset[str]) -> dict[ServerName, ServerEntry]:
        """Return the servers that a user in these groups may use. All users may use a server without groups."""
        user_groups = set(groups)
        return {n: entry for n, entry in self.servers.items() if not entry.groups or user_groups & set(entry.groups)}

    @property
    def remote(self) -> frozenset[ServerName]:
        """Return the names of the servers that are called over HTTP."""
        return frozenset(name for name, entry in self.servers.items() if entry.is_remote)

    def needs_approval(self, tool: str) -> bool:
        """Return True if calls of a tool (``server.tool``) need the user's approval."""
        parts = self.split_tool_name(tool)
        return parts is not None and self.servers[parts[0]].needs_approval(parts[1])

    def split_tool_name(self, tool: str) -> tuple[ServerName, str] | None:
        """Split ``server.tool`` after the server's name, which may contain dots. Return None if no server matches."""
        for name in sorted(self.servers, key=len, reverse=True):
            if tool.startswith(f"{name}."):
                return name, tool[len(name) + 1 :]
        return None

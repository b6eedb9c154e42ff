"""The MCP servers: the entries of mcp.json and the registry of all servers (clause v4:registry:entry)."""

import hashlib
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from mcp_config import placeholder_names
from satchel.domain.arguments import IDENTITY_ARGUMENTS, FileForm
from satchel.domain.conversation import ToolSpec
from satchel.domain.timing import Limits, NoticeSeconds, Seconds, describe_order_problem

ServerName = str
FileMode = Literal["path", "url"]


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

    ``command``, ``env``, ``headers``, ``auth_token`` and ``url`` may contain ``${NAME}`` or ``${NAME:-default}``; only
    the server's own runner replaces the placeholders. ``headers`` are sent with each request to a remote server.
    ``files`` says how tools get file arguments (as path or URL): one mode for all tools, or a mode by tool name. The
    default is ``path`` for stdio and ``url`` for HTTP. ``file_arguments`` names further arguments that are files, by
    tool (``*``: all tools), with the form of each if it is another one. With ``file_transfer``, files are sent to and
    fetched from addresses that the server names (SEP-2631). With ``allow_private``, ``url`` may be in a
    private network. With ``protocol``, Satchel speaks this older revision of MCP, even if the server knows a newer one.
    ``silence_seconds``, ``notice_seconds`` and ``max_seconds`` override the default time limits of tool calls
    (``domain.timing``). The server can read ``read_paths`` in addition to the system and its own files. With
    ``writes``, all its tools can write in the user's workspace, also those without an argument for the user's name.
    ``writes: keep`` also gives the server a folder for each user that outlasts the user's chat sessions.
    ``network: false`` blocks the network. Paths are relative in mcp.json, and absolute in this class. The names in
    ``list_paths``, which are computed and never configured, can be read, too.
    The API returns ``title`` (default: the name) and ``description`` with the server.
    ``requirements`` (a file of pinned packages), ``vpc`` and ``deploy`` control the deployment of the function:
    ``deploy: with_network`` permits it although Lambda cannot block the network.
    """

    model_config = ConfigDict(extra="forbid")

    command: list[str] | None = Field(default=None, min_length=1)
    cwd: str | None = None
    env: dict[str, str] = {}
    url: str | None = None
    transport: Literal["stdio", "http", "sse"] | None = None
    protocol: Literal["2025-11-25"] | None = None
    headers: dict[str, str] = {}
    auth_token: str | None = None
    groups: list[str] = []
    title: str | None = None
    description: str = ""
    allow_private: bool = False
    files: FileMode | dict[str, FileMode] | None = None
    file_arguments: dict[str, list[str] | dict[str, FileForm]] = {}
    strict_files: bool = False
    file_transfer: bool = False
    memory_mb: int = Field(default=1024, ge=128, le=10240)
    requirements: str | None = None
    network: bool = True
    read_paths: list[str] = []
    list_paths: list[str] = []
    writes: bool | Literal["keep"] = False
    process_limits: ProcessLimits = ProcessLimits()
    enabled: bool = True
    deploy: bool | Literal["with_network"] = True
    vpc: Literal[False] | dict[str, list[str]] | None = None
    collect: Literal["all", "declared"] = "all"
    require_approval: Literal["*", "destructive"] | list[str] = []
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
        if self.file_transfer and not self.network:
            raise ValueError("file_transfer needs the network, which 'network: false' blocks")
        return self

    def may_write(self, tool: ToolSpec) -> bool:
        """Return True if a tool can write in the user's workspace: it declares the user, or the entry says so."""
        return bool(self.writes) or any(tool.declares(name) for name in IDENTITY_ARGUMENTS)

    @property
    def keeps_state(self) -> bool:
        """Return True if the server has a folder for each user that outlasts the user's chat sessions."""
        return self.writes == "keep" and not self.is_remote

    @property
    def is_remote(self) -> bool:
        """Return True if the server is called over HTTP instead of being started as a local process."""
        return self.command is None

    def max_file_bytes(self, system_limit: int) -> int:
        """Return the maximum size of a file that a tool writes: the system's limit, or the server's own lower one."""
        own_mb = self.process_limits.file_mb
        return system_limit if own_mb is None else min(system_limit, own_mb << 20)

    def needs_approval(self, tool: ToolSpec) -> bool:
        """Return True if calls of this tool need the user's approval. The entry ``*`` matches every tool.

        The entry ``destructive`` matches the tools whose server does not say that they destroy nothing.
        """
        if isinstance(self.require_approval, str):
            return self.require_approval == "*" or tool.may_destroy
        return "*" in self.require_approval or tool.name in self.require_approval

    def needs_approval_of_app(self, tool: ToolSpec) -> bool:
        """Return True if calls of this tool by an app need the user's approval.

        Besides ``needs_approval``, these are tools whose server says that they may destroy something.
        """
        hints = tool.hints
        says_so = hints is not None and hints.destructive is True and not hints.read_only
        return says_so or self.needs_approval(tool)

    def file_mode_for(self, tool: str) -> FileMode:
        """Return how this tool gets file arguments: as a local path or as a URL."""
        configured = self.files.get(tool) if isinstance(self.files, dict) else self.files
        return configured or ("path" if self.command else "url")

    def file_arguments_of(self, tool: str) -> dict[str, FileForm]:
        """Return the arguments of a tool that the entry names as files, with their forms."""
        forms: dict[str, FileForm] = {}
        for named in (self.file_arguments.get("*", []), self.file_arguments.get(tool, [])):
            forms |= named if isinstance(named, dict) else dict.fromkeys(named, "file")
        return forms

    def limits_with_defaults(self, defaults: Limits) -> Limits:
        """Return the time limits for this server's tool calls. ``defaults`` apply if the server sets no limit."""
        limits = defaults if self.max_seconds is None else defaults.model_copy(update={"max_seconds": self.max_seconds})
        if self.silence_seconds is None:
            return limits
        return limits.model_copy(update={"silence": self.silence_seconds, "notices": self.notice_seconds})

    @property
    def variables(self) -> set[str]:
        """Return the names of all variables (``${NAME}``) in the entry."""
        return {name for text in self.templates.values() for name in placeholder_names(text)}

    @property
    def templates(self) -> Mapping[str, str]:
        """Return all texts that may contain placeholders, by their place in the entry, such as ``env.KEY``."""
        places = {f"env.{name}": text for name, text in self.env.items()}
        places |= {f"headers.{name}": text for name, text in self.headers.items()}
        places |= {f"command.{number}": text for number, text in enumerate(self.command or [])}
        return places | {"auth_token": self.auth_token or "", "url": self.url or ""}

    def config_hash(self) -> str:
        """Return a hash of the fields that determine the server's tools. A new hash makes stored tool lists invalid.

        The hash covers placeholders, not the secrets that replace them, so code without the secrets can compute it.
        """
        relevant = self.model_dump_json(include={"command", "cwd", "env", "url", "transport", "headers"})
        return hashlib.sha256(relevant.encode()).hexdigest()[:16]


class BrokenEntry(BaseModel):
    """An invalid entry of mcp.json. ``problems`` say what to write instead.

    Users in ``groups`` (all users if it is empty) see the server as unavailable. If the groups are unknown (None), no
    user sees it.
    """

    problems: list[str]
    groups: list[str] | None


class Registry(BaseModel):
    """All enabled MCP servers by name. ``broken`` servers cannot be called: their entries are invalid."""

    servers: dict[ServerName, ServerEntry]
    broken: dict[ServerName, BrokenEntry] = {}

    def broken_for(self, groups: list[str] | frozenset[str]) -> dict[ServerName, BrokenEntry]:
        """Return the broken servers that a user in these groups sees."""
        seen = {name: entry for name, entry in self.broken.items() if entry.groups is not None}
        return {name: entry for name, entry in seen.items() if not entry.groups or set(groups) & set(entry.groups)}

    def visible_to(self, groups: list[str] | frozenset[str]) -> dict[ServerName, ServerEntry]:
        """Return the servers that a user in these groups may use. All users may use a server without groups."""
        user_groups = set(groups)
        return {n: entry for n, entry in self.servers.items() if not entry.groups or user_groups & set(entry.groups)}

    @property
    def remote(self) -> frozenset[ServerName]:
        """Return the names of the servers that are called over HTTP."""
        return frozenset(name for name, entry in self.servers.items() if entry.is_remote)

    def split_tool_name(self, tool: str) -> tuple[ServerName, str] | None:
        """Split ``server.tool`` after the server's name, which may contain dots. Return None if no server matches."""
        for name in sorted(self.servers, key=len, reverse=True):
            if tool.startswith(f"{name}."):
                return name, tool[len(name) + 1 :]
        return None

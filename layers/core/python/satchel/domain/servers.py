"""The entries of mcp.json (spec 4 §3; DESIGN: tool execution)."""

import hashlib
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from satchel.domain.timing import Limits, NoticeSeconds, Seconds, describe_order_problem

ServerName = str
FileMode = Literal["path", "url"]

VARIABLE = re.compile(r"\$\{(\w+)\}")
"""A value that is not written down in mcp.json but filled in from outside, as ``${NAME}``."""


class ProcessLimits(BaseModel):
    """What a server's process, and each that it starts, may use up; ``processes`` counts all of them.

    The kernel does not count root's processes as it does others'; control groups do, where root may make one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    file_mb: int = Field(default=10_240, ge=1)
    processes: int = Field(default=256, ge=1)
    open_files: int = Field(default=1024, ge=64)
    address_space_mb: int | None = Field(default=None, ge=256)


class ServerEntry(BaseModel):
    """One MCP server. Either ``command`` (stdio) or ``url`` (HTTP).

    ``env``, ``auth_token`` and ``url`` may hold ``${NAME}``; it stands there until the server's own runner fills it in.
    ``files`` says how file arguments reach its tools, all of them or each by its name (what it leaves out: path for
    stdio, url for HTTP). ``allow_private``: its address may be on this machine or in a network that is not public.
    ``silence_seconds``, ``notice_seconds`` and ``max_seconds`` are the times of its calls where they are not the usual
    ones (``domain.timing``), ``process_limits`` what its processes may use up, ``read_paths`` what they may read
    besides the system and their own files, ``network: false`` that they may not use it. Paths are absolute once the
    file is read; there they are relative to the file. ``requirements`` (a file of pinned packages) and ``deploy``
    are for the stacks: what the server's function is given, and whether there is one.
    """

    model_config = ConfigDict(extra="forbid")

    command: list[str] | None = Field(default=None, min_length=1)
    cwd: str | None = None
    env: dict[str, str] = {}
    url: str | None = None
    transport: Literal["stdio", "http", "sse"] | None = None
    auth_token: str | None = None
    groups: list[str] = []
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
        """Notices are times within a silence, so an entry that sets them says how long that is."""
        silence: float | None = info.data.get("silence_seconds")
        if notices is None:
            return None
        if silence is None:
            raise ValueError("give silence_seconds, too")
        if problem := describe_order_problem(notices, silence):
            raise ValueError(f"give {problem}")
        return notices

    @model_validator(mode="after")
    def _check_transport(self) -> "ServerEntry":
        if (self.command is None) == (self.url is None):
            raise ValueError("give either 'command' (stdio) or 'url' (HTTP), not both and not neither")
        return self

    @property
    def is_remote(self) -> bool:
        """Tell whether it is somewhere else: nothing of it runs here."""
        return self.command is None

    def needs_approval(self, tool: str) -> bool:
        """Tell whether the person must be asked before this tool is called; ``*`` stands for every tool."""
        return "*" in self.require_approval or tool in self.require_approval

    def file_mode_for(self, tool: str) -> FileMode:
        """Return how file arguments reach a tool of this server."""
        said = self.files.get(tool) if isinstance(self.files, dict) else self.files
        return said or ("path" if self.command else "url")

    def limits_with_defaults(self, defaults: Limits) -> Limits:
        """Return the times of this server's calls: its own, where it has some, else the usual ones."""
        limits = defaults if self.max_seconds is None else defaults.model_copy(update={"max_seconds": self.max_seconds})
        if self.silence_seconds is None:
            return limits
        return limits.model_copy(update={"silence": self.silence_seconds, "notices": self.notice_seconds})

    @property
    def variables(self) -> set[str]:
        """Return the names of the variables that are to be filled in."""
        texts = [*self.env.values(), self.auth_token or "", self.url or ""]
        return {name for text in texts for name in VARIABLE.findall(text)}

    def config_hash(self) -> str:
        """Return a hash of what decides which tools the server has; a kept tool list is good for one hash.

        It is the hash of the entry as it is written: who has none of the server's secrets finds the same list.
        """
        decides = self.model_dump_json(include={"command", "cwd", "env", "url", "transport"})
        return hashlib.sha256(decides.encode()).hexdigest()[:16]


class Registry(BaseModel):
    """All servers that are configured and enabled, by name."""

    servers: dict[ServerName, ServerEntry]

    def visible_to(self, groups: list[str] | frozenset[str]) -> dict[ServerName, ServerEntry]:
        """Return the servers that somebody in these groups may use; no groups on a server means everybody."""
        mine = set(groups)
        return {name: entry for name, entry in self.servers.items() if not entry.groups or mine & set(entry.groups)}

    @property
    def remote(self) -> frozenset[ServerName]:
        """Return the servers that are somewhere else."""
        return frozenset(name for name, entry in self.servers.items() if entry.is_remote)

    def needs_approval(self, tool: str) -> bool:
        """Tell whether the person must be asked before a tool (``server.tool``) is called."""
        place = self.split_tool_name(tool)
        return place is not None and self.servers[place[0]].needs_approval(place[1])

    def split_tool_name(self, tool: str) -> tuple[ServerName, str] | None:
        """Find server and tool of a full name by the table of servers (a server's own name may hold dots)."""
        for name in sorted(self.servers, key=len, reverse=True):
            if tool.startswith(f"{name}."):
                return name, tool[len(name) + 1 :]
        return None

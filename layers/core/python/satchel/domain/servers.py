"""The entries of mcp.json (spec 4 §3; DESIGN: tool execution)."""

import hashlib
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

ServerName = str
FilesBy = Literal["path", "url"]

VARIABLE = re.compile(r"\$\{(\w+)\}")
"""A value that is not written down in mcp.json but filled in from outside, as ``${NAME}``."""


class ServerEntry(BaseModel):
    """One MCP server. Either ``command`` (stdio) or ``url`` (HTTP).

    ``env``, ``auth_token`` and ``url`` may hold ``${NAME}``; it stands there until the server's own runner fills it in.
    ``files`` says how file arguments reach its tools, all of them or each by its name (what it leaves out: path for
    stdio, url for HTTP). ``allow_private``: its address may be on this machine or in a network that is not public.
    Paths are absolute once the file is read; ``cwd`` of the file is relative to the file.
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
    files: FilesBy | dict[str, FilesBy] | None = None
    strict_files: bool = False
    memory_mb: int = Field(default=1024, ge=128, le=10240)
    requirements: str | None = None
    network: bool = True
    read_paths: list[str] = []
    enabled: bool = True
    collect: Literal["all", "declared"] = "all"
    require_approval: Literal["*"] | list[str] = []

    @model_validator(mode="after")
    def _one_way_in(self) -> "ServerEntry":
        if (self.command is None) == (self.url is None):
            raise ValueError("give either 'command' (stdio) or 'url' (HTTP), not both and not neither")
        return self

    def needs_approval(self, tool: str) -> bool:
        """Tell whether the person must be asked before this tool is called; ``*`` stands for every tool."""
        return "*" in self.require_approval or tool in self.require_approval

    def files_for(self, tool: str) -> FilesBy:
        """Return how file arguments reach a tool of this server."""
        said = self.files.get(tool) if isinstance(self.files, dict) else self.files
        return said or ("path" if self.command else "url")

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

    def open_to(self, groups: list[str] | frozenset[str]) -> dict[ServerName, ServerEntry]:
        """Return the servers that somebody in these groups may use; no groups on a server means everybody."""
        mine = set(groups)
        return {name: entry for name, entry in self.servers.items() if not entry.groups or mine & set(entry.groups)}

    def asks_first(self, tool: str) -> bool:
        """Tell whether the person must be asked before a tool (``server.tool``) is called."""
        place = self.split(tool)
        return place is not None and self.servers[place[0]].needs_approval(place[1])

    def split(self, tool: str) -> tuple[ServerName, str] | None:
        """Find server and tool of a full name by the table of servers (a server's own name may hold dots)."""
        for name in sorted(self.servers, key=len, reverse=True):
            if tool.startswith(f"{name}."):
                return name, tool[len(name) + 1 :]
        return None

"""The entries of mcp.json (spec 4 §3; DESIGN: tool execution)."""

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

ServerName = str


class ServerEntry(BaseModel):
    """One MCP server. Either ``command`` (stdio) or ``url`` (HTTP).

    ``files`` says how file arguments reach its tools (None: path for stdio, url for HTTP). Paths are absolute once the
    file is read; ``cwd`` of the file is relative to the file.
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
    files: Literal["path", "url"] | None = None
    strict_files: bool = False
    memory_mb: int = Field(default=1024, ge=128, le=10240)
    requirements: str | None = None
    network: bool = True
    read_paths: list[str] = []
    enabled: bool = True
    collect: Literal["all", "declared"] = "all"

    @model_validator(mode="after")
    def _one_way_in(self) -> "ServerEntry":
        if (self.command is None) == (self.url is None):
            raise ValueError("give either 'command' (stdio) or 'url' (HTTP), not both and not neither")
        return self

    @property
    def files_by(self) -> Literal["path", "url"]:
        """Return how file arguments reach the tools of this server."""
        return self.files or ("path" if self.command else "url")

    def config_hash(self) -> str:
        """Return a hash of what decides which tools the server has; a kept tool list is good for one hash."""
        decides = self.model_dump_json(include={"command", "cwd", "env", "url", "transport"})
        return hashlib.sha256(decides.encode()).hexdigest()[:16]


class Registry(BaseModel):
    """All servers that are configured and enabled, by name."""

    servers: dict[ServerName, ServerEntry]

    def open_to(self, groups: list[str] | frozenset[str]) -> dict[ServerName, ServerEntry]:
        """Return the servers that somebody in these groups may use; no groups on a server means everybody."""
        mine = set(groups)
        return {name: entry for name, entry in self.servers.items() if not entry.groups or mine & set(entry.groups)}

    def split(self, tool: str) -> tuple[ServerName, str] | None:
        """Find server and tool of a full name by the table of servers (a server's own name may hold dots)."""
        for name in sorted(self.servers, key=len, reverse=True):
            if tool.startswith(f"{name}."):
                return name, tool[len(name) + 1 :]
        return None

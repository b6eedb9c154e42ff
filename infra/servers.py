"""The entries of mcp.json, as far as they decide what is deployed: who runs each server, and with which secrets."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints, TypeAdapter

from infra.limits import LONGEST_TOOL_SECONDS

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$")]
"""A server's name is the end of its function's name, so it is made of what Lambda allows there."""

DEFAULT_MEMORY_MB = 1024

_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Server(BaseModel):
    """One entry. Every other key is the runner's business; a server with a ``url`` needs no function of its own."""

    command: list[str] | None = None
    url: str = ""
    env: dict[str, str] = {}
    auth_token: str = ""
    memory_mb: int = Field(default=DEFAULT_MEMORY_MB, ge=128, le=10240)
    max_seconds: float | None = Field(default=None, gt=0, le=LONGEST_TOOL_SECONDS)
    enabled: bool = True

    @property
    def kind(self) -> Literal["stdio", "remote"]:
        """Tell whether the server is a program that Satchel has to start, or somewhere else."""
        return "remote" if self.command is None else "stdio"

    @property
    def variables(self) -> set[str]:
        """Return the names that are to be filled in by its runner (``${NAME}``)."""
        return set(_VARIABLE.findall(" ".join([self.url, self.auth_token, *self.env.values()])))


_ENTRIES = TypeAdapter(dict[ServerName, Server])


def enabled_servers(config: Path) -> Mapping[str, Server]:
    """Return the servers by name, sorted: their order is that of the template.

    Raises ValidationError when a name cannot be part of a function's name or an entry is malformed.
    """
    entries = _ENTRIES.validate_python(json.loads(config.read_text(encoding="utf-8")))
    return {name: entries[name] for name in sorted(entries) if entries[name].enabled}


def stdio_servers(config: Path) -> dict[str, Server]:
    """Return the servers that run in functions of their own."""
    return {name: server for name, server in enabled_servers(config).items() if server.kind == "stdio"}


def remote_servers(config: Path) -> dict[str, Server]:
    """Return the servers that are somewhere else; they share a function, in which nothing of them runs."""
    return {name: server for name, server in enabled_servers(config).items() if server.kind == "remote"}

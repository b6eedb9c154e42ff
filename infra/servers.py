"""The entries of mcp.json, as far as they decide what is deployed: one runner function a stdio server."""

import json
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints, TypeAdapter

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$")]
"""A server's name is the end of its function's name, so it is made of what Lambda allows there."""

DEFAULT_MEMORY_MB = 1024


class Server(BaseModel):
    """One entry. Every other key is the runner's business; a server with a ``url`` needs no function of its own."""

    command: list[str] | None = None
    memory_mb: int = Field(default=DEFAULT_MEMORY_MB, ge=128, le=10240)
    enabled: bool = True

    @property
    def needs_runner(self) -> bool:
        """Tell whether the server is a program that Satchel has to start."""
        return self.enabled and self.command is not None


_ENTRIES = TypeAdapter(dict[ServerName, Server])


def stdio_servers(config: Path) -> dict[str, Server]:
    """Return the servers that run in functions of their own, by name, sorted: their order is that of the template.

    Raises ValidationError when a name cannot be part of a function's name or an entry is malformed.
    """
    entries = _ENTRIES.validate_python(json.loads(config.read_text(encoding="utf-8")))
    return {name: entries[name] for name in sorted(entries) if entries[name].needs_runner}

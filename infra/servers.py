"""The entries of mcp.json, as far as they decide what is deployed: who runs a server, with which code and secrets."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, TypeAdapter

from infra.limits import LONGEST_TOOL_SECONDS

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$")]
"""A server's name is the end of its function's name, so it is made of what Lambda allows there."""

DEFAULT_MEMORY_MB = 1024

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_ALONE = re.compile(r"-[a-zA-Z]*[IES]")


class UndeployableError(ValueError):
    """Servers that would not work in the cloud, or not as their entries say. The message names each with its reason."""


class Server(BaseModel):
    """One entry. Every other key is the runner's business; a server with a ``url`` needs no function of its own."""

    command: list[str] | None = Field(default=None, min_length=1)
    cwd: str = "."
    url: str = ""
    env: dict[str, str] = {}
    auth_token: str = ""
    requirements: str | None = None
    read_paths: list[str] = []
    network: bool = True
    memory_mb: int = Field(default=DEFAULT_MEMORY_MB, ge=128, le=10240)
    max_seconds: float | None = Field(default=None, gt=0, le=LONGEST_TOOL_SECONDS)
    enabled: bool = True
    deploy: bool = True

    @property
    def kind(self) -> Literal["stdio", "remote"]:
        """Tell whether the server is a program that Satchel has to start, or somewhere else."""
        return "remote" if self.command is None else "stdio"

    @property
    def variables(self) -> set[str]:
        """Return the names that are to be filled in by its runner (``${NAME}``)."""
        return set(_VARIABLE.findall(" ".join([self.url, self.auth_token, *self.env.values()])))

    @property
    def paths(self) -> tuple[str, ...]:
        """Return what goes with it of the folder of mcp.json: its own folder, and what else is there to read."""
        if self.command is None:
            return ()
        return tuple(sorted({str(PurePosixPath(path)) for path in (self.cwd, *self.read_paths) if _is_within(path)}))

    def problems(self, root: Path) -> Iterator[str]:
        """Yield why a Python function cannot run it."""
        if self.command is None:
            return
        program, *words = self.command
        if not _PYTHON.fullmatch(program):
            yield f"the command {program!r} is none that a Python function can start: only 'python' is"
        elif found := next(filter(_ALONE.fullmatch, takewhile(lambda word: word.startswith("-"), words)), None):
            yield f"with {found} Python does not look where the server's packages are"
        if not self.network:
            yield "'network: false' cannot be enforced: Lambda's kernel has no Landlock"
        if not _is_within(self.cwd):
            yield f"cwd {self.cwd!r} is outside the folder of mcp.json, which is what is deployed"
        elif not (root / self.cwd).is_dir():
            yield f"there is no directory {self.cwd!r} beside mcp.json"
        for path in self.read_paths:
            if not PurePosixPath(path).is_absolute() and not _is_within(path):
                yield f"read_paths: {path!r} is outside the folder of mcp.json, which is what is deployed"
        if self.requirements is not None and not (root / self.requirements).is_file():
            yield f"there is no file {self.requirements!r} beside mcp.json"


_ENTRIES = TypeAdapter(dict[ServerName, Server])


class Servers:
    """What an mcp.json deploys: the entries that are enabled and not kept from it (``deploy: false``), sorted by name.

    Raises ValidationError when a name cannot be part of a function's name or an entry is malformed, and
    UndeployableError for all that could not run.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        raw: dict[str, Any] = json.loads((root / "mcp.json").read_text(encoding="utf-8"))
        read = _ENTRIES.validate_python(raw)
        self.all: Mapping[str, Server] = {
            name: read[name] for name in sorted(read) if read[name].enabled and read[name].deploy
        }
        self.entries: Mapping[str, Mapping[str, Any]] = {name: _deployed(raw[name]) for name in self.all}
        problems = [f"{name}: {why}" for name, server in self.all.items() for why in server.problems(root)]
        if problems:
            listed = "\n  ".join(problems)
            raise UndeployableError(
                f'{root / "mcp.json"} has servers that cannot be deployed ("deploy": false leaves one out):\n  {listed}'
            )

    @cached_property
    def stdio(self) -> Mapping[str, Server]:
        """Return the servers that run in functions of their own."""
        return {name: server for name, server in self.all.items() if server.kind == "stdio"}

    @cached_property
    def remote(self) -> Mapping[str, Server]:
        """Return the servers that are somewhere else; they share a function, in which nothing of them runs."""
        return {name: server for name, server in self.all.items() if server.kind == "remote"}


def _deployed(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What the entry says of how it is deployed is done then, and other functions need not know it."""
    return {key: value for key, value in entry.items() if key not in {"deploy", "enabled", "requirements"}}


def _is_within(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts

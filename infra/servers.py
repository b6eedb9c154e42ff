"""Read mcp.json for a deployment: the function, files and secrets that each MCP server needs."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints, TypeAdapter

from infra.limits import TOOL_MAX_SECONDS

ServerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$")]
"""A server's name. It is part of a Lambda function's name, so only characters that Lambda allows are valid."""

DEFAULT_MEMORY_MB = 1024

_LAYOUT = ("config", "overrides")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_ISOLATING_OPTION = re.compile(r"-[a-zA-Z]*[IES]")


class UndeployableError(ValueError):
    """Lambda cannot run some servers in the way their mcp.json entries require. The message has a line per reason."""


class Server(BaseModel):
    """The keys of an mcp.json entry that a deployment reads. Each server with a ``command`` gets its own function."""

    command: list[str] | None = Field(default=None, min_length=1)
    cwd: str = "."
    url: str = ""
    env: dict[str, str] = {}
    auth_token: str = ""
    requirements: str | None = None
    read_paths: list[str] = []
    network: bool = True
    memory_mb: int = Field(default=DEFAULT_MEMORY_MB, ge=128, le=10240)
    max_seconds: float | None = Field(default=None, gt=0, le=TOOL_MAX_SECONDS)
    enabled: bool = True
    deploy: bool = True

    @property
    def kind(self) -> Literal["stdio", "remote"]:
        """Return ``stdio`` for a program that the runner starts, ``remote`` for a server behind a URL."""
        return "remote" if self.command is None else "stdio"

    @property
    def variables(self) -> set[str]:
        """Return the names of the entry's placeholders (``${NAME}``), which the runner replaces with secrets."""
        return set(_VARIABLE.findall(" ".join([self.url, self.auth_token, *self.env.values()])))

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths to deploy with the server (``cwd``, ``read_paths``), relative to the deployed folder."""
        if self.command is None:
            return ()
        return tuple(sorted({str(PurePosixPath(path)) for path in (self.cwd, *self.read_paths) if _is_within(path)}))

    def problems(self, root: Path) -> Iterator[str]:
        """Yield a sentence for each reason why a Lambda function for Python cannot run the server."""
        if self.command is None:
            return
        program, *arguments = self.command
        if not _PYTHON.fullmatch(program):
            yield f"a Python function cannot start the command {program!r}, only 'python'"
        elif option := _isolating_option(arguments):
            yield f"with {option}, Python does not find the server's packages"
        if not self.network:
            yield "'network: false' cannot be enforced, because Lambda's kernel has no Landlock"
        if not _is_within(self.cwd):
            yield f"cwd {self.cwd!r} is outside {root}; only that folder is deployed"
        elif not (root / self.cwd).is_dir():
            yield f"{root} has no directory {self.cwd!r}"
        for path in self.read_paths:
            if not PurePosixPath(path).is_absolute() and not _is_within(path):
                yield f"read_paths: {path!r} is outside {root}; only that folder is deployed"
        if self.requirements is not None and not (root / self.requirements).is_file():
            yield f"{root} has no file {self.requirements!r}"


_ENTRIES = TypeAdapter(dict[ServerName, Server])


class Servers:
    """The servers to deploy: all in ``folder/mcp.json`` that are enabled and not ``deploy: false``, sorted by name.

    Paths in the entries are relative to ``root``: the project's folder if ``folder`` is its ``config/overrides``,
    otherwise ``folder`` itself. ``satchel.adapters.server_config`` has the same rule.

    The constructor raises ValidationError if an entry is malformed or its name cannot be part of a function's name, and
    UndeployableError with all reasons if servers cannot run on Lambda.
    """

    def __init__(self, folder: Path) -> None:
        self.root = _project_folder(folder)
        config = folder / "mcp.json"
        raw: dict[str, Any] = json.loads(config.read_text(encoding="utf-8"))
        parsed = _ENTRIES.validate_python(raw)
        self.all: Mapping[str, Server] = {
            name: parsed[name] for name in sorted(parsed) if parsed[name].enabled and parsed[name].deploy
        }
        self.entries: Mapping[str, Mapping[str, Any]] = {name: _runtime_entry(raw[name]) for name in self.all}
        problems = [f"{name}: {reason}" for name, server in self.all.items() for reason in server.problems(self.root)]
        if problems:
            lines = "\n  ".join(problems)
            raise UndeployableError(
                f'{config} has servers that cannot be deployed ("deploy": false excludes one):\n  {lines}'
            )

    @cached_property
    def stdio(self) -> Mapping[str, Server]:
        """Return the servers that are local programs, by name. Each runs in its own Lambda function."""
        return {name: server for name, server in self.all.items() if server.kind == "stdio"}

    @cached_property
    def remote(self) -> Mapping[str, Server]:
        """Return the servers behind a URL, by name. One Lambda function calls all of them."""
        return {name: server for name, server in self.all.items() if server.kind == "remote"}


def _project_folder(folder: Path) -> Path:
    absolute = folder.absolute()
    return absolute.parents[1] if absolute.parts[-2:] == _LAYOUT else folder


def _runtime_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an mcp.json entry without the keys that the runner does not need."""
    return {key: value for key, value in entry.items() if key not in {"deploy", "enabled", "requirements"}}


def _isolating_option(arguments: Sequence[str]) -> str | None:
    options = takewhile(lambda argument: argument.startswith("-"), arguments)
    return next(filter(_ISOLATING_OPTION.fullmatch, options), None)


def _is_within(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts

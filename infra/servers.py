"""Read mcp.json for a deployment: the function, files and secrets that each MCP server needs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from infra.commands import LOCK_NAME, PACKAGE_RUNNERS, CommandError, Language, NodeLock, deployed_command, language_of
from infra.limits import MEMORY_MB, TOOL_MAX_SECONDS
from infra.vpc import Vpc
from mcp_config import Config, ConfigFileError, base_folder, placeholder_names, read_config, required_names

DEFAULT_MEMORY_MB = MEMORY_MB["run_tool"]

_FUNCTION_NAME = re.compile(r"[A-Za-z0-9_-]+")
"""Matches a server's name that can be part of a Lambda function's name."""

_DEPLOYMENT_KEYS = frozenset({"deploy", "enabled", "requirements", "vpc"})
_RUNTIME_FOLDER = "/opt/servers"
_ISOLATING_OPTION = re.compile(r"-[a-zA-Z]*[IES]")


class UndeployableError(ValueError):
    """Lambda cannot run some servers in the way their mcp.json entries require. The message has a line per reason."""


class Server(BaseModel):
    """The keys of an mcp.json entry that a deployment reads. Each server with a ``command`` gets its own function."""

    command: list[str] | None = Field(default=None, min_length=1)
    cwd: str = "."
    url: str = ""
    env: dict[str, str] = {}
    headers: dict[str, str] = {}
    auth_token: str = ""
    requirements: str | None = None
    read_paths: list[str] = []
    network: bool = True
    writes: bool | Literal["keep"] = False
    vpc: Vpc | Literal[False] | None = None
    memory_mb: int = Field(default=DEFAULT_MEMORY_MB, ge=128, le=10240)
    max_seconds: float | None = Field(default=None, gt=0, le=TOOL_MAX_SECONDS)
    enabled: bool = True
    deploy: bool | Literal["with_network"] = True

    @property
    def kind(self) -> Literal["stdio", "remote"]:
        """Return ``stdio`` for a program that the runner starts, ``remote`` for a server behind a URL."""
        return "remote" if self.command is None else "stdio"

    @property
    def language(self) -> Language:
        """Return the language of a server that is a program."""
        return language_of(self.command or [""])

    def lock(self, root: Path) -> Path | None:
        """Return the file that pins the server's packages, or None if the entry names none."""
        return None if self.requirements is None else root / self.requirements

    @property
    def variables(self) -> set[str]:
        """Return the names of the entry's placeholders (``${NAME}``), which the runner replaces with secrets."""
        return placeholder_names(self._texts)

    @property
    def required_variables(self) -> set[str]:
        """Return the names of the placeholders without a default, whose secrets must exist."""
        return required_names(self._texts)

    @property
    def _texts(self) -> str:
        tables = (*self.env.values(), *self.headers.values(), *(self.command or []))
        return " ".join([self.url, self.auth_token, *tables])

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths to deploy with the server (``cwd``, ``read_paths``), relative to the deployed folder.

        The program of ``npx`` and ``uvx`` is in a layer with packages, so such a server has no files by default.
        """
        if self.command is None:
            return ()
        has_files = "cwd" in self.model_fields_set or self.command[0] not in PACKAGE_RUNNERS
        paths = [*([self.cwd] if has_files else []), *self.read_paths]
        return tuple(sorted({str(PurePosixPath(path)) for path in paths if _is_within(path)}))

    def problems(self, root: Path) -> Iterator[str]:
        """Yield a sentence for each reason why a Lambda function cannot run the server."""
        if self.command is None:
            if self.vpc is not None:
                yield "servers behind a URL share a function, which the settings connect to a VPC"
            return
        yield from self._command_problems(root)
        if not self.network and self.deploy != "with_network":
            yield (
                "'network: false' cannot be enforced, because Lambda's kernel has no Landlock"
                ' ("deploy": "with_network" accepts that)'
            )
        if self.writes == "keep":
            yield (
                "'writes: keep' is not possible, because functions share no folder; write true, whose files last until"
                " the user calls a tool from another session"
            )
        if not _is_within(self.cwd):
            yield f"cwd {self.cwd!r} is outside {root}; only that folder is deployed"
        elif not (root / self.cwd).is_dir():
            yield f"{root} has no directory {self.cwd!r}"
        for path in self.read_paths:
            if not PurePosixPath(path).is_absolute() and not _is_within(path):
                yield f"read_paths: {path!r} is outside {root}; only that folder is deployed"

    def _command_problems(self, root: Path) -> Iterator[str]:
        lock = self.lock(root)
        if lock is not None and not lock.is_file():
            yield f"{root} has no file {self.requirements!r}"
            return
        program, *arguments = self.command or [""]
        try:
            if self.language == "node" and lock is not None:
                NodeLock(lock).packages  # noqa: B018  (raises if the lock is not complete)
            deployed_command([program, *arguments], lock)
        except CommandError as error:
            yield str(error)
            return
        if self.language == "node" and lock is None and (root / self.cwd / "node_modules").is_dir():
            yield f"node_modules is not deployed: name the {LOCK_NAME} of {self.cwd!r} in 'requirements'"
        if program.startswith("python") and (option := _isolating_option(arguments)):
            yield f"with {option}, Python does not find the server's packages"


class Servers:
    """The servers to deploy: all in ``folder/mcp.json`` that are enabled and not ``deploy: false``, sorted by name.

    Paths in the entries are relative to ``root``: the project's folder if ``folder`` is its ``config/overrides``,
    otherwise ``folder`` itself. ``warnings`` are about keys without effect.

    The constructor raises UndeployableError with all reasons if mcp.json is invalid or servers cannot run on Lambda.
    """

    def __init__(self, folder: Path) -> None:
        try:
            config = read_config(folder / "mcp.json", _RUNTIME_FOLDER)
        except ConfigFileError as error:
            raise UndeployableError(str(error)) from error
        self.root = base_folder(folder / "mcp.json")
        self.warnings: Sequence[str] = config.warnings
        self.all: Mapping[str, Server] = {}
        problems: list[str] = []
        for name in sorted(config.entries):
            if config.entries[name].get("deploy") is False:
                continue
            server, found = _parse(name, config, self.root)
            problems += [f"{name}: {problem}" for problem in found]
            if server is not None:
                self.all = {**self.all, name: server}
        if problems:
            lines = "\n  ".join(problems)
            raise UndeployableError(
                f'{folder / "mcp.json"} has servers that cannot be deployed ("deploy": false excludes one):\n  {lines}'
            )
        self.entries: Mapping[str, Mapping[str, Any]] = {
            name: _runtime_entry(config.entries[name], server, self.root) for name, server in self.all.items()
        }

    @cached_property
    def stdio(self) -> Mapping[str, Server]:
        """Return the servers that are local programs, by name. Each runs in its own Lambda function."""
        return {name: server for name, server in self.all.items() if server.kind == "stdio"}

    @cached_property
    def remote(self) -> Mapping[str, Server]:
        """Return the servers behind a URL, by name. One Lambda function calls all of them."""
        return {name: server for name, server in self.all.items() if server.kind == "remote"}


def _parse(name: str, config: Config, root: Path) -> tuple[Server | None, list[str]]:
    """Return the server, or None if its entry is invalid, and all reasons why it cannot be deployed."""
    problems = list(config.problems.get(name, ()))
    if not _FUNCTION_NAME.fullmatch(name):
        problems.append("the name of a deployed server has only letters, digits, - and _")
    try:
        server = Server.model_validate(config.entries[name])
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False)  # the values may be secret
        return None, [*problems, *(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in found)]
    return server, problems or list(server.problems(root))


def _runtime_entry(entry: Mapping[str, Any], server: Server, root: Path) -> dict[str, Any]:
    """Return an mcp.json entry with the function's command, and without the keys that the runner does not need."""
    command = {} if server.command is None else {"command": deployed_command(server.command, server.lock(root))}
    return {key: value for key, value in entry.items() if key not in _DEPLOYMENT_KEYS} | command


def _isolating_option(arguments: Sequence[str]) -> str | None:
    options = takewhile(lambda argument: argument.startswith("-"), arguments)
    return next(filter(_ISOLATING_OPTION.fullmatch, options), None)


def _is_within(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts

"""Calling a tool as a runner does, in a corner made for this one call, and looking at what it returns."""

import os
import secrets
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from local.lint.check import lint_output
from local.lint.findings import Finding
from local.lint.listening import listen
from local.lint.subject import Run
from satchel.adapters.clearing import remove_tree
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.json_schema import JsonSchemaChecker
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.system_clock import SystemClock
from satchel.bootstrap.isolation import isolation
from satchel.contract.errors import InvalidArguments, ToolError, UnknownTool
from satchel.domain import arguments as args
from satchel.domain.conversation import ToolSpec
from satchel.domain.ids import UserName
from satchel.domain.places import tool_directory
from satchel.domain.servers import ServerEntry
from satchel.domain.timing import Limits
from satchel.ports.tool_client import ToolClient

_SERVER = "lint"
_USER_NAME: TypeAdapter[str] = TypeAdapter(UserName)
_LIMITS = Limits()


class CannotLintError(Exception):
    """The tool could not be called at all; the message is one sentence for a person."""


@dataclass(frozen=True)
class ToolCall:
    """What to call: the ``server`` as a command line, run in ``cwd``; ``arguments`` are a JSON object, as text.

    Without ``user`` a name is made up, for which there is no directory yet.
    """

    server: str
    tool: str
    arguments: str = "{}"
    user: str | None = None
    cwd: Path | None = None


def lint_call(call: ToolCall, limits: Limits = _LIMITS) -> list[Finding]:
    """Call the tool and look at its output. Raises CannotLintError."""
    loop = EventLoop()
    try:
        with closing(McpToolClient(_SERVER, _entry(call), loop, os.environ, isolation=isolation())) as client:
            return _lint(client, call, limits)
    except ToolError as error:
        advice = error.details.get("suggestion") if isinstance(error, UnknownTool) else None
        raise CannotLintError(f"{error.message}. {advice or ''}".rstrip()) from error
    finally:
        loop.close()


def _lint(client: ToolClient, call: ToolCall, limits: Limits) -> list[Finding]:
    spec = _spec(client, call.tool)
    user = _user(call.user)
    arguments = _arguments(spec, call.arguments, user)
    with _corner(user) as home:
        with client.call(spec.name, arguments, home, writes=spec.declares("username")) as running:
            heard = listen(running, SystemClock(), limits)
        if heard.fault:
            return [heard.fault]
        run = Run(user=user, home=home, silent_seconds=heard.silent_seconds)
        return lint_output(heard.raw, run, spec.output_schema)


def _entry(call: ToolCall) -> ServerEntry:
    """Read the command line as mcp.json would have it: a program with a slash in it is relative to ``cwd``."""
    cwd = (call.cwd or Path()).absolute()
    first, *rest = _words(call.server)
    if not cwd.is_dir():
        raise CannotLintError(f"{cwd} is not a directory.")
    command = [str(cwd / first) if "/" in first else first, *rest]
    return ServerEntry(command=command, cwd=str(cwd), read_paths=_named_files(call.arguments))


def _named_files(arguments: str) -> list[str]:
    """The author's own files stand for those that a person uploads: the tool may read those that it is given."""
    given = args.parse(arguments).values()
    named = [word for value in given for word in (value if isinstance(value, list) else [value])]
    return [os.path.realpath(word) for word in named if isinstance(word, str) and word.startswith("/")]


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CannotLintError(f"The server {command!r} is not a command line: {error}.") from error
    if not words:
        raise CannotLintError("The server '' is not a command line: it is empty.")
    return words


def _spec(client: ToolClient, tool: str) -> ToolSpec:
    specs = {spec.name: spec for spec in client.list_tools()}
    if tool not in specs:
        raise UnknownTool(tool, nearest=args.nearest(tool, specs) or list(specs)[:3])
    return specs[tool]


def _user(name: str | None) -> str:
    try:
        return _USER_NAME.validate_python(name or f"lint-{secrets.token_hex(4)}")
    except ValidationError as error:
        raise CannotLintError(f"{name!r} cannot be a user's name.") from error


def _arguments(spec: ToolSpec, text: str, user: str) -> dict[str, Any]:
    arguments = args.inject_identity(spec, args.parse(text), user)
    if problems := JsonSchemaChecker().problems(spec.input_schema, arguments):
        raise InvalidArguments(problems)
    return arguments


@contextmanager
def _corner(user: str) -> Iterator[Path]:
    """Make the directory that the tool may write, and remove it. One that is there is somebody's: it is left alone."""
    home = Path(tool_directory(user))
    try:
        home.mkdir(mode=0o700)
    except OSError as error:
        raise CannotLintError(f"{home} cannot be made ({error.strerror}); name another user.") from error
    try:
        yield home
    finally:
        remove_tree(home)

"""Call a tool as Satchel's runner (which executes tools) does, in a new user directory, and check the tool's output."""

import os
import secrets
import shlex
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from local.lint.apps import check_app
from local.lint.findings import Clause, Finding, quoted
from local.lint.linter import lint_output, no_output
from local.lint.tool_output import CallContext
from satchel.adapters.event_loop import EventLoop
from satchel.adapters.json_schema import JsonSchemaChecker
from satchel.adapters.mcp.client import McpToolClient
from satchel.adapters.system_clock import SystemClock
from satchel.adapters.tree_removal import remove_tree
from satchel.bootstrap.process import isolation
from satchel.contract.errors import InvalidArguments, ToolError, UnknownTool, advise
from satchel.domain import arguments as args
from satchel.domain.conversation import ToolSpec
from satchel.domain.ids import UserName
from satchel.domain.object_keys import tool_directory
from satchel.domain.servers import ServerEntry
from satchel.domain.timing import Limits, SilenceTimer, TimeLimitReached
from satchel.ports.system import Clock
from satchel.ports.tool_client import (
    AppAnswer,
    AppRequest,
    BlockedAccess,
    CallFailure,
    RunningCall,
    ToolClient,
    ToolResult,
)

TIMEOUT = Clause("v2.1:time:timeout", "3 §11.3")
GUARDED = Clause("v2.1:isolation:guarded", "3 §9.1")

_SERVER = "lint"
_USER_NAME: TypeAdapter[UserName] = TypeAdapter(UserName)
_LIMITS = Limits()


class CannotLintError(Exception):
    """The tool could not be called. The message is one sentence for the user."""


@dataclass(frozen=True)
class ToolCall:
    """A tool call as the user typed it. ``server`` is a command line to run in ``cwd``; ``arguments`` is JSON text.

    If ``user`` is None, the call uses a random user name that has no directory yet.
    """

    server: str
    tool: str
    arguments: str = "{}"
    user: str | None = None
    cwd: Path | None = None


@dataclass(frozen=True)
class CallOutcome:
    """A finished tool call: its raw result (or a finding if there is none), and the longest time without a message.

    ``blocked`` are the file accesses that the sandbox blocked. ``app`` is the app of the tool, if it has one.
    """

    raw: dict[str, Any] | None
    finding: Finding | None
    silent_seconds: float
    blocked: tuple[BlockedAccess, ...] = ()
    app: AppAnswer | None = None


def lint_call(call: ToolCall, limits: Limits = _LIMITS) -> list[Finding]:
    """Call the tool and return the findings for its output. Raise CannotLintError if the tool cannot be called."""
    loop = EventLoop()
    try:
        with closing(McpToolClient(_SERVER, _server_entry(call), loop, os.environ, isolation=isolation())) as client:
            return _lint(client, call, limits)
    except ToolError as error:
        advice = error.details.get("suggestion") if isinstance(error, UnknownTool) else None
        raise CannotLintError(f"{error.message}. {advice or ''}".rstrip()) from error
    finally:
        loop.close()


def wait_for_outcome(running: RunningCall, clock: Clock, limits: Limits) -> CallOutcome:
    """Wait until the tool call ends. Kill the call when it exceeds a time limit (clause v2.1:time:timeout)."""
    last_signal = clock.monotonic()
    silence = SilenceTimer(limits, last_signal)
    longest = 0.0
    blocked: tuple[BlockedAccess, ...] = ()
    while True:
        now = clock.monotonic()
        due = silence.check(now)
        if isinstance(due, TimeLimitReached):
            running.kill()
            return CallOutcome(None, _timed_out(due), max(longest, now - last_signal), blocked)
        signal = None if due else running.receive(max(0.0, silence.next_deadline() - now))
        if signal is None:
            continue
        now = clock.monotonic()
        longest, last_signal = max(longest, now - last_signal), now
        silence.reset(now)
        if isinstance(signal, BlockedAccess):
            blocked += (signal,)
        if isinstance(signal, ToolResult):
            return CallOutcome(signal.raw, None, longest, blocked, signal.app)
        if isinstance(signal, CallFailure):
            finding = no_output(f"The tool returned no output: {signal.message.rstrip('.')}.")
            return CallOutcome(None, finding, longest, blocked)


def _timed_out(due: TimeLimitReached) -> Finding:
    verb = "was silent for" if due.kind == "silence" else "ran for"
    message = f"The tool {verb} {due.seconds:g} seconds and was stopped."
    return TIMEOUT.error("$", message, "Report progress regularly, and do less in one call.")


def _lint(client: ToolClient, call: ToolCall, limits: Limits) -> list[Finding]:
    spec = _tool_spec(client, call.tool)
    user = _user_name(call.user)
    arguments = _arguments(spec, call.arguments, user)
    with _user_directory(user) as home:
        may_write = spec.declares("username")
        app = AppRequest(spec.app_uri) if spec.app_uri else None
        with client.call(spec.name, arguments, home, writes=may_write, app=app) as running:
            outcome = wait_for_outcome(running, SystemClock(), limits)
        refused = [_refused(access, may_write=may_write) for access in outcome.blocked]
        if outcome.finding:
            return [*refused, outcome.finding]
        context = CallContext(user=user, home=home, silent_seconds=outcome.silent_seconds)
        app_findings = check_app(spec, outcome.app) if outcome.app else []
        return [*refused, *app_findings, *lint_output(outcome.raw, context, spec.output_schema)]


def _refused(access: BlockedAccess, *, may_write: bool) -> Finding:
    kind = {"read": "a read of", "write": "a write to", None: "an access to"}[access.operation]
    message = f"The sandbox blocked {kind} {quoted(access.path, 300)}."
    return GUARDED.error("$", message, f"{advise(access.operation, may_write=may_write)}.")


def _server_entry(call: ToolCall) -> ServerEntry:
    """Return the server's entry as mcp.json would contain it. A program path with a slash is relative to ``cwd``."""
    cwd = (call.cwd or Path()).absolute()
    program, *rest = _split(call.server)
    if not cwd.is_dir():
        raise CannotLintError(f"{cwd} is not a directory.")
    command = [str(cwd / program) if "/" in program else program, *rest]
    return ServerEntry(command=command, cwd=str(cwd), read_paths=_local_files(call.arguments))


def _local_files(arguments: str) -> list[str]:
    """Return the absolute paths in the arguments. The tool may read these local files as if a user uploaded them."""
    values = _with_absolute_paths(args.parse(arguments)).values()
    items = [item for value in values for item in (value if isinstance(value, list) else [value])]
    return [os.path.realpath(item) for item in items if isinstance(item, str) and item.startswith("/")]


def _with_absolute_paths(arguments: dict[str, Any]) -> dict[str, Any]:
    """Make paths of existing files absolute, because the server runs in another directory than this command."""
    return {name: _map_texts(value, _absolute_file) for name, value in arguments.items()}


def _map_texts(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, list):
        return [change(item) if isinstance(item, str) else item for item in value]
    return change(value) if isinstance(value, str) else value


def _absolute_file(text: str) -> str:
    return os.path.realpath(text) if text and os.path.isfile(text) else text  # noqa: PTH113  (any text, also a long one)


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise CannotLintError(f"The server {command!r} is not a command line: {error}.") from error
    if not words:
        raise CannotLintError("The server '' is not a command line: it is empty.")
    return words


def _tool_spec(client: ToolClient, tool: str) -> ToolSpec:
    specs = {spec.name: spec for spec in client.list_tools()}
    if tool not in specs:
        raise UnknownTool(tool, nearest=args.find_similar_names(tool, specs) or list(specs)[:3])
    return specs[tool]


def _user_name(name: str | None) -> UserName:
    try:
        return _USER_NAME.validate_python(name or f"lint-{secrets.token_hex(4)}")
    except ValidationError as error:
        raise CannotLintError(f"{name!r} is not a valid user name.") from error


def _arguments(spec: ToolSpec, text: str, user: UserName) -> dict[str, Any]:
    arguments = args.inject_identity(spec, _with_absolute_paths(args.parse(text)), user)
    if problems := JsonSchemaChecker().find_problems(spec.input_schema, arguments):
        raise InvalidArguments(problems)
    return arguments


@contextmanager
def _user_directory(user: UserName) -> Iterator[Path]:
    """Create the directory that the tool may write to, and remove it afterward.

    Raise CannotLintError if the directory exists, because an existing directory must not be removed.
    """
    home = Path(tool_directory(user))
    try:
        home.mkdir(mode=0o700)
    except OSError as error:
        raise CannotLintError(f"{home} cannot be created ({error.strerror}); use another user name.") from error
    try:
        yield home
    finally:
        remove_tree(home)

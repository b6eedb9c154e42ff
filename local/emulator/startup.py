"""Validate the configuration and all settings before the emulator starts, and report an error in one line."""

import ipaddress
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pydantic import ValidationError

from infra.limits import TOOL_MAX_SECONDS
from local import local_key
from local.emulator.settings import AccessSettings, MachineSettings, data_folder
from satchel.adapters.server_config import (
    ConfigError,
    describe_problems,
    environment_variables,
    resolve_variables,
)
from satchel.bootstrap.language_models import model_router
from satchel.bootstrap.process import registry, required_isolation, server_config
from satchel.domain.llm import ModelAccessDenied
from satchel.domain.servers import ServerEntry
from satchel.settings import (
    ApiSettings,
    ApprovalSettings,
    CanvasSettings,
    InputSettings,
    IsolationSettings,
    LimitSettings,
    ModelSettings,
    RefreshSettings,
    RunnerSettings,
    ServerSettings,
    SessionSettings,
    ThinkSettings,
    TimingSettings,
)

_SETTINGS = (
    ApiSettings,
    ApprovalSettings,
    CanvasSettings,
    InputSettings,
    IsolationSettings,
    LimitSettings,
    MachineSettings,
    RefreshSettings,
    RunnerSettings,
    SessionSettings,
    ThinkSettings,
)


class StartupError(Exception):
    """The configuration or a setting is invalid. The message is one line, for the user."""


def access_settings(host: str) -> AccessSettings:
    """Return the sign-in method and the public address for a server that listens on ``host``.

    Raise StartupError if they are invalid, do not suit the address, or there is no folder for the accounts.
    """
    with _as_startup_error():
        access = AccessSettings()
        if access.auth == "password" and data_folder() is None:
            raise StartupError("SATCHEL_AUTH=password: SATCHEL_DATA=memory has no folder for the accounts")
    if not ipaddress.ip_address(host).is_loopback and access.public_url is None:
        raise StartupError(f"SATCHEL_HOST={host}: set SATCHEL_PUBLIC_URL to the address that users open in a browser")
    return access


def take_local_key() -> str:
    """Return the key of the local API, from the environment or a new one.

    Remove the variable from the environment, so that no server's entry can refer to it and no child inherits it. Raise
    StartupError if the key can be guessed or cannot be sent in a header.
    """
    with _as_startup_error():
        key = MachineSettings().local_key or secrets.token_urlsafe(32)
    os.environ.pop(local_key.VARIABLE, None)
    return key


def load_servers() -> dict[str, ServerEntry]:
    """Validate the settings in this process's environment, and return the configured MCP servers by name.

    Raise StartupError if a setting is invalid, mcp.json has no table of servers, the model cannot be used, or this
    machine does not offer the required tool isolation. ``server_problems`` has the problems of single servers.
    """
    with _as_startup_error():
        servers = registry().servers
        for settings_class in _SETTINGS:
            settings_class()
        _check_tool_timeouts(servers)
        for each in ModelSettings().catalog.all:
            model_router().get(each.model)
        required_isolation()
    return servers


def server_problems() -> Iterator[str]:
    """Yield one line for each problem and each warning of a server's entry. The other servers work."""
    path = ServerSettings().mcp_config
    config = server_config()
    yield from describe_problems(path, config.registry)
    for server, entry in config.registry.servers.items():
        try:
            resolve_variables(path, server, entry, environment_variables(os.environ))
        except ConfigError as error:
            yield str(error)
    yield from config.warnings


def _check_tool_timeouts(servers: Mapping[str, ServerEntry]) -> None:
    """Raise StartupError if a tool's time limit exceeds the time that the state machine waits for the tool's runner."""
    limits = {"SATCHEL_TOOL_MAX_SECONDS": TimingSettings().tool_max_seconds} | {
        f"{ServerSettings().mcp_config}: server {name!r}: max_seconds": entry.max_seconds
        for name, entry in servers.items()
        if entry.max_seconds is not None
    }
    for name, seconds in limits.items():
        if seconds > TOOL_MAX_SECONDS:
            raise StartupError(f"{name}: the maximum is {TOOL_MAX_SECONDS} seconds")


@contextmanager
def _as_startup_error() -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        problems = [_problem(one["loc"], one["msg"]) for one in error.errors(include_url=False)]
        raise StartupError("; ".join(problems)) from error
    except ModelAccessDenied as error:
        raise StartupError(f"{error.provider_status}: the configured model requires it") from error
    except (ConfigError, ValueError) as error:
        raise StartupError(" ".join(str(error).split())) from error


def _problem(location: tuple[int | str, ...], message: str) -> str:
    """Return a line that names the setting. The message of a problem with several settings names them itself."""
    return f"SATCHEL_{str(location[0]).upper()}: {message}" if location else message.removeprefix("Value error, ")

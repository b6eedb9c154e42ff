"""Validate the configuration and all settings before the emulator starts, and report an error in one line."""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pydantic import ValidationError

from infra.limits import TOOL_MAX_SECONDS
from local import local_key
from local.emulator.settings import MachineSettings
from satchel.adapters.server_config import ConfigError, environment_variables, resolve_variables
from satchel.bootstrap.language_models import model_router
from satchel.bootstrap.process import registry, required_isolation
from satchel.domain.llm import ModelAccessDenied
from satchel.domain.servers import ServerEntry
from satchel.settings import (
    ApiSettings,
    ApprovalSettings,
    CanvasSettings,
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

    Raise StartupError if a setting or the configuration is invalid, a variable in a server's configuration is not set,
    the model cannot be used, or this machine does not offer the required tool isolation.
    """
    with _as_startup_error():
        servers = registry().servers
        for server, entry in servers.items():
            resolve_variables(ServerSettings().mcp_config, server, entry, environment_variables(os.environ))
        for settings_class in _SETTINGS:
            settings_class()
        _check_tool_timeouts(servers)
        for each in ModelSettings().catalog.all:
            model_router().get(each.model)
        required_isolation()
    return servers


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
        problems = [f"SATCHEL_{str(one['loc'][0]).upper()}: {one['msg']}" for one in error.errors(include_url=False)]
        raise StartupError("; ".join(problems)) from error
    except ModelAccessDenied as error:
        raise StartupError(f"{error.provider_status}: the configured model requires it") from error
    except (ConfigError, ValueError) as error:
        raise StartupError(" ".join(str(error).split())) from error

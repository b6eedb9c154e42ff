"""What a person has set is looked at before anything is put up, so that what is wrong is said in one line."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pydantic import ValidationError

from infra.limits import LONGEST_TOOL_SECONDS
from local.settings import MachineSettings
from satchel.adapters.server_config import ConfigError, filled, of_environment
from satchel.bootstrap.isolation import enough_isolation
from satchel.bootstrap.models import models
from satchel.bootstrap.servers import registry
from satchel.domain.model_errors import ModelAccessDenied
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

_LOOKED_AT = (
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


class CannotStartError(Exception):
    """The system cannot be put up as it is configured. The text is one line, for a person."""


def checked_servers() -> dict[str, ServerEntry]:
    """Return the servers of the configuration, whose variables are all set, when model and limits can be used, too.

    The settings are read from this process's environment. Raises CannotStartError.
    """
    with _told():
        servers = registry().servers
        for server, entry in servers.items():
            filled(ServerSettings().mcp_config, server, entry, of_environment(os.environ))
        for kind in _LOOKED_AT:
            kind()
        _check_times(servers)
        for each in ModelSettings().choice.all:
            models().ready(each.model)
        enough_isolation()
    return servers


def _check_times(servers: Mapping[str, ServerEntry]) -> None:
    """The machine would end a longer call as that of a dead runner."""
    asked = {"SATCHEL_TOOL_MAX_SECONDS": TimingSettings().tool_max_seconds} | {
        f"{ServerSettings().mcp_config}: server {name!r}: max_seconds": entry.max_seconds
        for name, entry in servers.items()
        if entry.max_seconds is not None
    }
    for where, seconds in asked.items():
        if seconds > LONGEST_TOOL_SECONDS:
            raise CannotStartError(f"{where}: a call may last {LONGEST_TOOL_SECONDS} seconds at most")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        problems = [f"SATCHEL_{str(one['loc'][0]).upper()}: {one['msg']}" for one in error.errors(include_url=False)]
        raise CannotStartError("; ".join(problems)) from error
    except ModelAccessDenied as error:
        raise CannotStartError(f"{error.said}: the model that is set cannot be asked without it") from error
    except (ConfigError, ValueError) as error:
        raise CannotStartError(" ".join(str(error).split())) from error

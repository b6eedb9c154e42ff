"""What a person has set is looked at before anything is put up, so that what is wrong is said in one line."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from satchel.adapters.server_config import ConfigError, read_registry
from satchel.bootstrap.servers import registry
from satchel.bootstrap.think import model
from satchel.domain.servers import ServerEntry
from satchel.settings import ApiSettings, CanvasSettings, LimitSettings, ModelSettings, ServerSettings, TimingSettings


class CannotStartError(Exception):
    """The system cannot be put up as it is configured. The text is one line, for a person."""


def checked_servers() -> dict[str, ServerEntry]:
    """Return the servers of the configuration, whose variables are all set, when model and limits can be used, too.

    The settings are read from this process's environment. Raises CannotStartError.
    """
    with _told():
        servers = registry().servers
        for server in servers:
            read_registry(ServerSettings().mcp_config, os.environ, own=server)
        for kind in (ApiSettings, CanvasSettings, LimitSettings, TimingSettings):
            kind()
        model(ModelSettings().model)
    return servers


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except ValidationError as error:
        problems = [f"SATCHEL_{str(one['loc'][0]).upper()}: {one['msg']}" for one in error.errors(include_url=False)]
        raise CannotStartError("; ".join(problems)) from error
    except (ConfigError, ValueError) as error:
        raise CannotStartError(" ".join(str(error).split())) from error

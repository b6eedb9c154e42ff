"""Where the servers run, for those who ask them for something."""

from functools import lru_cache

from satchel.adapters import clients
from satchel.adapters.lambda_runners import LambdaRunners
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.tools.refresh_tools import RefreshTools
from satchel.settings import RunnersSettings


@lru_cache
def runners() -> LambdaRunners:
    """Return the runners' functions."""
    settings = RunnersSettings()
    return LambdaRunners(
        clients.lambda_(), clients.lambda_waiting(), settings.runner_prefix, registry().remote, settings.remote_runner
    )


@lru_cache
def refresh_tools() -> RefreshTools:
    """Return what asks servers for their tools."""
    return RefreshTools(registry(), storage().tool_lists, runners(), CLOCK)

"""What the refresh function is made of."""

from datetime import timedelta
from functools import lru_cache

from satchel.bootstrap.runners import runners
from satchel.bootstrap.servers import registry
from satchel.bootstrap.storage import CLOCK, storage
from satchel.services.tools.refresh_tools import RefreshTools
from satchel.settings import RefreshSettings


@lru_cache
def build() -> RefreshTools:
    """Return the use case, wired."""
    kept_for = timedelta(seconds=RefreshSettings().tools_kept_seconds)
    return RefreshTools(registry(), storage().tool_lists, runners(), CLOCK, kept_for)

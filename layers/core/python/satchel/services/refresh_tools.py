"""Ask a server which tools it has, and keep the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from satchel.domain.conversation import ToolSpec
from satchel.domain.servers import Registry
from satchel.ports.catalog import ToolLists
from satchel.ports.runners import Runners


@dataclass(frozen=True)
class RefreshTools:
    """Fills the kept tool lists."""

    registry: Registry
    lists: ToolLists
    runners: Runners

    def __call__(self, server: str) -> Sequence[ToolSpec]:
        """Ask the server now. Raises Unavailable when it does not start."""
        tools = self.runners.list_tools(server)
        self.lists.put(server, self.registry.servers[server].config_hash(), tools)
        return tools

    def known(self, server: str) -> Sequence[ToolSpec]:
        """Return the kept list, or ask where there is none."""
        kept = self.lists.get(server, self.registry.servers[server].config_hash())
        return self(server) if kept is None else kept

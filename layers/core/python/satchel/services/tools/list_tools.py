"""Which tools a person may use, from the kept lists: nobody waits here for a cold server."""

from collections.abc import Collection
from dataclasses import dataclass

from pydantic import BaseModel

from satchel.domain.conversation import ToolSpec
from satchel.domain.own_tools import DESCRIPTION, OWN_TOOLS, SERVER
from satchel.domain.servers import Registry
from satchel.domain.tool_lists import KeptTools
from satchel.ports.catalog import ToolLists


class ServerTools(BaseModel):
    """A server as it is shown. ``tools`` is None while its list is not known; ``failure``: why it did not start."""

    name: str
    description: str
    tools: list[ToolSpec] | None
    failure: str | None = None


_OWN = ServerTools(name=SERVER, description=DESCRIPTION, tools=list(OWN_TOOLS.values()))


@dataclass(frozen=True)
class ListTools:
    """Reads the kept tool lists of the servers that are open to somebody."""

    registry: Registry
    lists: ToolLists

    def __call__(self, groups: Collection[str]) -> list[ServerTools]:
        """Return the servers for these groups with what is known of their tools; Satchel's own are everybody's."""
        servers = [
            self._shown(name, entry.description, self.lists.get(name, entry.config_hash()))
            for name, entry in self.registry.open_to(frozenset(groups)).items()
        ]
        return sorted([*servers, _OWN], key=lambda server: server.name)

    def tools(self, groups: Collection[str], only: Collection[str] | None = None) -> list[ToolSpec]:
        """Return the known tools, in a fixed order; ``only`` names servers or full tool names."""
        found = [tool for server in self(groups) for tool in server.tools or []]
        return [tool for tool in found if only is None or tool.full_name in only or tool.server in only]

    def names(self, groups: Collection[str]) -> set[str]:
        """Return what may be named to limit a turn: servers and full tool names."""
        servers = self(groups)
        return {s.name for s in servers} | {tool.full_name for s in servers for tool in s.tools or []}

    @staticmethod
    def _shown(name: str, description: str, kept: KeptTools | None) -> ServerTools:
        if kept is None:
            return ServerTools(name=name, description=description, tools=None)
        return ServerTools(name=name, description=description, tools=kept.tools, failure=kept.failure)

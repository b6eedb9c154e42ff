"""Read, refresh and invalidate the stored tool lists of the servers.

Requests read stored lists only, so they never wait for a cold server.
"""

import logging
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

from pydantic import BaseModel

from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.servers import Registry
from satchel.domain.tools import (
    BUILTIN_DESCRIPTION,
    BUILTIN_SERVER,
    BUILTIN_TOOLS,
    REFRESH_INTERVAL,
    StoredToolList,
    fresh_tool_list,
)
from satchel.ports.runners import Runners, ToolLists
from satchel.ports.system import Clock

logger = logging.getLogger(__name__)

_MAX_CONCURRENT = 8


class ServerTools(BaseModel):
    """A server with its tools. ``tools`` is None until a list is stored; ``failure``: why the server did not start."""

    name: str
    description: str
    tools: list[ToolSpec] | None
    failure: str | None = None


_BUILTIN = ServerTools(name=BUILTIN_SERVER, description=BUILTIN_DESCRIPTION, tools=list(BUILTIN_TOOLS.values()))


@dataclass(frozen=True)
class ListTools:
    """Read the stored tool lists of the servers that a user may call."""

    registry: Registry
    lists: ToolLists

    def __call__(self, groups: Collection[str]) -> list[ServerTools]:
        """Return the servers for these groups with their stored tools. All users may call the built-in tools."""
        servers = [
            self._server(name, entry.description, self.lists.get(name, entry.config_hash()))
            for name, entry in self.registry.visible_to(frozenset(groups)).items()
        ]
        return sorted([*servers, _BUILTIN], key=lambda server: server.name)

    def tools(self, groups: Collection[str], only: Collection[str] | None = None) -> list[ToolSpec]:
        """Return the stored tools in a fixed order. ``only`` contains names of servers or full names of tools."""
        tools = [tool for server in self(groups) for tool in server.tools or []]
        return [tool for tool in tools if only is None or tool.full_name in only or tool.server in only]

    def names(self, groups: Collection[str]) -> set[str]:
        """Return the names that can limit a turn: servers, and full names of tools."""
        servers = self(groups)
        return {s.name for s in servers} | {tool.full_name for s in servers for tool in s.tools or []}

    @staticmethod
    def _server(name: str, description: str, stored: StoredToolList | None) -> ServerTools:
        if stored is None:
            return ServerTools(name=name, description=description, tools=None)
        return ServerTools(name=name, description=description, tools=stored.tools, failure=stored.failure)


@dataclass(frozen=True)
class RefreshTools:
    """Fetch tool lists from servers and store them. A list is valid for ``max_age``, unless it was marked as stale."""

    registry: Registry
    lists: ToolLists
    runners: Runners
    clock: Clock
    max_age: timedelta = REFRESH_INTERVAL

    def __call__(self, server: str) -> Sequence[ToolSpec]:
        """Fetch the list. If the server does not start, store the failure beside the old list and raise Unavailable."""
        config_hash = self.registry.servers[server].config_hash()
        try:
            tools = self.runners.list_tools(server)
        except Unavailable as error:
            stored = self.lists.get(server, config_hash) or StoredToolList(asked_at=self.clock.now())
            self.lists.save(server, config_hash, stored.with_failure(error.message, self.clock.now()))
            raise
        self.lists.save(server, config_hash, fresh_tool_list(tools, self.clock.now()))
        return tools

    def get(self, server: str) -> Sequence[ToolSpec]:
        """Return the stored list. Fetch it if there is none."""
        stored = self._stored(server)
        return self(server) if stored is None or stored.tools is None else stored.tools

    def get_with_tool(self, server: str, tool: str) -> Sequence[ToolSpec]:
        """Return the stored list. Fetch it if it lacks the tool and was not fetched recently."""
        tools, stored = self.get(server), self._stored(server)
        if any(each.name == tool for each in tools) or stored is None or not stored.is_due(self.clock.now()):
            return tools
        return self(server)

    def due(self) -> list[str]:
        """Return the servers whose lists are due, those without a list first."""
        now, lists = self.clock.now(), {server: self._stored(server) for server in self.registry.servers}
        missing = [server for server, stored in lists.items() if stored is None]
        return missing + [server for server, stored in lists.items() if stored and stored.is_due(now, self.max_age)]

    def refresh_all(self, servers: Sequence[str]) -> None:
        """Refresh the lists of these servers, a few at a time. Each may take long to start."""
        with ThreadPoolExecutor(_MAX_CONCURRENT) as executor:
            for future in [executor.submit(self.try_refresh, server) for server in servers]:
                future.result()

    def try_refresh(self, server: str) -> None:
        """Refresh a list in the background. If the server does not start, log it; ``ListTools`` returns the reason."""
        before = self._stored(server)
        try:
            tools = self(server)
        except Unavailable as error:
            logger.info("server does not start", extra={"server": server, "reason": error.message})
            return
        if before is not None and before.tools is not None and before.tools != list(tools):
            logger.info("tool list changed", extra={"server": server})

    def _stored(self, server: str) -> StoredToolList | None:
        return self.lists.get(server, self.registry.servers[server].config_hash())


@dataclass(frozen=True)
class MarkToolsStale:
    """Mark tool lists as stale. Runners trigger it and run foreign code, so it only makes the next refresh earlier."""

    registry: Registry
    lists: ToolLists

    def __call__(self, tool: str) -> None:
        """Mark the list of the server of this tool (full name) as stale, if it is stored."""
        place = self.registry.split_tool_name(tool)
        if place is None:
            return
        config_hash = self.registry.servers[place[0]].config_hash()
        stored = self.lists.get(place[0], config_hash)
        if stored is not None and not stored.doubted:
            self.lists.save(place[0], config_hash, stored.model_copy(update={"doubted": True}))

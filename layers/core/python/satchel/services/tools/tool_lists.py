"""Read, refresh and invalidate the stored tool lists of the MCP servers.

API requests read only stored lists, so they never wait for the start of a server.
"""

import logging
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel

from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.tools import (
    BUILTIN_DESCRIPTION,
    BUILTIN_SERVER,
    BUILTIN_TITLE,
    BUILTIN_TOOLS,
    REFRESH_INTERVAL,
    StoredToolList,
    fresh_tool_list,
    starting_tool_list,
)
from satchel.ports.runners import Runners, ToolLists
from satchel.ports.system import Clock

logger = logging.getLogger(__name__)

_MAX_CONCURRENT = 8


class ServerTools(BaseModel):
    """An MCP server and its tools (None if no list is stored). ``failure`` is the reason if the last start failed."""

    name: str
    title: str
    description: str
    tools: list[ToolSpec] | None
    failure: str | None = None
    since: datetime | None = None

    @property
    def is_starting(self) -> bool:
        """Return True if the server's tools are not known yet, and no request for them has failed."""
        return self.tools is None and self.failure is None


@dataclass(frozen=True)
class OfferedTools:
    """The tools that a turn may call. The tools of the ``starting`` servers are not known yet."""

    tools: Sequence[ToolSpec]
    starting: Sequence[ServerTools] = ()


_BUILTIN = ServerTools(
    name=BUILTIN_SERVER, title=BUILTIN_TITLE, description=BUILTIN_DESCRIPTION, tools=list(BUILTIN_TOOLS.values())
)


@dataclass(frozen=True)
class ListTools:
    """Return the stored tool lists of the servers that a user may call."""

    registry: Registry
    lists: ToolLists

    def __call__(self, groups: Collection[str]) -> list[ServerTools]:
        """Return the servers that ``groups`` may call, with their stored tools. All groups may call built-in tools."""
        servers = [
            self._server(name, entry, self.lists.get(name, entry.config_hash()))
            for name, entry in self.registry.visible_to(frozenset(groups)).items()
        ]
        return sorted([*servers, _BUILTIN], key=lambda server: server.name)

    def tools(self, groups: Collection[str], only: Collection[str] | None = None) -> list[ToolSpec]:
        """Return the stored tools in a fixed order. ``only`` limits them to these servers and full tool names."""
        return list(self.offered(groups, only).tools)

    def offered(self, groups: Collection[str], only: Collection[str] | None = None) -> OfferedTools:
        """Return the stored tools in a fixed order, and the starting servers. ``only`` (names) limits both."""
        servers = self(groups)
        tools = [tool for server in servers for tool in server.tools or []]
        return OfferedTools(
            tools=[tool for tool in tools if only is None or tool.full_name in only or tool.server in only],
            starting=[server for server in servers if server.is_starting and (only is None or server.name in only)],
        )

    def names(self, groups: Collection[str]) -> set[str]:
        """Return all names that a user may put in a message's ``tools`` filter: servers, and full tool names."""
        servers = self(groups)
        return {s.name for s in servers} | {tool.full_name for s in servers for tool in s.tools or []}

    @staticmethod
    def _server(name: str, entry: ServerEntry, stored: StoredToolList | None) -> ServerTools:
        server = ServerTools(name=name, title=entry.title or name, description=entry.description, tools=None)
        if stored is None:
            return server
        status = {"tools": stored.tools, "failure": stored.failure, "since": stored.since or stored.asked_at}
        return server.model_copy(update=status)


@dataclass(frozen=True)
class RefreshTools:
    """Fetch tool lists from servers and store them. A list is refreshed after ``max_age``, or if it is marked stale."""

    registry: Registry
    lists: ToolLists
    runners: Runners
    clock: Clock
    max_age: timedelta = REFRESH_INTERVAL

    def __call__(self, server: str) -> Sequence[ToolSpec]:
        """Fetch, store and return a server's tools. If the server fails to start, store why and raise Unavailable."""
        config_hash = self.registry.servers[server].config_hash()
        try:
            tools = self.runners.list_tools(server)
        except Unavailable as error:
            stored = self.lists.get(server, config_hash) or StoredToolList(asked_at=self.clock.now())
            self.lists.save(server, config_hash, stored.with_failure(error.message, self.clock.now()))
            raise
        before = self.lists.get(server, config_hash)
        self.lists.save(server, config_hash, fresh_tool_list(tools, self.clock.now(), before))
        return tools

    def mark_starting(self, servers: Sequence[str]) -> None:
        """Store that these servers are starting, except those whose tools have been requested before."""
        for server in servers:
            if self._stored(server) is None:
                config_hash = self.registry.servers[server].config_hash()
                self.lists.save(server, config_hash, starting_tool_list(self.clock.now()))

    def get(self, server: str) -> Sequence[ToolSpec]:
        """Return a server's stored tools, or fetch them if none are stored."""
        stored = self._stored(server)
        return self(server) if stored is None or stored.tools is None else stored.tools

    def get_with_tool(self, server: str, tool: str) -> Sequence[ToolSpec]:
        """Return a server's stored tools. Fetch them again if ``tool`` is missing and the stored list is not recent."""
        tools, stored = self.get(server), self._stored(server)
        if any(each.name == tool for each in tools) or stored is None or not stored.is_due(self.clock.now()):
            return tools
        return self(server)

    def due(self) -> list[str]:
        """Return the servers whose tool lists need a refresh; servers without a stored list come first."""
        now, lists = self.clock.now(), {server: self._stored(server) for server in self.registry.servers}
        missing = [server for server, stored in lists.items() if stored is None]
        return missing + [server for server, stored in lists.items() if stored and stored.is_due(now, self.max_age)]

    def refresh_all(self, servers: Sequence[str]) -> None:
        """Refresh these servers' tool lists, at most eight at a time, because each server may take long to start."""
        self.mark_starting(servers)
        with ThreadPoolExecutor(_MAX_CONCURRENT) as executor:
            for future in [executor.submit(self.try_refresh, server) for server in servers]:
                future.result()

    def try_refresh(self, server: str) -> None:
        """Refresh a server's tool list. If the server does not start, log and store the reason, but raise no error."""
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
    """Mark tool lists as stale. Untrusted runners can request this, so the only effect is an earlier refresh."""

    registry: Registry
    lists: ToolLists

    def __call__(self, tool: str) -> None:
        """Mark the tool list of the server in ``tool`` (``server.tool``) as stale, if a list is stored."""
        place = self.registry.split_tool_name(tool)
        if place is None:
            return
        config_hash = self.registry.servers[place[0]].config_hash()
        stored = self.lists.get(place[0], config_hash)
        if stored is not None and not stored.doubted:
            self.lists.save(place[0], config_hash, stored.model_copy(update={"doubted": True}))

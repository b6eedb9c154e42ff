"""Read, refresh and invalidate the stored tool lists of the MCP servers.

API requests read only stored lists, so they never wait for the start of a server.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import BaseModel

from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.isolation import Level
from satchel.domain.resources import Offers
from satchel.domain.servers import BrokenEntry, Registry, ServerEntry
from satchel.domain.tools import (
    BUILTIN_DESCRIPTION,
    BUILTIN_SERVER,
    BUILTIN_TITLE,
    LIST_FILES,
    REFRESH_INTERVAL,
    StoredToolList,
    fresh_tool_list,
    starting_tool_list,
    with_known_asking,
)
from satchel.ports.runners import Runners, ToolLists
from satchel.ports.system import Clock

logger = logging.getLogger(__name__)

_MAX_CONCURRENT = 8


class ServerTools(BaseModel):
    """An MCP server and its tools (None if no list is stored). ``failure`` is the reason if the last start failed.

    ``isolation_level`` is None if the runner has not reported it, and for remote and built-in tools.
    """

    name: str
    title: str
    description: str
    tools: list[ToolSpec] | None
    isolation_level: Level | None = None
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


_BUILTIN = ServerTools(name=BUILTIN_SERVER, title=BUILTIN_TITLE, description=BUILTIN_DESCRIPTION, tools=[LIST_FILES])


@dataclass(frozen=True)
class ListTools:
    """Return the stored tool lists of the servers that a user may call."""

    registry: Registry
    lists: ToolLists

    def __call__(self, groups: Collection[str], version: int | None = None) -> list[ServerTools]:
        """Return the servers that ``groups`` may call, with their stored tools. All groups may call built-in tools.

        ``version`` is the version of the tool lists, if the caller has just read it (see ``ToolLists``).
        """
        visible = self.registry.visible_to(frozenset(groups))
        stored = self.lists.get_many({name: entry.config_hash() for name, entry in visible.items()}, version)
        servers = [self._server(name, entry, stored.get(name)) for name, entry in visible.items()]
        broken = [_broken_server(name, entry) for name, entry in self.registry.broken_for(frozenset(groups)).items()]
        return sorted([*servers, *broken, _BUILTIN], key=lambda server: server.name)

    def offers(self, groups: Collection[str]) -> Offers:
        """Return the resources and prompts of all servers that ``groups`` may call, in a fixed order."""
        visible = self.registry.visible_to(frozenset(groups))
        stored = self.lists.get_many({name: entry.config_hash() for name, entry in visible.items()})
        each = [stored[name].offers for name in sorted(stored)]
        return Offers(
            resources=[resource for offers in each for resource in offers.resources],
            templates=[template for offers in each for template in offers.templates],
            prompts=[prompt for offers in each for prompt in offers.prompts],
        )

    def tools(self, groups: Collection[str], only: Collection[str] | None = None) -> list[ToolSpec]:
        """Return the stored tools in a fixed order. ``only`` limits them to these servers and full tool names."""
        return list(self.offered(groups, only).tools)

    def offered(
        self, groups: Collection[str], only: Collection[str] | None = None, version: int | None = None
    ) -> OfferedTools:
        """Return the stored tools for models in a fixed order, and the starting servers.

        ``only`` (names) limits both.
        """
        servers = self(groups, version)
        tools = [tool for server in servers for tool in server.tools or []]
        return OfferedTools(
            tools=[
                tool
                for tool in tools
                if tool.for_model and (only is None or tool.full_name in only or tool.server in only)
            ],
            starting=[server for server in servers if server.is_starting and (only is None or server.name in only)],
        )

    def names(self, groups: Collection[str]) -> set[str]:
        """Return all names that a user may put in a message's ``tools`` filter: servers, and full tool names."""
        servers = self(groups)
        return {s.name for s in servers} | {tool.full_name for s in servers for tool in s.tools or []}

    def isolation_level(self, groups: Collection[str]) -> Level | None:
        """Return the weakest isolation that runners of these servers reported. Return None if none has reported it."""
        levels = {server.isolation_level for server in self(groups)} - {None}
        return "process" if "process" in levels else next(iter(levels), None)

    @staticmethod
    def _server(name: str, entry: ServerEntry, stored: StoredToolList | None) -> ServerTools:
        server = ServerTools(name=name, title=entry.title or name, description=entry.description, tools=None)
        if stored is None:
            return server
        status = stored.model_dump(include={"isolation_level", "failure"})
        since = stored.since or stored.asked_at
        return server.model_copy(update={**status, "tools": stored.tools, "since": since})


def _broken_server(name: str, entry: BrokenEntry) -> ServerTools:
    reason = f"The entry in mcp.json is invalid: {'; '.join(entry.problems)}"
    return ServerTools(name=name, title=name, description="", tools=None, failure=reason)


@dataclass(frozen=True)
class RefreshTools:
    """Fetch tool lists from servers and store them. A list is refreshed after ``max_age``, or if it is marked stale.

    A list is also refreshed if the server's ``source_version`` has changed, because an edited server has other tools.
    """

    registry: Registry
    lists: ToolLists
    runners: Runners
    clock: Clock
    max_age: timedelta = REFRESH_INTERVAL
    source_version: Callable[[ServerEntry], str | None] = lambda _entry: None

    def __call__(self, server: str) -> Sequence[ToolSpec]:
        """Fetch, store and return a server's tools. If the server fails to start, store why and raise Unavailable."""
        entry = self.registry.servers[server]
        config_hash, version = entry.config_hash(), self.source_version(entry)
        try:
            listing = self.runners.list_tools(server)
        except Unavailable as error:
            stored = self.lists.get(server, config_hash) or StoredToolList(asked_at=self.clock.now())
            failed = stored.with_failure(error.message, self.clock.now())
            self.lists.save(server, config_hash, failed.model_copy(update={"source_version": version}))
            raise
        before = self.lists.get(server, config_hash)
        if before is not None and before.source_version == version:
            listing = listing.model_copy(update={"tools": with_known_asking(listing.tools, before.tools or [])})
        fresh = fresh_tool_list(listing, self.clock.now(), before)
        self.lists.save(server, config_hash, fresh.model_copy(update={"source_version": version}))
        return listing.tools

    def mark_starting(self, servers: Sequence[str]) -> None:
        """Store that these servers are starting, except those whose tools have been requested before."""
        stored = self._stored_lists(servers)
        for server in servers:
            if server not in stored:
                config_hash = self.registry.servers[server].config_hash()
                self.lists.save(server, config_hash, starting_tool_list(self.clock.now()))

    def get_with_tool(self, server: str, tool: str, version: int | None = None) -> Sequence[ToolSpec]:
        """Return a server's stored tools. Fetch them if none are stored, or if ``tool`` is missing in an old list.

        Also fetch them if the server has been edited since.
        ``version`` is the version of the tool lists, if the caller has just read it (see ``ToolLists``).
        """
        stored = self.lists.get_many({server: self.registry.servers[server].config_hash()}, version).get(server)
        if stored is None or stored.tools is None or self._is_edited(server, stored):
            return self(server)
        if any(each.name == tool for each in stored.tools) or not stored.is_due(self.clock.now()):
            return stored.tools
        return self(server)

    def is_legacy(self, server: str, version: int | None = None) -> bool:
        """Return True if a server spoke the older MCP handshake when its tools were listed."""
        config_hash = self.registry.servers[server].config_hash()
        stored = self.lists.get_many({server: config_hash}, version).get(server)
        return stored is not None and stored.is_legacy

    def due(self) -> list[str]:
        """Return the servers whose tool lists need a refresh; servers without a stored list come first."""
        now, lists = self.clock.now(), self._stored_lists(self.registry.servers)
        missing = [server for server in self.registry.servers if server not in lists]
        return missing + [
            server
            for server, stored in lists.items()
            if stored.is_due(now, self.max_age) or self._is_edited(server, stored)
        ]

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

    def _is_edited(self, server: str, stored: StoredToolList) -> bool:
        return self.source_version(self.registry.servers[server]) != stored.source_version

    def _stored(self, server: str) -> StoredToolList | None:
        return self.lists.get(server, self.registry.servers[server].config_hash())

    def _stored_lists(self, servers: Iterable[str]) -> Mapping[str, StoredToolList]:
        return self.lists.get_many({server: self.registry.servers[server].config_hash() for server in servers})


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


@dataclass(frozen=True)
class RememberAsking:
    """Remember which tools can ask the user only over the older MCP handshake.

    Untrusted runners can request this, so the only effect is the handshake of later calls of the tool.
    """

    registry: Registry
    lists: ToolLists

    def __call__(self, tool: str, *, asks_while_running: bool) -> None:
        """Store this about a tool (``server.tool``), if its server's list is stored."""
        place = self.registry.split_tool_name(tool)
        if place is None:
            return
        server, name = place
        config_hash = self.registry.servers[server].config_hash()
        stored = self.lists.get(server, config_hash)
        if stored is not None:
            update = {"asks_while_running": asks_while_running}
            tools = [each.model_copy(update=update) if each.name == name else each for each in stored.tools or []]
            self.lists.save(server, config_hash, stored.model_copy(update={"tools": tools}))

"""Which tools a person may use, from the kept lists: nobody waits here for a cold server.

Ask a server which tools it has, and keep the answer.

Note that a server's tools are others now: it is asked for them before its time.
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
from satchel.domain.tools import ASK_AGAIN, BUILTIN_TOOLS, DESCRIPTION, SERVER, StoredToolList, answered
from satchel.ports.runners import Runners, ToolLists
from satchel.ports.system import Clock


class ServerTools(BaseModel):
    """A server as it is shown. ``tools`` is None while its list is not known; ``failure``: why it did not start."""

    name: str
    description: str
    tools: list[ToolSpec] | None
    failure: str | None = None


_OWN = ServerTools(name=SERVER, description=DESCRIPTION, tools=list(BUILTIN_TOOLS.values()))


@dataclass(frozen=True)
class ListTools:
    """Reads the kept tool lists of the servers that are open to somebody."""

    registry: Registry
    lists: ToolLists

    def __call__(self, groups: Collection[str]) -> list[ServerTools]:
        """Return the servers for these groups with what is known of their tools; Satchel's own are everybody's."""
        servers = [
            self._shown(name, entry.description, self.lists.get(name, entry.config_hash()))
            for name, entry in self.registry.visible_to(frozenset(groups)).items()
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
    def _shown(name: str, description: str, kept: StoredToolList | None) -> ServerTools:
        if kept is None:
            return ServerTools(name=name, description=description, tools=None)
        return ServerTools(name=name, description=description, tools=kept.tools, failure=kept.failure)


logger = logging.getLogger(__name__)

_MAX_AT_ONCE = 8


@dataclass(frozen=True)
class RefreshTools:
    """Fills the kept tool lists; one is taken for good for ``max_age``, unless there is reason for doubt."""

    registry: Registry
    lists: ToolLists
    runners: Runners
    clock: Clock
    max_age: timedelta = ASK_AGAIN

    def __call__(self, server: str) -> Sequence[ToolSpec]:
        """Ask the server now. Raises Unavailable when it does not start; that is kept, too, beside its old list."""
        config_hash = self.registry.servers[server].config_hash()
        try:
            tools = self.runners.list_tools(server)
        except Unavailable as error:
            known = self.lists.get(server, config_hash) or StoredToolList(asked_at=self.clock.now())
            self.lists.put(server, config_hash, known.failed(error.message, self.clock.now()))
            raise
        self.lists.put(server, config_hash, answered(tools, self.clock.now()))
        return tools

    def known(self, server: str) -> Sequence[ToolSpec]:
        """Return the kept list, or ask where there is none."""
        kept = self._kept(server)
        return self(server) if kept is None or kept.tools is None else kept.tools

    def find(self, server: str, tool: str) -> Sequence[ToolSpec]:
        """Return the kept list, or ask again where it lacks the tool and has not just been asked for."""
        tools, kept = self.known(server), self._kept(server)
        if any(one.name == tool for one in tools) or kept is None or not kept.is_due(self.clock.now()):
            return tools
        return self(server)

    def due(self) -> list[str]:
        """Return the servers to ask again by now; those among them that never were come first."""
        now, lists = self.clock.now(), {server: self._kept(server) for server in self.registry.servers}
        never = [server for server, kept in lists.items() if kept is None]
        return never + [server for server, kept in lists.items() if kept and kept.is_due(now, self.max_age)]

    def refresh_all(self, servers: Sequence[str]) -> None:
        """Ask some servers, a few at a time: each may take as long as it takes to start."""
        with ThreadPoolExecutor(_MAX_AT_ONCE) as some:
            for asked in [some.submit(self.try_refresh, server) for server in servers]:
                asked.result()

    def try_refresh(self, server: str) -> None:
        """Ask a server for which nobody waits: what it cannot say now is kept and told to who lists the tools."""
        before = self._kept(server)
        try:
            tools = self(server)
        except Unavailable as error:
            logger.info("a server does not start", extra={"server": server, "reason": error.message})
            return
        if before is not None and before.tools is not None and before.tools != list(tools):
            logger.info("a server has other tools than before", extra={"server": server})

    def _kept(self, server: str) -> StoredToolList | None:
        return self.lists.get(server, self.registry.servers[server].config_hash())


@dataclass(frozen=True)
class MarkToolsStale:
    """The word comes from where foreign code runs, so nothing but the time of the next question hangs on it."""

    registry: Registry
    lists: ToolLists

    def __call__(self, tool: str) -> None:
        """Doubt the list of the server of a tool (full name); one that was never kept needs no doubt."""
        place = self.registry.split(tool)
        if place is None:
            return
        config_hash = self.registry.servers[place[0]].config_hash()
        kept = self.lists.get(place[0], config_hash)
        if kept is not None and not kept.doubted:
            self.lists.put(place[0], config_hash, kept.model_copy(update={"doubted": True}))

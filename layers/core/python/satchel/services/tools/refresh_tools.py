"""Ask a server which tools it has, and keep the answer."""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta

from satchel.domain.conversation import ToolSpec
from satchel.domain.errors import Unavailable
from satchel.domain.servers import Registry
from satchel.domain.tool_lists import ASK_AGAIN, KeptTools, answered
from satchel.ports.catalog import ToolLists
from satchel.ports.clock import Clock
from satchel.ports.runners import Runners

logger = logging.getLogger(__name__)

_MOST_AT_ONCE = 8


@dataclass(frozen=True)
class RefreshTools:
    """Fills the kept tool lists; one is taken for good for ``kept_for``, unless there is reason for doubt."""

    registry: Registry
    lists: ToolLists
    runners: Runners
    clock: Clock
    kept_for: timedelta = ASK_AGAIN

    def __call__(self, server: str) -> Sequence[ToolSpec]:
        """Ask the server now. Raises Unavailable when it does not start; that is kept, too, beside its old list."""
        config_hash = self.registry.servers[server].config_hash()
        try:
            tools = self.runners.list_tools(server)
        except Unavailable as error:
            known = self.lists.get(server, config_hash) or KeptTools(asked_at=self.clock.now())
            self.lists.put(server, config_hash, known.failed(error.message, self.clock.now()))
            raise
        self.lists.put(server, config_hash, answered(tools, self.clock.now()))
        return tools

    def known(self, server: str) -> Sequence[ToolSpec]:
        """Return the kept list, or ask where there is none."""
        kept = self._kept(server)
        return self(server) if kept is None or kept.tools is None else kept.tools

    def that_has(self, server: str, tool: str) -> Sequence[ToolSpec]:
        """Return the kept list, or ask again where it lacks the tool and has not just been asked for."""
        tools, kept = self.known(server), self._kept(server)
        if any(one.name == tool for one in tools) or kept is None or not kept.is_due(self.clock.now()):
            return tools
        return self(server)

    def due(self) -> list[str]:
        """Return the servers to ask again by now; those among them that never were come first."""
        now, lists = self.clock.now(), {server: self._kept(server) for server in self.registry.servers}
        never = [server for server, kept in lists.items() if kept is None]
        return never + [server for server, kept in lists.items() if kept and kept.is_due(now, self.kept_for)]

    def ask_all(self, servers: Sequence[str]) -> None:
        """Ask some servers, a few at a time: each may take as long as it takes to start."""
        with ThreadPoolExecutor(_MOST_AT_ONCE) as some:
            for asked in [some.submit(self.ask_again, server) for server in servers]:
                asked.result()

    def ask_again(self, server: str) -> None:
        """Ask a server for which nobody waits: what it cannot say now is kept and told to who lists the tools."""
        before = self._kept(server)
        try:
            tools = self(server)
        except Unavailable as error:
            logger.info("a server does not start", extra={"server": server, "reason": error.message})
            return
        if before is not None and before.tools is not None and before.tools != list(tools):
            logger.info("a server has other tools than before", extra={"server": server})

    def _kept(self, server: str) -> KeptTools | None:
        return self.lists.get(server, self.registry.servers[server].config_hash())

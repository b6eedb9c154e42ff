"""Note that a server's tools are others now: it is asked for them before its time."""

from dataclasses import dataclass

from satchel.domain.servers import Registry
from satchel.ports.catalog import ToolLists


@dataclass(frozen=True)
class DoubtTools:
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

"""Tool lists in memory."""

from collections.abc import Sequence

from satchel.domain.conversation import ToolSpec


class FakeToolLists:
    """Implements ``ports.catalog.ToolLists``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], list[ToolSpec]] = {}

    def get(self, server: str, config_hash: str) -> Sequence[ToolSpec] | None:
        return self._kept.get((server, config_hash))

    def put(self, server: str, config_hash: str, tools: Sequence[ToolSpec]) -> None:
        self._kept[server, config_hash] = list(tools)

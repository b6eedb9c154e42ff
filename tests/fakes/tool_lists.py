"""Tool lists in memory."""

from satchel.domain.tool_lists import KeptTools


class FakeToolLists:
    """Implements ``ports.catalog.ToolLists``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], KeptTools] = {}

    def get(self, server: str, config_hash: str) -> KeptTools | None:
        return self._kept.get((server, config_hash))

    def put(self, server: str, config_hash: str, kept: KeptTools) -> None:
        self._kept[server, config_hash] = kept.model_copy(deep=True)

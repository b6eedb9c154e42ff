"""Tool lists in memory."""

from satchel.domain.tools import StoredToolList


class FakeToolLists:
    """Implements ``ports.catalog.ToolLists``."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], StoredToolList] = {}

    def get(self, server: str, config_hash: str) -> StoredToolList | None:
        return self._kept.get((server, config_hash))

    def put(self, server: str, config_hash: str, kept: StoredToolList) -> None:
        self._kept[server, config_hash] = kept.model_copy(deep=True)

"""Tool lists: ``SERVER#{server} / TOOLS#{config_hash}``."""

from dataclasses import dataclass

from satchel.adapters.dynamodb.table import Table
from satchel.domain.tools import StoredToolList


@dataclass(frozen=True)
class DynamoToolLists:
    """Implements ``ports.runners.ToolLists``."""

    table: Table

    def get(self, server: str, config_hash: str) -> StoredToolList | None:
        """Return what is known for this configuration."""
        item = self.table.get(f"SERVER#{server}", f"TOOLS#{config_hash}")
        return StoredToolList.model_validate_json(str(item["doc"])) if item else None

    def put(self, server: str, config_hash: str, kept: StoredToolList) -> None:
        """Keep what is known."""
        self.table.put({"pk": f"SERVER#{server}", "sk": f"TOOLS#{config_hash}", "doc": kept.model_dump_json()})

"""Tool lists: ``SERVER#{server} / TOOLS#{config_hash}``."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from satchel.adapters.dynamodb.table import Table
from satchel.domain.conversation import ToolSpec

_TOOLS = TypeAdapter(list[ToolSpec])


@dataclass(frozen=True)
class DynamoToolLists:
    """Implements ``ports.catalog.ToolLists``."""

    table: Table

    def get(self, server: str, config_hash: str) -> Sequence[ToolSpec] | None:
        """Return the kept list for this configuration."""
        item = self.table.get(f"SERVER#{server}", f"TOOLS#{config_hash}")
        return _TOOLS.validate_json(str(item["doc"])) if item else None

    def put(self, server: str, config_hash: str, tools: Sequence[ToolSpec]) -> None:
        """Keep a list."""
        doc = _TOOLS.dump_json(list(tools)).decode()
        self.table.put({"pk": f"SERVER#{server}", "sk": f"TOOLS#{config_hash}", "doc": doc})

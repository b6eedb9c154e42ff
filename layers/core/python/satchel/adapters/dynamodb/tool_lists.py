"""Stores the tool lists of MCP servers, one for each configuration: ``SERVER#{server} / TOOLS#{config_hash}``."""

from dataclasses import dataclass

from satchel.adapters.dynamodb.table import Table
from satchel.domain.tools import StoredToolList


@dataclass(frozen=True)
class DynamoToolLists:
    """Store tool lists in the table. Implements ``ports.runners.ToolLists``."""

    table: Table

    def get(self, server: str, config_hash: str) -> StoredToolList | None:
        return self.table.get_doc(f"SERVER#{server}", f"TOOLS#{config_hash}", StoredToolList)

    def save(self, server: str, config_hash: str, tool_list: StoredToolList) -> None:
        """Store a server's tool list, replacing the previous list for the same configuration."""
        self.table.put({"pk": f"SERVER#{server}", "sk": f"TOOLS#{config_hash}", "doc": tool_list.model_dump_json()})

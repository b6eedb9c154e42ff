"""Stores the tool lists of MCP servers, one for each configuration: ``SERVER#{server} / TOOLS#{config_hash}``.

The item ``SERVERS / TOOLS`` counts the changes of all lists. So a process that has read the count knows whether the
lists in its memory are current.
"""

import base64
import logging
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Table
from satchel.domain.resources import Offers
from satchel.domain.tools import StoredToolList

logger = logging.getLogger(__name__)

_MAX_PLAIN_CHARS = 32 << 10
_MAX_CHARS = 380_000
VERSION_KEY = ("SERVERS", "TOOLS")


def parse_version(item: Item | None) -> int:
    """Return the number of changes that an item counts. It is 0 if there is no item."""
    return int(item["version"]) if item else 0


@dataclass
class _Memory:
    """The lists of one version by server and configuration, None if missing."""

    version: int = -1
    lists: dict[tuple[str, str], StoredToolList | None] = field(default_factory=dict)


@dataclass(frozen=True)
class DynamoToolLists:
    """Store tool lists in the table. Implements ``ports.runners.ToolLists``."""

    table: Table
    _memory: list[_Memory] = field(default_factory=lambda: [_Memory()])

    def get(self, server: str, config_hash: str) -> StoredToolList | None:
        return _parse(self.table.get(*_key(server, config_hash)))

    def get_many(self, config_hashes: Mapping[str, str], version: int | None = None) -> Mapping[str, StoredToolList]:
        """Read the lists at once. Send no request if this process has read them in ``version``."""
        memory = self._memory[0]
        pairs = list(config_hashes.items())
        if version is None or memory.version != version:
            memory = _Memory(-1 if version is None else version)
        missing = {_key(*each): each for each in pairs if each not in memory.lists}
        if missing:
            items = {(str(item["pk"]), str(item["sk"])): item for item in self.table.get_many(list(missing))}
            read = {each: _parse(items.get(key)) for key, each in missing.items()}
            memory = _Memory(memory.version, memory.lists | read)
            if version is not None:
                self._memory[0] = memory  # replaced and never changed, because other threads may read it
        return {server: found for server, config in pairs if (found := memory.lists[server, config])}

    def save(self, server: str, config_hash: str, tool_list: StoredToolList) -> None:
        """Store a server's tool list, replacing the previous list for the same configuration."""
        pk, sk = _key(server, config_hash)
        attributes = _attributes(tool_list)
        if sum(map(len, attributes.values())) > _MAX_CHARS:
            logger.warning("resources and prompts are too large to be stored", extra={"server": server})
            attributes = _attributes(tool_list.model_copy(update={"offers": Offers()}))
        item = self.table.build_put({"pk": pk, "sk": sk, **attributes})
        self.table.transact_until_done([item, self.table.build_add(*VERSION_KEY, {"version": 1})])


def _key(server: str, config_hash: str) -> tuple[str, str]:
    return f"SERVER#{server}", f"TOOLS#{config_hash}"


def _attributes(tool_list: StoredToolList) -> dict[str, str]:
    """Return the attribute ``doc``, or ``packed`` if the list is long: DynamoDB limits an item to 400 KB."""
    text = tool_list.model_dump_json()
    if len(text) <= _MAX_PLAIN_CHARS:
        return {"doc": text}
    return {"packed": base64.b64encode(zlib.compress(text.encode())).decode()}


def _parse(item: Item | None) -> StoredToolList | None:
    if item is None:
        return None
    text = zlib.decompress(base64.b64decode(str(item["packed"]))) if "packed" in item else str(item["doc"])
    return StoredToolList.model_validate_json(text)

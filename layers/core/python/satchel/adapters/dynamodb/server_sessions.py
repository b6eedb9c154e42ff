"""Stores the MCP sessions with remote servers: each chat session has at most one with each server.

| item | key | attributes | written by |
|---|---|---|---|
| MCP session | ``RUN#{session_id}#{server} / MCP`` | ``doc`` (handshake), ``mcp_session`` (id) | the runner |

The calls of a chat session run in different runners, so the runners share the MCP session through the table.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from satchel.adapters.dynamodb.conditions import ConditionFailed, WriteConflict
from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Table
from satchel.domain.ids import SessionId
from satchel.ports.runners import Conversation
from satchel.ports.tool_client import ServerSession

_SORT_KEY = "MCP"


def session_partition(conversation: Conversation) -> str:
    """Return the partition of a conversation's MCP session, which the credentials of its calls can write."""
    return f"RUN#{conversation.session_id}#{conversation.server}"


@dataclass(frozen=True)
class DynamoServerSessions:
    """Stores the MCP session of one conversation. Implements ``ports.tool_client.ServerSessions``."""

    table: Table
    conversation: Conversation

    def get(self) -> ServerSession | None:
        item = self.table.get(session_partition(self.conversation), _SORT_KEY)
        return _parse(item) if item else None

    def replace(self, new: ServerSession, old: ServerSession | None) -> ServerSession:
        pk = session_partition(self.conversation)
        item: Item = {"pk": pk, "sk": _SORT_KEY, "mcp_session": new.session_id, "doc": new.handshake}
        if old is None:
            write = self.table.build_put(item, if_absent=True)
        else:
            write = self.table.build_put_if(item, "mcp_session", old.session_id)
        try:
            self.table.transact([write])
        except (ConditionFailed, WriteConflict):
            return self.get() or new
        return new


@dataclass(frozen=True)
class DynamoServerSessionRemover:
    """Removes the MCP sessions of an ended chat session. Implements ``ports.sessions.ServerSessionRemover``."""

    table: Table

    def get(self, session_id: SessionId, server: str) -> ServerSession | None:
        return DynamoServerSessions(self.table, Conversation(session_id, server)).get()

    def take(self, session_id: SessionId, servers: Collection[str]) -> Mapping[str, ServerSession]:
        partitions = {session_partition(Conversation(session_id, server)): server for server in servers}
        items = self.table.get_many([(pk, _SORT_KEY) for pk in partitions])
        self.table.delete_many([(str(item["pk"]), _SORT_KEY) for item in items])
        return {partitions[str(item["pk"])]: _parse(item) for item in items}


def _parse(item: Item) -> ServerSession:
    return ServerSession(session_id=str(item["mcp_session"]), handshake=str(item["doc"]))

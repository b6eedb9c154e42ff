"""The MCP sessions of chat sessions with remote servers."""

import pytest

from satchel.adapters.dynamodb.server_sessions import DynamoServerSessionRemover, DynamoServerSessions
from satchel.adapters.dynamodb.table import Table
from satchel.ports.runners import Conversation
from satchel.ports.tool_client import ServerSession
from tests.integration.aws.factories import new_session_id, run_concurrently

OLD, NEW, OTHER = (ServerSession(session_id=name, handshake="{}") for name in ("old", "new", "other"))


@pytest.fixture
def sessions(table: Table) -> DynamoServerSessions:
    return DynamoServerSessions(table, Conversation(new_session_id(), "shop"))


def test_conversation_starts_without_an_mcp_session(sessions: DynamoServerSessions) -> None:
    assert sessions.get() is None


def test_stored_session_is_replaced_only_by_a_caller_that_knows_it(sessions: DynamoServerSessions) -> None:
    assert sessions.replace(OLD, None) == OLD
    assert sessions.replace(OTHER, None) == OLD
    assert sessions.replace(NEW, OLD) == NEW
    assert sessions.replace(OTHER, OLD) == NEW
    assert sessions.get() == NEW


def test_all_concurrent_first_calls_get_the_same_session(sessions: DynamoServerSessions) -> None:
    made = [ServerSession(session_id=str(number), handshake="{}") for number in range(8)]

    used = run_concurrently([lambda new=new: sessions.replace(new, None) for new in made])  # type: ignore[misc]  # bound

    assert used == [sessions.get()] * 8


def test_removed_sessions_are_returned_once(sessions: DynamoServerSessions, table: Table) -> None:
    session_id = sessions.conversation.session_id
    sessions.replace(OLD, None)
    DynamoServerSessions(table, Conversation(new_session_id(), "shop")).replace(OTHER, None)
    remover = DynamoServerSessionRemover(table)

    assert remover.take(session_id, ["shop", "news"]) == {"shop": OLD}
    assert remover.take(session_id, ["shop", "news"]) == {}

"""Stores the words of turns, by which users search their conversations: ``USER#{user} / WORDS#{session_id}#{turn_id}``.

The item is written before the transaction that ends the turn. If the turn ends in another way, a search may find it by
words of an answer that was not stored. The items of a user sort like the user's sessions, so a search reads those of
the newest sessions with one query.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from satchel.adapters.dynamodb.items import Item
from satchel.adapters.dynamodb.table import Query, Table
from satchel.domain.chat_search import index_words
from satchel.domain.ids import SessionId, TurnId, UserName
from satchel.domain.sessions import Turn
from satchel.ports.sessions import TurnWords

_PREFIX = "WORDS#"
_END = "~"  # sorts behind all ids


def words_item(turn: Turn) -> Item:
    """Return the item with the words of an ended turn."""
    pk, sk = f"USER#{turn.user}", f"{session_prefix(turn.session_id)}{turn.turn_id}"
    return {"pk": pk, "sk": sk, "words": index_words(turn.message, turn.answer)}


def session_prefix(session_id: SessionId) -> str:
    """Return the prefix of the sort keys of a session's items."""
    return f"{_PREFIX}{session_id}#"


@dataclass(frozen=True)
class DynamoChatWords:
    """Read the words of turns. Implements ``ports.sessions.ChatWords``."""

    table: Table

    def read(self, user: UserName, oldest: SessionId, newest: SessionId) -> Iterator[TurnWords]:
        """Yield the turns of sessions in pages of up to 1 MB, each read only when it is needed."""
        last = f"{session_prefix(newest)}{_END}"
        for item in self.table.iterate(Query(f"USER#{user}", session_prefix(oldest), last=last, newest_first=True)):
            _, session_id, turn_id = str(item["sk"]).split("#")
            yield TurnWords(SessionId(session_id), TurnId(turn_id), str(item["words"]))

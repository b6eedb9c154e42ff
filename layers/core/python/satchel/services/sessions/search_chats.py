"""Search a user's conversations by the words of titles, messages and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from satchel.domain.chat_search import cut_snippet, find_words, index_words, query_words
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.sessions import Session
from satchel.domain.users import Identity
from satchel.ports import Page
from satchel.ports.sessions import ChatWords, Sessions, TurnWords
from satchel.ports.turns import Turns

MAX_SESSIONS, MAX_TURNS = 100, 4_000
"""What one request reads at most. Older sessions are searched by the next one, with the cursor."""


@dataclass(frozen=True)
class ChatMatch:
    """A session that has all words of a query. ``turn_id`` is a turn with them, None if only the title has them."""

    session: Session
    turn_id: TurnId | None = None
    snippet: str | None = None


@dataclass(frozen=True)
class SearchChats:
    """Search the newest conversations of a user, then the older ones page by page."""

    sessions: Sessions
    index: ChatWords
    turns: Turns

    def __call__(self, who: Identity, query: str, cursor: str | None) -> Page[ChatMatch]:
        """Return the matches among the next sessions, newest first. A page may be empty although others follow.

        Raise InvalidRequest if the cursor belongs to another list.
        """
        words = query_words(query)
        page = self.sessions.list(who.name, MAX_SESSIONS, cursor)
        if not words or not page.items:
            return Page(items=[], cursor=None)
        read = self.index.read(who.name, page.items[-1].session_id, page.items[0].session_id)
        turns = list(islice(read, MAX_TURNS + 1))
        if len(turns) > MAX_TURNS:
            cut = turns.pop().session_id
            complete = sum(session.session_id > cut for session in page.items)
            page = self.sessions.list(who.name, max(1, complete), cursor)
        by_session: dict[SessionId, list[TurnWords]] = {}
        for turn in turns:
            by_session.setdefault(turn.session_id, []).append(turn)
        listed = [session for session in page.items if not session.temporary]
        found = [_match(session, by_session.get(session.session_id, []), words) for session in listed]
        matches = [match for match in found if match]
        return Page(items=self._with_snippets(matches, words), cursor=page.cursor)

    def _with_snippets(self, matches: Sequence[ChatMatch], words: Sequence[str]) -> list[ChatMatch]:
        keys = [(match.session.session_id, match.turn_id) for match in matches if match.turn_id]
        turns = {turn.turn_id: turn for turn in self.turns.get_many(keys)}
        snippets: Mapping[TurnId, str | None] = {
            turn_id: cut_snippet(words, turn.message, turn.answer) for turn_id, turn in turns.items()
        }
        return [
            ChatMatch(match.session, match.turn_id, snippets.get(match.turn_id) if match.turn_id else None)
            for match in matches
        ]


def _match(session: Session, turns: Sequence[TurnWords], words: Sequence[str]) -> ChatMatch | None:
    """Return the match if title and turns have all words. The turn is the newest with most of them."""
    found = find_words(words, index_words(session.title or ""))
    best: TurnId | None = None
    most = 0
    for turn in turns:
        here = find_words(words, turn.words)
        found |= here
        if len(here) > most:
            best, most = turn.turn_id, len(here)
    return ChatMatch(session, best) if len(found) == len(words) else None

"""The messages of one turn, and what the requests of later turns need of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from satchel.domain.conversation import Message
from satchel.domain.history import finish_turn
from satchel.domain.media_budget import media_in
from satchel.domain.token_budget import message_tokens


@dataclass(frozen=True)
class TurnMessages:
    """The stored messages of a turn, oldest first. The first one is the user's.

    The properties are computed once: a process keeps the ended turns of long conversations for their later requests.
    """

    messages: Sequence[Message]

    @cached_property
    def finished(self) -> Sequence[Message]:
        """Return the messages as requests of later turns have them."""
        return finish_turn(self.messages)

    @cached_property
    def tokens(self) -> int:
        """Estimate the number of tokens of the messages in requests of later turns."""
        return sum(map(message_tokens, self.finished))

    @cached_property
    def has_media(self) -> bool:
        """Return True if a message has pictures or documents."""
        return any(media_in(message) for message in self.messages)


def messages_of(turns: Iterable[TurnMessages]) -> list[Message]:
    """Return all messages of the turns, in order."""
    return [message for turn in turns for message in turn.messages]

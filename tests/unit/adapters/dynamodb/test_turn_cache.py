"""The cache of the turns of long conversations: the number of turns, and the time."""

from satchel.adapters.dynamodb.transcript import ReadTurn, TurnCache
from satchel.domain.conversation import UserMessage
from satchel.domain.ids import SessionId, TurnId
from satchel.domain.turn_messages import TurnMessages

FIRST, SECOND, THIRD = (SessionId(f"s{number}") for number in range(3))


class Seconds:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def turns(number: int, chars: int = 100) -> list[ReadTurn]:
    messages = TurnMessages([UserMessage(text="hello")])
    return [ReadTurn(TurnId(f"t{index}"), None, messages, is_final=True, chars=chars) for index in range(number)]


def test_turns_of_a_long_conversation_are_kept() -> None:
    cache, stored = TurnCache(), turns(20)
    cache.put(FIRST, stored)
    assert cache.get(FIRST) == stored
    assert cache.get(SECOND) == ()


def test_turns_of_a_short_conversation_are_not_kept() -> None:
    cache = TurnCache()
    cache.put(FIRST, turns(20))
    cache.put(FIRST, turns(19))
    assert cache.get(FIRST) == ()


def test_turns_are_dropped_ten_minutes_after_their_last_use() -> None:
    clock = Seconds()
    cache = TurnCache(clock)
    cache.put(FIRST, turns(20))
    cache.put(SECOND, turns(20))
    clock.now = 500
    cache.put(FIRST, turns(21))
    clock.now = 601
    assert cache.get(SECOND) == ()
    assert len(cache.get(FIRST)) == 21
    clock.now = 1101
    assert cache.get(FIRST) == ()


def test_conversation_that_was_not_used_for_the_longest_time_is_dropped_for_another() -> None:
    cache = TurnCache()
    for session in (FIRST, SECOND, FIRST, THIRD):
        cache.put(session, turns(20, chars=150_000))
    assert [len(cache.get(session)) for session in (FIRST, SECOND, THIRD)] == [20, 0, 20]


def test_conversation_with_too_many_texts_is_not_kept() -> None:
    cache = TurnCache()
    cache.put(FIRST, turns(20))
    cache.put(SECOND, turns(20, chars=500_000))
    assert (len(cache.get(FIRST)), len(cache.get(SECOND))) == (20, 0)

"""Publishing a reply while the model generates it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.events import NewEvent
from satchel.domain.ids import TurnId
from satchel.domain.size_limits import MAX_ANSWER_CHARS, truncate
from satchel.services.turns.token_streamer import TokenStreamer, TurnCancelled
from tests.fakes.system import FakeClock
from tests.fakes.turns import FakeEvents

TURN = TurnId("t" + "0" * 26)
END = NewEvent(type="turn_failed", payload={"status": "failed", "error": {"error_code": "E", "message": "m"}})


class Streams:
    """Streamers of one round over fake events."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.events = FakeEvents(self.clock)
        self.is_running = True

    def streamer(self, tries: int = 0) -> TokenStreamer:
        return TokenStreamer(self.events, self.clock, TURN, 3, tries, lambda: self.is_running)

    def finish(self, streamer: TokenStreamer, text: str) -> None:
        """Publish the rest of a reply, and its last piece as the transaction that stores the reply does."""
        if event := streamer.publish_all_but_last(text):
            self.events.append(TURN, event)

    @property
    def text(self) -> str:
        return self.events.streamed_text(TURN)[3]

    @property
    def published(self) -> list[str]:
        return [payload["text"] for _, payload in self.events.payloads(TURN)]


@pytest.fixture
def streams() -> Streams:
    return Streams()


def test_first_piece_is_published_at_once_and_later_ones_are_collected(streams: Streams) -> None:
    streamer = streams.streamer()
    for piece in ("One ", "moment", ", "):
        streamer(piece)
    assert streams.published == ["One "]
    streams.clock.advance(0.2)
    streamer("please")
    assert streams.published == ["One ", "moment, please"]


def test_collected_text_is_published_without_new_text(streams: Streams) -> None:
    streamer = streams.streamer()
    streamer("One ")
    streamer("moment")
    streams.clock.advance(0.2)
    streamer("")
    assert streams.published == ["One ", "moment"]


@pytest.mark.parametrize("seconds", [10, 20, 40])
def test_reply_has_at_most_five_events_a_second(streams: Streams, seconds: int) -> None:
    streamer = streams.streamer()
    for _ in range(2000):
        streamer("word ")
        streams.clock.advance(seconds / 2000)
    streams.finish(streamer, "word " * 2000)
    assert 4 * seconds <= len(streams.published) <= 5 * seconds + 2
    assert streams.text == "word " * 2000


def test_restarted_reply_is_marked_at_once(streams: Streams) -> None:
    streamer = streams.streamer()
    streamer("The capi")
    streamer("tal")
    streamer.restart()
    streamer("Paris")
    streams.finish(streamer, "Paris.")
    attempts = [(payload["attempt"], payload["text"]) for _, payload in streams.events.payloads(TURN)]
    assert attempts == [(0, "The capi"), (1, ""), (1, "Paris"), (1, ".")]
    assert streams.text == "Paris."


def test_restart_before_the_first_piece_is_not_marked(streams: Streams) -> None:
    streamer = streams.streamer()
    streamer.restart()
    streamer("Paris")
    assert streams.published == ["Paris"]


def test_attempts_of_a_retry_are_above_those_of_the_first_try(streams: Streams) -> None:
    first = streams.streamer()
    for text in ("A", "B", "C"):
        first.restart()
        first(text)
    streams.finish(streams.streamer(1), "Answer")
    first.restart()
    first("late")
    assert streams.text == "Answer"


def test_retry_without_text_replaces_the_earlier_text(streams: Streams) -> None:
    streams.streamer()("Let me look")
    streams.finish(streams.streamer(1), "")
    assert streams.text == ""


def test_stored_reply_is_published_once_for_each_try(streams: Streams) -> None:
    streams.streamer()("Half an ans")
    for tries in (0, 0, 1, 1):
        streams.streamer(tries).replay("The answer.")
        assert streams.text == "The answer."
    assert len(streams.published) == 3


def test_different_reply_is_published_in_full(streams: Streams) -> None:
    streamer = streams.streamer()
    streamer("Mine.")
    streams.finish(streamer, "The other's.")
    assert streams.text == "The other's."


def test_ended_turn_raises_turn_cancelled(streams: Streams) -> None:
    streamer = streams.streamer()
    streamer("One ")
    streams.events.append(TURN, END)
    streams.clock.advance(1)
    with pytest.raises(TurnCancelled):
        streamer("moment")


def test_turn_is_checked_once_a_second_without_text(streams: Streams) -> None:
    streamer = streams.streamer()
    streams.is_running = False
    streams.clock.advance(0.9)
    streamer("")
    streams.clock.advance(0.1)
    with pytest.raises(TurnCancelled):
        streamer("")


@given(st.data())
def test_latest_attempt_always_contains_the_stored_reply(data: st.DataObject) -> None:
    streams = Streams()
    for tries in range(data.draw(st.integers(1, 3))):
        streamer = streams.streamer(tries)
        for _ in range(data.draw(st.integers(0, 3))):
            if data.draw(st.booleans()):
                streamer("no")
            streamer.restart()
        answer = data.draw(st.text(max_size=60))
        streamed_chars = data.draw(st.integers(0, len(answer)))
        generator = random.Random(streamed_chars)  # noqa: S311  (not for secrets)
        for char in answer[:streamed_chars]:
            streamer(char)
            streams.clock.advance(generator.choice([0.01, 0.3]))
        streams.finish(streamer, answer)
    assert streams.events.streamed_text(TURN).get(3, "") == answer


@pytest.mark.parametrize("extra_chars", [-1, 0, 1, 500])
def test_cut_reply_is_published_as_stored(streams: Streams, extra_chars: int) -> None:
    streamer = streams.streamer()
    answer = (
        "ab" * (MAX_ANSWER_CHARS // 2) + "c" * extra_chars
        if extra_chars >= 0
        else "a" * (MAX_ANSWER_CHARS + extra_chars)
    )
    for start in range(0, len(answer), 7000):
        streamer(answer[start : start + 7000])
        streams.clock.advance(1)
    streams.finish(streamer, truncate(answer, MAX_ANSWER_CHARS))
    assert streams.text == truncate(answer, MAX_ANSWER_CHARS)
    assert {payload["attempt"] for _, payload in streams.events.payloads(TURN)} == {0}

"""Publishing a reply while the model generates it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.errors import Unavailable
from satchel.domain.events import Event, NewEvent
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
    def reasoning(self) -> list[Event]:
        return [event for event in self.events.list_after(TURN, 0, 1000) if event.type == "reasoning_stream"]

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


def thoughts(streams: Streams) -> list[str]:
    """Return the pieces of reasoning since the last one that discards the others."""
    pieces = [(event.payload["attempt"], event.payload["text"]) for event in streams.reasoning]
    latest = max((attempt for attempt, _ in pieces), default=0)
    return [text for attempt, text in pieces if attempt == latest and text]


def test_reasoning_is_published_before_the_text_that_follows_it(streams: Streams) -> None:
    streamer = streams.streamer()
    for thought in ("Let me ", "see, ", "well"):
        streamer.think(thought)
    streamer("Yes")
    kinds = [(kind, payload["text"]) for kind, payload in streams.events.payloads(TURN)]
    assert kinds == [("reasoning_stream", "Let me "), ("reasoning_stream", "see, well"), ("token_stream", "Yes")]


def test_reasoning_has_at_most_five_events_a_second_and_is_cut(streams: Streams) -> None:
    streamer = streams.streamer()
    for _ in range(3000):
        streamer.think("0123456789")
        streams.clock.advance(0.01)
    streams.finish(streamer, "Yes")
    assert len(streams.reasoning) <= 5 * 30 + 1
    assert "".join(thoughts(streams)) == ("0123456789" * 2000)[:-1] + "…"


def test_reasoning_without_text_is_published_with_the_reply(streams: Streams) -> None:
    streamer = streams.streamer()
    streamer.think("I call ")
    streamer.think("a tool")
    streams.finish(streamer, "")
    assert thoughts(streams) == ["I call ", "a tool"]


@pytest.mark.parametrize("again", [["Hmm"], []])
def test_restart_discards_the_reasoning(streams: Streams, again: list[str]) -> None:
    streamer = streams.streamer()
    streamer.think("Let me ")
    streamer.think("see")
    streamer.restart()
    for thought in again:
        streamer.think(thought)
    streams.finish(streamer, "Yes")
    assert thoughts(streams) == again
    assert streams.text == "Yes"


def test_replayed_reply_keeps_the_reasoning(streams: Streams) -> None:
    streams.streamer().think("Let me see")
    streams.streamer(tries=1).replay("Yes")
    assert (thoughts(streams), streams.text) == (["Let me see"], "Yes")


def test_reasoning_that_cannot_be_written_does_not_fail_the_turn(
    streams: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("The event could not be written.")

    streamer = streams.streamer()
    with monkeypatch.context() as patch:
        patch.setattr(streams.events, "append", fail)
        streamer.think("Let me see")
    streams.finish(streamer, "Yes")
    assert (streams.reasoning, streams.text) == ([], "Yes")


def test_reasoning_stops_when_the_turn_has_ended(streams: Streams) -> None:
    streamer = streams.streamer()
    streams.events.append(TURN, END)
    with pytest.raises(TurnCancelled):
        streamer.think("Let me see")

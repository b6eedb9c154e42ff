"""Telling an answer while it comes."""

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

TURN = TurnId("20240827-t")
END = NewEvent(type="turn_failed", payload={"status": "failed", "error": {"error_code": "E", "message": "m"}})


class Scene:
    def __init__(self) -> None:
        self.clock = FakeClock()
        self.events = FakeEvents(self.clock)
        self.wanted = True

    def telling(self, tries: int = 0) -> TokenStreamer:
        return TokenStreamer(self.events, self.clock, TURN, 3, tries, lambda: self.wanted)

    @property
    def text(self) -> str:
        return self.events.streamed_text(TURN)[3]

    @property
    def told(self) -> list[str]:
        return [payload["text"] for _, payload in self.events.payloads(TURN)]


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_the_first_piece_is_told_at_once_and_the_next_ones_gather(scene: Scene) -> None:
    telling = scene.telling()
    for piece in ("One ", "moment", ", "):
        telling(piece)
    assert scene.told == ["One "]
    scene.clock.travel(0.2)
    telling("please")
    assert scene.told == ["One ", "moment, please"]


def test_what_has_gathered_is_told_though_nothing_more_comes(scene: Scene) -> None:
    telling = scene.telling()
    telling("One ")
    telling("moment")
    scene.clock.travel(0.2)
    telling("")
    assert scene.told == ["One ", "moment"]


@pytest.mark.parametrize("seconds", [10, 20, 40])
def test_an_answer_of_two_thousand_tokens_takes_dozens_of_writes(scene: Scene, seconds: int) -> None:
    telling = scene.telling()
    for _ in range(2000):
        telling("word ")
        scene.clock.travel(seconds / 2000)
    telling.whole("word " * 2000)
    assert 24 <= len(scene.told) < 100
    assert scene.text == "word " * 2000


def test_an_answer_that_begins_again_is_marked_at_once(scene: Scene) -> None:
    telling = scene.telling()
    telling("The capi")
    telling("tal")
    telling.anew()
    telling("Paris")
    telling.whole("Paris.")
    marks = [(payload["attempt"], payload["text"]) for _, payload in scene.events.payloads(TURN)]
    assert marks == [(0, "The capi"), (1, ""), (1, "Paris"), (1, ".")]
    assert scene.text == "Paris."


def test_an_answer_of_which_nothing_was_told_begins_without_a_mark(scene: Scene) -> None:
    telling = scene.telling()
    telling.anew()
    telling("Paris")
    assert scene.told == ["Paris"]


def test_a_state_that_is_tried_again_begins_above_what_was_told_before(scene: Scene) -> None:
    first = scene.telling()
    for text in ("A", "B", "C"):
        first.anew()
        first(text)
    scene.telling(1).whole("Answer")
    first.anew()
    first("late")
    assert scene.text == "Answer"


def test_where_the_new_answer_has_no_text_the_old_one_goes(scene: Scene) -> None:
    scene.telling()("Let me look")
    scene.telling(1).whole("")
    assert scene.text == ""


def test_an_answer_that_stood_before_is_told_once_for_each_try(scene: Scene) -> None:
    scene.telling()("Half an ans")
    for tries in (0, 0, 1, 1):
        scene.telling(tries).again("The answer.")
        assert scene.text == "The answer."
    assert len(scene.told) == 3


def test_of_another_answer_that_stands_the_whole_is_told(scene: Scene) -> None:
    telling = scene.telling()
    telling("Mine.")
    telling.whole("The other's.")
    assert scene.text == "The other's."


def test_when_the_turn_has_ended_nobody_listens(scene: Scene) -> None:
    telling = scene.telling()
    telling("One ")
    scene.events.append(TURN, END)
    scene.clock.travel(1)
    with pytest.raises(TurnCancelled):
        telling("moment")


def test_while_the_model_is_silent_it_is_asked_once_a_second_whether_anybody_listens(scene: Scene) -> None:
    telling = scene.telling()
    scene.wanted = False
    scene.clock.travel(0.9)
    telling("")
    scene.clock.travel(0.1)
    with pytest.raises(TurnCancelled):
        telling("")


@given(st.data())
def test_whatever_comes_when_the_sum_of_the_pieces_is_the_answer(data: st.DataObject) -> None:
    scene = Scene()
    for tries in range(data.draw(st.integers(1, 3))):
        telling = scene.telling(tries)
        for _ in range(data.draw(st.integers(0, 3))):
            if data.draw(st.booleans()):
                telling("no")
            telling.anew()
        answer = data.draw(st.text(max_size=60))
        said = data.draw(st.integers(0, len(answer)))
        dice = random.Random(said)  # noqa: S311  (it keeps no secret)
        for char in answer[:said]:
            telling(char)
            scene.clock.travel(dice.choice([0.01, 0.3]))
        telling.whole(answer)
    assert scene.events.streamed_text(TURN).get(3, "") == answer


@pytest.mark.parametrize("more", [-1, 0, 1, 500])
def test_an_answer_that_is_cut_is_told_as_it_is_kept(scene: Scene, more: int) -> None:
    telling = scene.telling()
    answer = "ab" * (MAX_ANSWER_CHARS // 2) + "c" * more if more >= 0 else "a" * (MAX_ANSWER_CHARS + more)
    for start in range(0, len(answer), 7000):
        telling(answer[start : start + 7000])
        scene.clock.travel(1)
    telling.whole(truncate(answer, MAX_ANSWER_CHARS))
    assert scene.text == truncate(answer, MAX_ANSWER_CHARS)
    assert {payload["attempt"] for _, payload in scene.events.payloads(TURN)} == {0}

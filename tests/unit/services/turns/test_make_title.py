"""Titles that the model writes beside its first answer."""

from collections.abc import Callable, Sequence

import pytest

from satchel.domain.conversation import CompletionRequest, Message, ModelReply, TokenUsage, UserMessage
from satchel.domain.llm import ModelCatalog, ModelEntry, ModelError, ModelUnavailable
from satchel.domain.sessions import Session, SessionChanges, Turn
from satchel.ports.llm import StreamListener
from satchel.services.turns.make_title import MakeTitle
from tests.fakes.llm import FakeModel
from tests.unit.domain.conversations import to_turns
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

MODELS = ModelCatalog(configured=(ModelEntry(name="offline", model="openai-chat:small"),))
TOKENS = TokenUsage(input_tokens=80, output_tokens=4)
MESSAGE = "Compare the sales of July and August"
TITLE = ModelReply(text='"Sales in summer"', usage=TOKENS)


class LateModel(FakeModel):
    """A model that has no answer while the listener waits."""

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        listener("")
        return super().reply(request, listener)


class InterruptedModel(FakeModel):
    """A model whose first attempt breaks off."""

    def reply(self, request: CompletionRequest, listener: StreamListener) -> ModelReply:
        listener.restart()
        return super().reply(request, listener)


class Titles:
    """A chat with one turn. ``run`` runs the function that waits for the model, which the thread would run."""

    def __init__(self, world: World, message: str = MESSAGE) -> None:
        self.world = world
        self.session = world.session()
        self.turn = world.turn(self.session, message)
        self.model = FakeModel(TITLE)
        self.waiting: list[Callable[[], None]] = []

    def request(
        self, messages: Sequence[Message] | None = None, models: ModelCatalog = MODELS, round_number: int = 0
    ) -> list[CompletionRequest]:
        """Run a round of the turn whose title arrives at once. Return the requests for a title."""
        self.waiting.clear()
        self.round(self.waiting.append, models, messages, round_number, lambda: [run() for run in self.waiting])
        return self.model.requests

    def round(
        self,
        start: Callable[[Callable[[], None]], None],
        models: ModelCatalog,
        messages: Sequence[Message] | None,
        round_number: int,
        meanwhile: Callable[[], object],
    ) -> None:
        make = MakeTitle(self.world.sessions, self.world.turns, models, self.model, is_enabled=True, start=start)
        shown = to_turns(messages or [UserMessage(text=self.turn.message)])
        with make.beside(self.turn, round_number, self.stored, shown):
            meanwhile()

    @property
    def stored(self) -> Session:
        return self.world.reload_session(self.session)

    def rename(self, title: str) -> None:
        self.world.sessions.update(ALICE.name, self.session.session_id, SessionChanges(title=title))


@pytest.fixture
def titles(world: World) -> Titles:
    return Titles(world)


@pytest.mark.parametrize("first_line", [None, MESSAGE, "Compare the sales…"])
def test_model_replaces_the_first_line_and_its_tokens_count(titles: Titles, first_line: str | None) -> None:
    titles.rename(first_line or "")
    [request] = titles.request()
    assert [message.text for message in request.messages if isinstance(message, UserMessage)] == [MESSAGE]
    assert (request.model, request.tools) == ("openai-chat:small", [])
    assert titles.stored.title == "Sales in summer"
    turn = titles.world.turns.get(titles.turn.session_id, titles.turn.turn_id)
    assert isinstance(turn, Turn)
    assert turn.usage == TOKENS


def test_title_of_the_user_is_kept_also_if_it_is_set_meanwhile(titles: Titles) -> None:
    def rename_then_answer() -> None:
        titles.rename("Mine")
        for run in titles.waiting:
            run()

    titles.round(titles.waiting.append, MODELS, None, 0, rename_then_answer)
    assert titles.stored.title == "Mine"
    assert len(titles.model.requests) == 1
    titles.model.replies = [TITLE]
    assert len(titles.request()) == 1


def test_late_title_is_given_up_and_requested_again_in_the_second_turn(titles: Titles) -> None:
    titles.model = LateModel(TITLE)
    titles.round(titles.waiting.append, MODELS, None, 0, lambda: None)
    for run in titles.waiting:
        run()
    assert titles.stored.title is None

    titles.request([UserMessage(text=MESSAGE), UserMessage(text="And September?")])
    assert titles.stored.title == "Sales in summer"


@pytest.mark.parametrize("error", [ModelUnavailable(), ModelError()])
def test_failed_request_leaves_the_title(titles: Titles, error: ModelError) -> None:
    titles.model.replies = [error]
    assert len(titles.request()) == 1
    assert titles.stored.title is None


def test_title_is_not_tried_twice(titles: Titles) -> None:
    titles.model = InterruptedModel(TITLE)
    titles.request()
    assert titles.stored.title is None


def test_title_is_not_requested_offline_or_later(titles: Titles) -> None:
    third = [UserMessage(text=MESSAGE), UserMessage(text="2"), UserMessage(text="3")]
    assert titles.request(models=ModelCatalog()) == []
    assert titles.request(third) == []
    assert titles.request(round_number=1) == []


def test_temporary_chat_gets_no_title(world: World) -> None:
    titles = Titles(world)
    titles.session = world.use_cases.start_session(ALICE, temporary=True)
    assert titles.request() == []


def test_rounds_of_a_turn_request_titles_only_if_the_setting_is_on(world: World) -> None:
    assert not world.use_cases.think.make_title.is_enabled
    world.chat_titles = True
    assert world.use_cases.think.make_title.is_enabled

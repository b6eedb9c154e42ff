"""Pictures in model requests: from the results of tools, within limits, and never in stored data."""

import base64

import pytest

from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import CompletionRequest, ModelReply, ProposedCall, TokenUsage, ToolMessage
from satchel.domain.llm import ModelCatalog, ModelEntry, ModelRequestRejected
from satchel.domain.media_budget import MAX_MEDIA, media_in
from satchel.domain.sessions import Session
from satchel.domain.turn_messages import messages_of
from tests.pictures import png
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, turn_step

ECHO = ProposedCall(tool="report.echo", arguments="{}", ref="m-1")


class Seen:
    """A turn whose tool made pictures, and the request of the next round."""

    def __init__(self, world: World, session: Session | None = None) -> None:
        self.world = world
        self.session = session or world.session()
        self.turn = world.turn(self.session)
        world.model.replies = [ModelReply(text="", calls=[ECHO])]
        world.use_cases.think(turn_step(self.turn))
        self.call = world.calls.list(self.turn.turn_id)[0]

    def finish(self, *pictures: bytes, **fields: object) -> None:
        """End the call with these pictures as files."""
        files = [
            self.world.stored_file(self.call, f"p{index}.png", body, index, "image/png", **fields)
            for index, body in enumerate(pictures)
        ]
        self.world.finish_call(self.call, RunnerReport(results="done", files=files))

    def next_request(self) -> CompletionRequest:
        """Return the request of the next round."""
        self.world.model.replies = [ModelReply(text="Seen.")]
        self.world.use_cases.think(turn_step(self.turn, 1))
        return self.world.model.requests[-1]

    def next_result(self) -> ToolMessage:
        """Return the tool's result in the request of the next round."""
        result = self.next_request().messages[-1]
        assert isinstance(result, ToolMessage)
        return result


@pytest.fixture
def seen(world: World) -> Seen:
    return Seen(world)


def test_picture_that_a_tool_made_is_in_the_request_of_the_next_round(seen: Seen) -> None:
    chart = png(30, 20)
    seen.finish(chart)
    request = seen.next_request()
    result = request.messages[-1]
    assert isinstance(result, ToolMessage)
    assert [(item.name, item.width, item.height) for item in result.media] == [("p0.png", 30, 20)]
    assert request.media == {result.media[0].key: chart}


def test_stored_messages_calls_and_events_contain_no_bytes_of_a_picture(seen: Seen) -> None:
    chart = png(30, 20)
    seen.finish(chart)
    seen.next_request()
    stored = [
        message.model_dump_json() for message in messages_of(seen.world.transcript.list_turns(seen.turn.session_id))
    ]
    stored.append(seen.world.reload(seen.call).model_dump_json())
    stored += [event.model_dump_json() for event in seen.world.events.list_after(seen.turn.turn_id, 0, 100)]
    assert base64.b64encode(chart)[:40].decode() not in "".join(stored)
    assert "p0.png" in "".join(stored)


def test_deleted_picture_is_replaced_by_a_note(seen: Seen) -> None:
    seen.finish(png())
    (record,) = seen.world.files.list_for_session(ALICE.name, seen.turn.session_id)
    seen.world.use_cases.remove_file(ALICE, record.file_key)
    assert seen.next_result().content["not_shown"] == ["p0.png: it was deleted"]


@pytest.mark.parametrize("changed", [png(size=4000), b"GIF8 no picture"])
def test_picture_that_its_runner_replaced_later_is_not_shown(seen: Seen, changed: bytes) -> None:
    seen.finish(png())
    (record,) = seen.world.files.list_for_session(ALICE.name, seen.turn.session_id)
    seen.world.put(record.key, changed)
    result = seen.next_result()
    assert result.content["not_shown"] == ["p0.png: its content is not what its description says"]
    assert result.media == []


def test_request_without_pictures_has_no_trace_of_them(seen: Seen) -> None:
    seen.world.finish_call(seen.call, RunnerReport(results="done"))
    request = seen.next_request()
    assert request.media == {}
    assert "media" not in request.model_dump_json()
    assert "not_shown" not in request.model_dump_json()


def test_pictures_beyond_the_limit_are_named_in_the_result(seen: Seen) -> None:
    seen.finish(*[png(size=900_000)] * 12)
    result = seen.next_result()
    assert sum(item.size for item in result.media) <= 8 << 20
    assert len(result.media) + len(result.content["not_shown"]) == 12
    assert result.content["not_shown"][0] == "p0.png: newer pictures and documents use up the space"


def test_turn_after_many_pictures_shows_the_newest_and_stays_within_the_budget(world: World) -> None:
    session = world.session()
    for number in range(MAX_MEDIA + 5):
        turn = world.turn(session)
        world.model.replies = [ModelReply(text="", calls=[ECHO])]
        world.use_cases.think(turn_step(turn))
        call = world.calls.list(turn.turn_id)[0]
        stored = world.stored_file(call, f"chart{number}.png", png(1500, 1000), mime="image/png")
        world.finish_call(call, RunnerReport(files=[stored]))
        world.model.replies = [ModelReply(text="Seen.")]
        step = world.use_cases.think(turn_step(turn, 1))
        world.use_cases.finish_turn(turn_step(turn, step.round))
    request = world.model.requests[-1]
    results = [message for message in request.messages if isinstance(message, ToolMessage)]
    shown = [item for result in results for item in result.media]
    assert 10 < len(shown) <= MAX_MEDIA
    assert shown[-1].name == f"chart{MAX_MEDIA + 4}.png"
    notes = [note for result in results for note in result.content.get("not_shown", [])]
    assert len(notes) + len(shown) == MAX_MEDIA + 5
    assert notes[0] == "chart0.png: newer pictures and documents use up the space"


def test_rejected_request_is_sent_again_without_pictures(seen: Seen) -> None:
    seen.finish(png())
    seen.world.model.replies = [ModelRequestRejected(), ModelReply(text="I cannot see it.")]
    seen.world.use_cases.think(turn_step(seen.turn, 1))
    request = seen.world.model.requests[-1]
    result = request.messages[-1]
    assert isinstance(result, ToolMessage)
    assert request.media == {}
    assert result.content["not_shown"] == ["p0.png: the provider of the model rejected it"]


def test_usage_has_the_estimated_tokens_of_the_shown_pictures(seen: Seen) -> None:
    seen.finish(png(1000, 1000), png(30, 20), png(5000, 4000))
    seen.world.model.replies = [ModelReply(text="Seen.", usage=TokenUsage(input_tokens=2_000, output_tokens=3))]
    seen.world.use_cases.think(turn_step(seen.turn, 1))
    expected = TokenUsage(input_tokens=2_000, output_tokens=3, media_tokens=36 * 36 + 2 * 1)
    assert seen.world.use_cases.read_turn(ALICE, seen.turn.session_id, seen.turn.turn_id).usage == expected


def test_pictures_that_the_provider_rejected_cost_nothing(seen: Seen) -> None:
    seen.finish(png())
    usage = TokenUsage(input_tokens=100, output_tokens=3)
    seen.world.model.replies = [ModelRequestRejected(), ModelReply(text="I cannot see it.", usage=usage)]
    seen.world.use_cases.think(turn_step(seen.turn, 1))
    assert seen.world.use_cases.read_turn(ALICE, seen.turn.session_id, seen.turn.turn_id).usage == usage


def test_rejected_request_without_pictures_is_not_repeated(seen: Seen) -> None:
    seen.world.finish_call(seen.call, RunnerReport(results="done"))
    seen.world.model.replies = [ModelRequestRejected(), ModelReply(text="Never")]
    with pytest.raises(ModelRequestRejected):
        seen.world.use_cases.think(turn_step(seen.turn, 1))


def test_model_without_vision_gets_a_note(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    blind = ModelCatalog("quick", (ModelEntry(name="quick", model="fake:quick", vision=False),))
    monkeypatch.setattr("tests.unit.services.wiring.MODELS", blind)
    seen = Seen(world)
    seen.finish(png())
    assert seen.next_result().content["not_shown"] == ["p0.png: the model cannot see pictures"]


def test_offline_model_gets_the_pictures_of_the_latest_turn_only(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.unit.services.wiring.MODELS", ModelCatalog())
    seen = Seen(world)
    seen.finish(png(30, 20))
    assert len(seen.next_request().media) == 1
    seen.world.use_cases.finish_turn(turn_step(seen.turn, 2))
    latest = Seen(seen.world, seen.session)
    latest.finish(chart := png(40, 20))
    request = latest.next_request()
    assert list(request.media.values()) == [chart]
    assert [item.width for message in request.messages for item in media_in(message)] == [30, 40]

"""Prepared calls: attached files before the first model request, and large pictures of tools before the next one."""

import json

import pytest

from satchel.domain.attachments import MAX_PREPARED
from satchel.domain.calls import RunnerReport
from satchel.domain.conversation import (
    AssistantMessage,
    Message,
    ModelReply,
    ProposedCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from satchel.domain.media_budget import MAX_MEDIA
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.sessions import Turn
from satchel.domain.steps import MAX_CALLS_IN_TURN, CallRef, NextStep
from satchel.domain.tools import ToolListing, fresh_tool_list
from satchel.domain.turn_messages import messages_of
from tests.pictures import png
from tests.unit.services.samples import REGISTRY, schema
from tests.unit.services.wiring import MAX_ROUNDS
from tests.unit.services.world import World, turn_step

DOCUMENTS = ServerEntry(command=["documents"])
SCHEMA = schema(["filename"], filename="string")
TOOLS = [ToolSpec(server="documents", name=name, input_schema=SCHEMA) for name in ("look", "read", "outline")]


@pytest.fixture
def world() -> World:
    """A world with the server `documents`."""
    world = World()
    world.registry = Registry(servers=REGISTRY.servers | {"documents": DOCUMENTS})
    listing = fresh_tool_list(ToolListing(tools=TOOLS), world.clock.now())
    world.tool_lists.save("documents", DOCUMENTS.config_hash(), listing)
    return world


def requested_messages(world: World) -> list[Message]:
    return world.model.requests[-1].messages


def test_first_round_reads_the_attached_files_without_a_model_request(world: World) -> None:
    session = world.session()
    world.upload("notes.txt", b"secret: 42", session)
    turn = world.turn(session, "What is the secret?", files=["notes.txt"])
    step = world.use_cases.think(turn_step(turn))
    (call,) = world.calls.list(turn.turn_id)
    assert (call.tool, call.arguments) == ("documents.read", '{"filename": "notes.txt"}')
    assert (step.round, step.calls, step.done) == (1, [CallRef(call_id=call.call_id)], False)
    assert world.model.requests == []


def test_model_gets_the_prepared_results_in_its_first_request(world: World) -> None:
    session = world.session()
    world.upload("notes.txt", b"secret: 42", session)
    turn = world.turn(session, "What is the secret?", files=["notes.txt"])
    world.use_cases.think(turn_step(turn))
    (call,) = world.calls.list(turn.turn_id)
    world.finish_call(call, RunnerReport(results="secret: 42"))
    world.model.replies = [ModelReply(text="It is 42.")]
    assert world.use_cases.think(turn_step(turn, 1)).done
    _, reply, result = requested_messages(world)
    assert isinstance(reply, AssistantMessage)
    assert [proposed.tool for proposed in reply.calls] == ["documents.read"]
    assert isinstance(result, ToolMessage)
    assert result.content["results"] == "secret: 42"


def test_repeated_first_round_returns_the_same_calls(world: World) -> None:
    session = world.session()
    world.upload("notes.txt", b"x", session)
    turn = world.turn(session, files=["notes.txt"])
    assert world.use_cases.think(turn_step(turn)) == world.use_cases.think(turn_step(turn))
    assert len(world.calls.list(turn.turn_id)) == 1


def test_small_picture_is_part_of_the_message_and_needs_no_call(world: World) -> None:
    session = world.session()
    body = png(30, 20)
    world.upload("photo.png", body, session)
    turn = world.turn(session, "What is it?", files=["photo.png"])
    world.model.replies = [ModelReply(text="Gray.")]
    assert world.use_cases.think(turn_step(turn)).done
    (message,) = requested_messages(world)
    assert isinstance(message, UserMessage)
    assert [item.name for item in message.media] == ["photo.png"]
    assert list(world.model.requests[-1].media.values()) == [body]


def test_message_with_a_hundred_pictures_shows_the_newest_and_names_the_others(world: World) -> None:
    session = world.session()
    names = [f"photo{number}.png" for number in range(100)]
    for name in names:
        world.upload(name, png(30, 20), session)
    turn = world.turn(session, "What are they?", files=names)
    world.model.replies = [ModelReply(text="Gray.")]
    assert world.use_cases.think(turn_step(turn)).done
    (message,) = requested_messages(world)
    assert isinstance(message, UserMessage)
    assert [item.name for item in message.media] == names[-MAX_MEDIA:]
    _, _, note = message.text.partition("[SYSTEM: Not shown to you: ")
    expected = [f"{name}: newer pictures and documents use up the space" for name in names[:-MAX_MEDIA]]
    assert note == "; ".join(expected) + "]"


@pytest.mark.parametrize(("pages", "tools"), [(5, []), (12, ["documents.read"])])
def test_pdf_file_is_read_if_a_request_has_no_room_for_its_pages(world: World, pages: int, tools: list[str]) -> None:
    session = world.session()
    world.upload("paper.pdf", f"%PDF-1.4\n1 0 obj\n<< /Type /Pages /Count {pages} >>\nendobj\n".encode(), session)
    turn = world.turn(session, "What does it say?", files=["paper.pdf"])
    assert [call.tool for call in turn.prepared] == tools
    (message,) = messages_of(world.transcript.list_turns(session.session_id))
    assert isinstance(message, UserMessage)
    assert len(message.media) == (0 if tools else 1)


def test_picture_stays_in_the_message_in_later_turns(world: World) -> None:
    session = world.session()
    world.upload("photo.png", png(30, 20), session)
    world.complete(world.turn(session, "What is it?", files=["photo.png"]))
    first = requested_messages(world)[0]
    world.complete(world.turn(session, "And now?"))
    assert requested_messages(world)[0] == first


def test_turn_that_may_not_call_documents_gets_a_note(world: World) -> None:
    session = world.session()
    world.upload("notes.txt", b"x", session)
    turn = world.turn(session, files=["notes.txt"], tools=["report"])
    world.complete(turn)
    (message,) = requested_messages(world)
    assert isinstance(message, UserMessage)
    assert message.text.endswith("because no tool that reads documents is available: notes.txt]")


def test_prepared_round_does_not_count_as_a_round_of_the_model(world: World) -> None:
    session = world.session()
    world.upload("notes.txt", b"x", session)
    turn = world.turn(session, files=["notes.txt"])
    world.use_cases.think(turn_step(turn))
    for number in range(1, MAX_ROUNDS + 2):
        echo = ProposedCall(tool="report.echo", arguments="{}", ref=f"m-{number}")
        world.model.replies = [ModelReply(text="Once more", calls=[echo])]
        world.use_cases.think(turn_step(turn, number))
    assert [request.must_answer for request in world.model.requests] == [False] * MAX_ROUNDS + [True]


# Large pictures of tools

LARGE = png(4000, 3000)
ECHO = ProposedCall(tool="report.echo", arguments="{}", ref="m-1")


def draw(world: World, *charts: bytes, tools: list[str] | None = None, round_number: int = 0) -> Turn:
    """Start a turn in whose round with this number a tool returns these pictures, `chart0.png` and so on."""
    turn = world.turn(world.session(), "Draw my sales.", tools=tools)
    draw_in(world, turn, *charts, round_number=round_number)
    return turn


def draw_in(world: World, turn: Turn, *charts: bytes, round_number: int = 0) -> None:
    world.model.replies = [ModelReply(text="", calls=[ECHO])]
    world.use_cases.think(turn_step(turn, round_number))
    call = world.calls.list(turn.turn_id)[-1]
    names = enumerate(charts)
    files = [world.stored_file(call, f"chart{index}.png", body, index, "image/png") for index, body in names]
    world.finish_call(call, RunnerReport(results="Drawn.", files=files))


def looked_at(world: World, turn: Turn) -> list[str]:
    calls = [call for call in world.calls.list(turn.turn_id) if call.tool == "documents.look"]
    return [json.loads(call.arguments)["filename"] for call in calls]


def answer_round(world: World, turn: Turn, round_number: int) -> NextStep:
    world.model.replies = [ModelReply(text="A chart.")]
    return world.use_cases.think(turn_step(turn, round_number))


def test_large_picture_of_a_tool_is_looked_at_before_the_next_model_request(world: World) -> None:
    turn = draw(world, LARGE, png(30, 20))
    step = world.use_cases.think(turn_step(turn, 1))
    look = world.calls.list(turn.turn_id)[-1]
    assert (look.tool, look.arguments) == ("documents.look", '{"filename": "chart0.png"}')
    assert (step.round, step.calls, step.done) == (2, [CallRef(call_id=look.call_id)], False)
    assert len(world.model.requests) == 1


def test_picture_with_too_many_bytes_is_looked_at(world: World) -> None:
    turn = draw(world, png(30, 20, size=4_000_000))
    answer_round(world, turn, 1)
    assert looked_at(world, turn) == ["chart0.png"]


def test_model_is_shown_the_view_of_a_large_picture(world: World) -> None:
    turn = draw(world, LARGE)
    world.use_cases.think(turn_step(turn, 1))
    look = world.calls.list(turn.turn_id)[-1]
    world.calls.mark_dispatched(look.model_copy(update={"injected": {"filename": "chart0.png"}, "server": "documents"}))
    view = world.stored_file(look, "image-0.png", png(40, 30), 0, "image/png", audience="assistant")
    world.finish_call(world.reload(look), RunnerReport(results="chart0.png", files=[view]))
    assert answer_round(world, turn, 2).done
    assert list(world.model.requests[-1].media.values()) == [png(40, 30)]


def test_repeated_round_looks_at_the_same_pictures_once(world: World) -> None:
    turn = draw(world, LARGE, LARGE)
    assert world.use_cases.think(turn_step(turn, 1)) == world.use_cases.think(turn_step(turn, 1))
    assert looked_at(world, turn) == ["chart0.png", "chart1.png"]


def test_failed_look_is_not_repeated(world: World) -> None:
    turn = draw(world, LARGE)
    world.use_cases.think(turn_step(turn, 1))
    world.finish_call(world.calls.list(turn.turn_id)[-1], RunnerReport(results="E_DAMAGED", is_error=True))
    assert answer_round(world, turn, 2).done
    assert looked_at(world, turn) == ["chart0.png"]


def test_large_picture_that_documents_returns_is_not_looked_at_again(world: World) -> None:
    turn = draw(world, LARGE)
    world.use_cases.think(turn_step(turn, 1))
    look = world.calls.list(turn.turn_id)[-1]
    files = [world.stored_file(look, "view.png", LARGE, 0, "image/png")]
    world.finish_call(look, RunnerReport(results="", files=files))
    assert answer_round(world, turn, 2).done


def test_number_of_pictures_that_are_looked_at_in_a_round_is_limited(world: World) -> None:
    turn = world.turn(world.session())
    world.model.replies = [ModelReply(text="", calls=[ECHO] * 2)]
    world.use_cases.think(turn_step(turn))
    for number, call in enumerate(world.calls.list(turn.turn_id)):
        files = [world.stored_file(call, f"c{number}-{index}.png", LARGE, index, "image/png") for index in range(15)]
        world.finish_call(call, RunnerReport(results="", files=files))
    assert len(world.use_cases.think(turn_step(turn, 1)).calls) == MAX_PREPARED
    assert looked_at(world, turn)[-1] == "c1-14.png"


@pytest.mark.parametrize("tools", [["report"], ["report", "documents.read"]])
def test_turn_that_may_not_look_gets_a_note(world: World, tools: list[str]) -> None:
    turn = draw(world, LARGE, tools=tools)
    assert answer_round(world, turn, 1).done
    *_, result = requested_messages(world)
    assert isinstance(result, ToolMessage)
    assert result.content["not_shown"] == ["chart0.png: 4000x3000 pixels are too many"]


def test_turn_that_may_only_look_looks_at_large_pictures(world: World) -> None:
    turn = draw(world, LARGE, tools=["report", "documents.look"])
    answer_round(world, turn, 1)
    assert looked_at(world, turn) == ["chart0.png"]


def test_last_round_answers_without_looking(world: World) -> None:
    turn = world.turn(world.session())
    for number in range(MAX_ROUNDS - 1):
        draw_in(world, turn, round_number=number)
    draw_in(world, turn, LARGE, round_number=MAX_ROUNDS - 1)
    assert answer_round(world, turn, MAX_ROUNDS).done
    assert (looked_at(world, turn), world.model.requests[-1].must_answer) == ([], True)


def test_looks_count_as_calls_of_the_turn(world: World) -> None:
    turn = world.turn(world.session())
    earlier = AssistantMessage(text="", calls=[ECHO] * (MAX_CALLS_IN_TURN - 2))
    world.transcript.add_reply(turn, 0, earlier)
    draw_in(world, turn, LARGE, LARGE, round_number=1)
    assert len(world.use_cases.think(turn_step(turn, 2)).calls) == 1
    assert answer_round(world, turn, 3).done
    assert world.model.requests[-1].must_answer

"""Pictures in results: which of them the model sees, and pictures that only the model sees."""

import pytest

from satchel.contract import Display
from satchel.domain.calls import Call, RunnerReport, StoredFile
from satchel.domain.conversation import ToolMessage
from satchel.domain.media import MAX_PICTURE_BYTES, MediaRef
from satchel.domain.turn_messages import messages_of
from tests.pictures import png
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World

PICTURE = png(30, 20)


def media_of_message(world: World, call: Call) -> list[MediaRef]:
    message = messages_of(world.transcript.list_turns(call.session_id))[-1]
    assert isinstance(message, ToolMessage)
    return message.media


def problems_of(world: World, call: Call) -> list[str]:
    result = world.reload(call).result
    assert result is not None
    return [problem["reason"] for problem in (result.meta_data or {}).get("artifact_problems", [])]


def test_message_refers_to_the_pictures_that_the_tool_declares(world: World, call: Call) -> None:
    chart = world.stored_file(call, "chart.png", png(30, 20), 0, "image/png")
    page = world.stored_file(call, "page.html", index=1)
    found = world.stored_file(call, "found.png", png(), 2, "image/png").model_copy(update={"declared": False})
    world.finish_call(call, RunnerReport(files=[chart, page, found]))
    expected = MediaRef(name="chart.png", key=chart.key, mime="image/png", size=len(png(30, 20)), width=30, height=20)
    assert media_of_message(world, call) == [expected]


def test_recording_again_keeps_the_references(world: World, call: Call) -> None:
    chart = world.stored_file(call, "chart.png", png(30, 20), 0, "image/png")
    for _ in range(2):
        world.finish_call(call, RunnerReport(files=[chart], display=Display(open_canvas=True)))
    assert [item.name for item in media_of_message(world, call)] == ["chart.png"]


@pytest.fixture
def view_call(world: World) -> Call:
    """A call that got the user's file `photo.png`."""
    session = world.session()
    world.upload("photo.png", png(90, 60), session)
    call = world.call(world.turn(session), "report.summarise")
    world.calls.mark_dispatched(call.model_copy(update={"injected": {"filename": "photo.png"}, "server": "report"}))
    return world.reload(call)


def store_view(world: World, call: Call, body: bytes = PICTURE, index: int = 0) -> StoredFile:
    """Store a picture for the model only, as a runner does."""
    return world.stored_file(call, f"image-{index}.png", body, index, "image/png", audience="assistant")


def names_of_files(world: World, call: Call) -> list[str]:
    return [file.name for file in world.files.list_for_session(ALICE.name, call.session_id)]


def test_picture_for_the_model_only_is_no_file_of_the_user(world: World, view_call: Call) -> None:
    view = store_view(world, view_call)
    world.store.set_tags(view.key, {"retention": "unkept"})
    result = world.finish_call(view_call, RunnerReport(results="shown", files=[view]))
    assert (result.artifacts, result.meta_data) == ([], None)
    assert names_of_files(world, view_call) == ["photo.png"]
    assert [(item.name, item.key) for item in media_of_message(world, view_call)] == [("photo.png", view.key)]
    assert world.store.objects[view.key].tags == {}


def test_picture_for_the_model_only_counts_and_is_deleted_with_its_file(world: World, view_call: Call) -> None:
    before = world.files.usage(ALICE.name)
    view = store_view(world, view_call)
    for _ in range(2):
        world.finish_call(view_call, RunnerReport(files=[view]))
    usage = world.files.usage(ALICE.name)
    assert (usage.bytes, usage.count) == (before.bytes + len(PICTURE), before.count)
    (record,) = world.files.list_for_session(ALICE.name, view_call.session_id)
    world.use_cases.remove_file(ALICE, record.file_key)
    assert view.key not in world.store.objects
    assert world.files.usage(ALICE.name).bytes == 0


def test_expired_file_is_deleted_with_its_views(world: World, view_call: Call) -> None:
    view = store_view(world, view_call)
    world.finish_call(view_call, RunnerReport(files=[view]))
    world.use_cases.remove_files(world.files.list_for_session(ALICE.name, view_call.session_id))
    assert view.key not in world.store.objects


def test_picture_for_the_model_only_is_a_file_if_the_tool_got_no_picture(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(files=[store_view(world, call)]))
    assert names_of_files(world, call) == ["image-0.png"]
    assert [item.name for item in media_of_message(world, call)] == ["image-0.png"]


def test_hidden_file_that_is_no_picture_is_refused(world: World, view_call: Call) -> None:
    world.finish_call(view_call, RunnerReport(files=[store_view(world, view_call, b"#!/bin/sh")]))
    assert problems_of(world, view_call) == ["The file is not a picture."]
    assert media_of_message(world, view_call) == []


def test_hidden_picture_above_the_size_limit_is_refused(world: World, view_call: Call) -> None:
    view = store_view(world, view_call, png(size=MAX_PICTURE_BYTES + 1))
    world.finish_call(view_call, RunnerReport(files=[view]))
    assert len(problems_of(world, view_call)) == 1
    assert media_of_message(world, view_call) == []


def test_hidden_picture_with_the_key_of_another_call_is_refused(world: World, call: Call, view_call: Call) -> None:
    world.finish_call(view_call, RunnerReport(files=[store_view(world, call)]))
    assert problems_of(world, view_call) == ["The file is outside the storage prefix of this call."]


def test_at_most_twenty_pictures_of_a_call_are_hidden_from_the_user(world: World, view_call: Call) -> None:
    views = [store_view(world, view_call, index=index) for index in range(25)]
    world.finish_call(view_call, RunnerReport(files=views))
    assert len(media_of_message(world, view_call)) == 20
    assert len(problems_of(world, view_call)) == 5

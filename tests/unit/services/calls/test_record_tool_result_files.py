"""Artifacts become files of the person: named, described, shown, and gone in time."""

from datetime import timedelta

import pytest

from satchel.contract import Display
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.files import FileRecord, Source
from satchel.domain.responses import ResponseArtifact, ResponseDeferred
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World


@pytest.mark.clause("v2.1:storage:my-files", "v2.1:artifacts:category", "v2.1:artifacts:auto-open")
def test_an_artifact_becomes_a_file_of_the_person_in_the_session(world: World, call: Call) -> None:
    stored = world.stored_file(call, "out/report.html", b"<p>Hi", description="Q3", category="report", auto_open=True)
    world.finish_call(call, RunnerReport(files=[stored], display=Display(category_hint="other")))
    assert world.files.of_session(ALICE.name, call.session_id) == [
        FileRecord(
            object_id=stored.object_id,
            file_key=stored.object_id,
            key=stored.key,
            user=ALICE.name,
            session_id=call.session_id,
            name="report.html",
            raw_name="out/report.html",
            mime="text/html",
            size=5,
            source=Source.GENERATED,
            origin=call.call_id,
            created_at=world.clock.now(),
            description="Q3",
            category="report",
            auto_open=True,
        )
    ]


def test_what_becomes_a_file_stays_and_what_does_not_goes_by_itself(world: World, call: Call) -> None:
    kept, foreign = world.stored_file(call, "a.html"), world.stored_file(call, "b.html", index=1)
    for stored in (kept, foreign):
        world.store.tag(stored.key, {"retention": "unkept"})
    world.finish_call(call, RunnerReport(files=[kept, foreign.model_copy(update={"index": 2})]))
    assert world.store.objects[kept.key].tags == {}
    assert world.store.objects[foreign.key].tags == {"retention": "unkept"}


@pytest.mark.clause("v2.1:artifacts:fields", "v5:artifacts:facts")
def test_an_artifact_is_shown_as_it_was_described(world: World, call: Call) -> None:
    said = {"id": "a1", "type": "document", "title": "Report", "language": "en", "metadata": {"n": 1}, "viewer": "code"}
    stored = world.stored_file(call, "report.html").model_copy(update={"artifact": said})
    assert world.finish_call(call, RunnerReport(files=[stored])).artifacts == [
        ResponseArtifact(
            id="a1",
            type="document",
            title="Report",
            position=0,
            name="report.html",
            mime="text/html",
            size=3,
            viewer="code",
            language="en",
            metadata={"n": 1},
            showable=True,
            file_key=stored.object_id,
        )
    ]


def test_an_artifact_that_was_not_described_is_shown_by_what_it_is(world: World, call: Call) -> None:
    stored = world.stored_file(call, "chart.png", b"png", mime="image/png")
    assert world.finish_call(call, RunnerReport(files=[stored])).artifacts == [
        ResponseArtifact(
            id=stored.object_id,
            type="image/png",
            title="chart.png",
            position=0,
            name="chart.png",
            mime="image/png",
            size=3,
            viewer="image",
            showable=True,
            file_key=stored.object_id,
        )
    ]


def test_what_the_tool_named_nowhere_is_listed_but_not_put_on_show(world: World, call: Call) -> None:
    found = world.stored_file(call, "left.html").model_copy(update={"declared": False})
    own = world.stored_file(call, "own.html", index=1)
    result = world.finish_call(call, RunnerReport(files=[found, own]))
    assert [(a.name, a.showable) for a in result.artifacts] == [("left.html", False), ("own.html", True)]


def test_which_files_go_as_text_is_kept_with_the_call(world: World, call: Call) -> None:
    text = world.stored_file(call, "a.md").model_copy(update={"inline": True})
    result = world.finish_call(call, RunnerReport(files=[text, world.stored_file(call, "b.md", index=1)]))
    assert result.inline == [text.object_id]


@pytest.mark.clause("v2.1:artifacts:viewer")
@pytest.mark.parametrize("viewer", ["auto", "holodeck", "", "<script>"])
def test_a_viewer_that_there_is_not_gives_way_to_the_kind_of_file(world: World, call: Call, viewer: str) -> None:
    stored = world.stored_file(call, "report.html", viewer=viewer)
    assert world.finish_call(call, RunnerReport(files=[stored])).artifacts[0].viewer == "html"


@pytest.mark.clause("v2.1:artifacts:auto-open")
def test_a_file_that_asks_to_be_opened_says_so_in_the_response(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html", auto_open=True), world.stored_file(call, "b.html", index=1)]
    assert [a.auto_open for a in world.finish_call(call, RunnerReport(files=files)).artifacts] == [True, False]


@pytest.mark.clause("v2.1:display:category-hint")
def test_the_tools_hint_fills_in_the_category(world: World, call: Call) -> None:
    world.finish_call(
        call, RunnerReport(files=[world.stored_file(call, "a.csv")], display=Display(category_hint="dataset"))
    )
    assert world.files.of_session(ALICE.name, call.session_id)[0].category == "dataset"


@pytest.mark.clause("v2.1:display:temporary")
@pytest.mark.parametrize(("action", "temporary"), [("temporary", True), ("store", False), ("store_and_open", False)])
def test_files_are_temporary_where_the_tool_says_so(world: World, call: Call, action: str, temporary: bool) -> None:  # noqa: FBT001 (a row)
    display = Display.model_validate({"storage_action": action})
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.csv")], display=display))
    assert world.files.of_session(ALICE.name, call.session_id)[0].temporary is temporary


@pytest.mark.clause("v2:display:primary-file")
def test_the_primary_file_is_known_by_the_name_that_it_got(world: World) -> None:
    session = world.session()
    world.upload("report.html", session=session)
    call = world.call(world.turn(session))
    outcome = RunnerReport(files=[world.stored_file(call, "report.html")], display=Display(primary_file="report.html"))
    found = world.finish_call(call, outcome)
    assert ([a.name for a in found.artifacts], found.display) == (
        ["report (2).html"],
        Display(primary_file="report (2).html"),
    )


def test_a_primary_file_that_was_not_kept_is_none(world: World, call: Call) -> None:
    found = world.finish_call(
        call, RunnerReport(results=1, display=Display(open_canvas=True, primary_file="gone.html"))
    )
    assert found.display == Display(open_canvas=True)


@pytest.mark.clause("v2.1:context:info", "v2.1:deferred:fields", "v2.1:deferred:stored")
def test_a_file_that_waits_says_for_what_and_how_long(world: World, call: Call) -> None:
    stored = world.stored_file(
        call,
        "draft.docx",
        b"draft",
        mime="application/msword",
        deferred=True,
        reason="needs_editing",
        next_actions=["Edit it"],
        expires_hours=2,
    )
    found = world.finish_call(call, RunnerReport(files=[stored]))
    expires_at = int((world.clock.now() + timedelta(hours=2)).timestamp())
    assert found.artifacts == []
    assert found.deferred == [
        ResponseDeferred(
            name="draft.docx",
            file_key=stored.object_id,
            mime="application/msword",
            size=5,
            reason="needs_editing",
            next_actions=["Edit it"],
            expires_at=expires_at,
        )
    ]
    (record,) = world.files.of_session(ALICE.name, call.session_id)
    assert (record.source, record.expires_at) == (Source.DEFERRED, expires_at)
    assert (record.reason, record.status, record.next_actions) == ("needs_editing", "needs editing", ["Edit it"])
    assert record.key == f"{ALICE.name}/deferred/20240827/{record.file_key}/draft.docx"
    assert world.store.objects[record.key].tags == {"expire-days": "1"}


@pytest.mark.clause("v2.1:deferred:expires-default")
def test_a_file_that_waits_waits_three_days_where_nothing_is_said(world: World, call: Call) -> None:
    found = world.finish_call(call, RunnerReport(files=[world.stored_file(call, "draft.docx", deferred=True)]))
    assert found.deferred[0].expires_at == int((world.clock.now() + timedelta(hours=72)).timestamp())


@pytest.mark.clause("v2:files:update-event")
def test_everybody_is_told_of_the_files_by_reference(world: World, call: Call) -> None:
    stored = world.stored_file(call, "a.html", metadata={"big": "thing"})
    world.finish_call(call, RunnerReport(files=[stored], display=Display(primary_file="a.html")))
    told = {
        "update_type": "files_update",
        "call_id": call.call_id,
        "files": [
            {
                "id": stored.object_id,
                "type": "text/html",
                "title": "a.html",
                "position": 0,
                "name": "a.html",
                "mime": "text/html",
                "size": 3,
                "viewer": "html",
                "showable": True,
                "auto_open": False,
                "file_key": stored.object_id,
                "version": 1,
            }
        ],
        "display": {"open_canvas": False, "primary_file": "a.html", "storage_action": "store"},
    }
    assert world.events.told(call.turn_id, "intermediate_update") == [("intermediate_update", told)]


def test_files_that_come_without_a_hint_are_told_to_be_opened_where_they_can_be_shown(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    later = world.call(world.turns.list(call.session_id, 1, None).items[0], index=1)
    world.finish_call(
        later, RunnerReport(files=[world.stored_file(later, "data.bin", mime="application/octet-stream")])
    )
    assert [said["display"] for _, said in world.events.told(call.turn_id, "intermediate_update")] == [
        {"open_canvas": True, "primary_file": "a.html", "storage_action": "store"},
        {"open_canvas": False, "storage_action": "store"},
    ]


@pytest.mark.clause("v1:files:none")
def test_without_files_there_is_no_news_of_files(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(results=1, display=Display(open_canvas=True)))
    assert world.events.told(call.turn_id, "intermediate_update") == []


@pytest.mark.clause("v2.1:artifacts:name")
def test_a_file_made_again_in_a_later_call_is_a_new_version(world: World, call: Call) -> None:
    first = world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html", b"1")]))
    later = world.call(world.turns.list(call.session_id, 1, None).items[0], index=1)
    found = world.finish_call(later, RunnerReport(files=[world.stored_file(later, "a.html", b"22")]))
    assert [(a.name, a.file_key, a.version, a.size) for a in [*first.artifacts, *found.artifacts]] == [
        ("a.html", first.artifacts[0].file_key, 1, 1),
        ("a.html", first.artifacts[0].file_key, 2, 2),
    ]


@pytest.mark.clause("v2.1:artifacts:name")
def test_two_files_of_one_name_in_one_call_are_two_files(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html", b"1"), world.stored_file(call, "a.html", b"22", index=1)]
    found = world.finish_call(call, RunnerReport(files=files))
    assert [(a.name, a.size, a.position) for a in found.artifacts] == [("a.html", 1, 0), ("a (2).html", 2, 1)]

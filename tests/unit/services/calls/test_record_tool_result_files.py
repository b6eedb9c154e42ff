"""Recording the files of a call: records, names, descriptions and expiry."""

from datetime import timedelta
from typing import Any

import pytest

from satchel.contract import Display, ToolOutput, build_model_view
from satchel.domain.attachments import DOCUMENTS_SERVER
from satchel.domain.calls import Call, RunnerReport
from satchel.domain.conversation import ToolMessage
from satchel.domain.files import FileRecord, Source
from satchel.domain.responses import ResponseArtifact, ResponseDeferred, ResponseDisplay
from satchel.domain.servers import Registry, ServerEntry
from satchel.domain.sessions import Turn
from satchel.domain.timestamps import format_time
from satchel.domain.turn_messages import messages_of
from satchel.services.calls.runner_report import build_report
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World


@pytest.mark.clause("v2.1:storage:my-files", "v2.1:artifacts:category", "v2.1:artifacts:auto-open")
def test_artifact_becomes_a_file_of_the_user_and_the_session(world: World, call: Call) -> None:
    stored = world.stored_file(call, "out/report.html", b"<p>Hi", description="Q3", category="report", auto_open=True)
    world.finish_call(call, RunnerReport(files=[stored], display=Display(category_hint="other")))
    assert world.files.list_for_session(ALICE.name, call.session_id) == [
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


def test_only_recorded_files_lose_the_tag_that_deletes_them(world: World, call: Call) -> None:
    recorded, rejected = world.stored_file(call, "a.html"), world.stored_file(call, "b.html", index=1)
    for stored in (recorded, rejected):
        world.store.set_tags(stored.key, {"retention": "unkept"})
    world.finish_call(call, RunnerReport(files=[recorded, rejected.model_copy(update={"index": 2})]))
    assert world.store.objects[recorded.key].tags == {}
    assert world.store.objects[rejected.key].tags == {"retention": "unkept"}


@pytest.mark.clause("v2.1:artifacts:fields", "v5:artifacts:facts")
def test_response_contains_the_description_of_the_tool(world: World, call: Call) -> None:
    stored = world.stored_file(
        call,
        "report.html",
        id="a1",
        type="document",
        title="Report",
        language="en",
        metadata={"n": 1},
        viewer="code",
    )
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


def test_response_describes_a_file_without_description_by_its_type_and_name(world: World, call: Call) -> None:
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


def test_undeclared_file_is_listed_but_not_showable(world: World, call: Call) -> None:
    undeclared = world.stored_file(call, "left.html").model_copy(update={"declared": False})
    own = world.stored_file(call, "own.html", index=1)
    result = world.finish_call(call, RunnerReport(files=[undeclared, own]))
    assert [(a.name, a.showable) for a in result.artifacts] == [("left.html", False), ("own.html", True)]


def test_inline_files_are_stored_with_the_result(world: World, call: Call) -> None:
    text = world.stored_file(call, "a.md").model_copy(update={"inline": True})
    result = world.finish_call(call, RunnerReport(files=[text, world.stored_file(call, "b.md", index=1)]))
    assert result.inline == [text.object_id]


@pytest.mark.clause("v2.1:artifacts:viewer")
@pytest.mark.parametrize("viewer", ["auto", "holodeck", "", "<script>"])
def test_unknown_viewer_is_replaced_by_that_of_the_file_type(world: World, call: Call, viewer: str) -> None:
    stored = world.stored_file(call, "report.html", viewer=viewer)
    assert world.finish_call(call, RunnerReport(files=[stored])).artifacts[0].viewer == "html"


@pytest.mark.clause("v2.1:artifacts:auto-open")
def test_auto_open_is_part_of_the_response(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html", auto_open=True), world.stored_file(call, "b.html", index=1)]
    assert [a.auto_open for a in world.finish_call(call, RunnerReport(files=files)).artifacts] == [True, False]


@pytest.mark.clause("v2.1:display:category-hint")
def test_category_hint_is_the_default_category(world: World, call: Call) -> None:
    world.finish_call(
        call, RunnerReport(files=[world.stored_file(call, "a.csv")], display=Display(category_hint="dataset"))
    )
    assert world.files.list_for_session(ALICE.name, call.session_id)[0].category == "dataset"


@pytest.mark.clause("v2.1:display:temporary")
@pytest.mark.parametrize(("action", "temporary"), [("temporary", True), ("store", False), ("store_and_open", False)])
def test_files_are_temporary_if_the_tool_requests_it(world: World, call: Call, action: str, temporary: bool) -> None:  # noqa: FBT001 (a row)
    display = Display.model_validate({"storage_action": action})
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.csv")], display=display))
    assert world.files.list_for_session(ALICE.name, call.session_id)[0].temporary is temporary


@pytest.mark.clause("v2:display:primary-file")
def test_primary_file_has_its_final_name(world: World) -> None:
    session = world.session()
    world.upload("report.html", session=session)
    call = world.call(world.turn(session))
    report = RunnerReport(files=[world.stored_file(call, "report.html")], display=Display(primary_file="report.html"))
    result = world.finish_call(call, report)
    assert ([a.name for a in result.artifacts], result.display) == (
        ["report (2).html"],
        Display(primary_file="report (2).html"),
    )


def test_missing_primary_file_is_removed_from_the_display(world: World, call: Call) -> None:
    result = world.finish_call(
        call, RunnerReport(results=1, display=Display(open_canvas=True, primary_file="gone.html"))
    )
    assert result.display == Display(open_canvas=True)


@pytest.mark.clause("v2.1:context:info", "v2.1:deferred:fields", "v2.1:deferred:stored")
def test_deferred_file_has_its_reason_actions_and_expiry(world: World, call: Call) -> None:
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
    result = world.finish_call(call, RunnerReport(files=[stored]))
    expires_at = world.clock.now() + timedelta(hours=2)
    assert result.artifacts == []
    assert result.deferred == [
        ResponseDeferred(
            name="draft.docx",
            file_key=stored.object_id,
            mime="application/msword",
            size=5,
            reason="needs_editing",
            status="needs editing",
            next_actions=["Edit it"],
            expires_at=expires_at,
        )
    ]
    (record,) = world.files.list_for_session(ALICE.name, call.session_id)
    assert (record.source, record.expiry) == (Source.DEFERRED, expires_at)
    assert (record.reason, record.status, record.next_actions) == ("needs_editing", "needs editing", ["Edit it"])
    assert record.key == f"{ALICE.name}/deferred/20240827/{record.file_key}/draft.docx"
    assert world.store.objects[record.key].tags == {"expire-days": "1"}


@pytest.mark.clause("v2.1:deferred:expires-default")
def test_deferred_file_expires_after_three_days_by_default(world: World, call: Call) -> None:
    result = world.finish_call(call, RunnerReport(files=[world.stored_file(call, "draft.docx", deferred=True)]))
    assert result.deferred[0].expires_at == world.clock.now() + timedelta(hours=72)


@pytest.mark.clause("v2.1:deferred:fields")
def test_model_gets_what_a_deferred_file_waits_for_and_its_next_steps(world: World, call: Call) -> None:
    fields: dict[str, Any] = {
        "reason": "needs_editing",
        "description": "A plan",
        "next_actions": ["Edit it", "Send it"],
    }
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.docx", deferred=True, **fields)]))
    (message,) = [m for m in messages_of(world.transcript.list_turns(call.session_id)) if isinstance(m, ToolMessage)]
    assert message.content["deferred_files"] == [
        {
            "name": "a.docx",
            "description": "A plan",
            "reason": "needs editing",
            "next_actions": ["Edit it", "Send it"],
            "expires_at": format_time(world.clock.now() + timedelta(hours=72)),
        }
    ]


@pytest.mark.clause("v2.1:deferred:fields")
def test_files_update_has_the_reason_next_steps_and_expiry_of_a_deferred_file(world: World, call: Call) -> None:
    fields: dict[str, Any] = {"reason": "needs_editing", "description": "A plan", "next_actions": ["Edit it"]}
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.docx", deferred=True, **fields)]))
    (update,) = [payload for _, payload in world.events.payloads(call.turn_id, "intermediate_update")]
    (file,) = update["files"]
    expires_at = format_time(world.clock.now() + timedelta(hours=72))
    assert fields.items() <= file.items()
    assert (file["status"], file["expires_at"]) == ("needs editing", expires_at)


NO_HINTS = ResponseDisplay().model_dump()


@pytest.mark.clause("v2:files:update-event")
def test_files_update_contains_references_only(world: World, call: Call) -> None:
    stored = world.stored_file(call, "a.html", metadata={"big": "thing"})
    world.finish_call(call, RunnerReport(files=[stored], display=Display(primary_file="a.html")))
    payload = {
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
                "category": None,
                "description": None,
                "content": None,
                "language": None,
                "metadata": None,
                "showable": True,
                "auto_open": False,
                "file_key": stored.object_id,
                "version": 1,
                "download_url": None,
            }
        ],
        "display": NO_HINTS | {"primary_file": "a.html"},
    }
    assert world.events.payloads(call.turn_id, "intermediate_update") == [("intermediate_update", payload)]


def test_files_update_opens_the_canvas_for_showable_files_without_a_hint(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    later = world.call(world.turns.list(call.session_id, 1, None).items[0], index=1)
    world.finish_call(
        later, RunnerReport(files=[world.stored_file(later, "data.bin", mime="application/octet-stream")])
    )
    assert [fields["display"] for _, fields in world.events.payloads(call.turn_id, "intermediate_update")] == [
        NO_HINTS | {"open_canvas": True, "primary_file": "a.html"},
        NO_HINTS,
    ]


@pytest.mark.clause("v1:files:none")
def test_no_files_update_without_files(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(results=1, display=Display(open_canvas=True)))
    assert world.events.payloads(call.turn_id, "intermediate_update") == []


def later_turn(world: World, call: Call) -> Turn:
    """End the turn of the call, and start another one in the same session."""
    turn = world.turns.get(call.session_id, call.turn_id)
    assert turn is not None
    world.complete(turn)
    world.clock.advance(1)
    session = world.sessions.get(call.user, call.session_id)
    assert session is not None
    return world.turn(session)


@pytest.mark.clause("v2.1:artifacts:name")
def test_file_of_a_later_turn_with_the_same_name_is_a_new_version(world: World, call: Call) -> None:
    first = world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html", b"1")]))
    later = world.call(later_turn(world, call))
    result = world.finish_call(later, RunnerReport(files=[world.stored_file(later, "a.html", b"22")]))
    assert [(a.name, a.file_key, a.version, a.size) for a in [*first.artifacts, *result.artifacts]] == [
        ("a.html", first.artifacts[0].file_key, 1, 1),
        ("a.html", first.artifacts[0].file_key, 2, 2),
    ]


@pytest.mark.clause("v2.1:artifacts:same-turn")
def test_file_of_another_call_of_the_turn_gets_a_numbered_name_everywhere(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html", b"1")]))
    second = world.call(world.turns.list(call.session_id, 1, None).items[0], index=1)
    display = Display(open_canvas=True, primary_file="a.html")
    report = RunnerReport(files=[world.stored_file(second, "a.html", b"22")], display=display)
    result = world.finish_call(second, report)
    assert [(a.name, a.version, a.size, a.id) for a in result.artifacts] == [
        ("a (2).html", 1, 2, result.artifacts[0].file_key)
    ]
    assert result.display == Display(open_canvas=True, primary_file="a (2).html")
    message = messages_of(world.transcript.list_turns(call.session_id))[-1].model_dump()
    assert message["content"]["files"] == ["a (2).html"]
    (_, update) = world.events.payloads(call.turn_id, "intermediate_update")[-1]
    assert [file["name"] for file in update["files"]] == [update["display"]["primary_file"]] == ["a (2).html"]


@pytest.mark.clause("v5:artifacts:own-id")
def test_artifact_with_another_id_is_another_file_in_a_later_turn(world: World, call: Call) -> None:
    made = [world.finish_call(call, RunnerReport(files=[world.stored_file(call, "G.json", id="one")]))]
    for artifact_id in ("two", "one", None):
        call = world.call(later_turn(world, call))
        made.append(world.finish_call(call, RunnerReport(files=[world.stored_file(call, "G.json", id=artifact_id)])))
    assert [(a.id, a.name, a.version) for result in made for a in result.artifacts] == [
        ("one", "G.json", 1),
        ("two", "G (2).json", 1),
        ("one", "G.json", 2),
        (made[-1].artifacts[0].file_key, "G (3).json", 1),
    ]


@pytest.mark.clause("v5:artifacts:unique-ids", "v5:artifacts:identity")
def test_artifact_without_id_gets_one_that_no_other_version_has(world: World, call: Call) -> None:
    first = world.finish_call(call, RunnerReport(files=[world.stored_file(call, "a.html")]))
    later = world.call(later_turn(world, call))
    second = world.finish_call(later, RunnerReport(files=[world.stored_file(later, "a.html")]))
    assert first.artifacts[0].file_key == second.artifacts[0].file_key
    assert first.artifacts[0].id != second.artifacts[0].id
    assert world.finish_call(later) == second


@pytest.mark.clause("v2.1:artifacts:name")
def test_two_files_of_one_name_in_a_call_are_two_files(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html", b"1"), world.stored_file(call, "a.html", b"22", index=1)]
    result = world.finish_call(call, RunnerReport(files=files))
    assert [(a.name, a.size, a.position) for a in result.artifacts] == [("a.html", 1, 0), ("a (2).html", 2, 1)]


def _long_results(world: World, call: Call, results: object, name: str) -> ToolMessage:
    """Record a call whose results were shortened and stored as a file. Return the message to the model."""
    output = ToolOutput(results=results)
    view = build_model_view(output, files=[])
    report = build_report(output, view, [world.stored_file(call, name, b"all")], [])
    documents = ServerEntry(command=["python", "main.py"])
    world.registry = Registry(servers={**world.registry.servers, DOCUMENTS_SERVER: documents})
    world.finish_call(call, report)
    message = messages_of(world.transcript.list_turns(call.session_id))[-1]
    assert isinstance(message, ToolMessage)
    return message


def test_model_gets_the_call_that_reads_the_omitted_part_of_a_text(world: World, call: Call) -> None:
    lines = "".join(f"{number:09}\n" for number in range(1, 10_001))

    message = _long_results(world, call, lines, "summarise_results.txt")

    following = 'documents.read {"filename": "summarise_results.txt", "lines": "1601-"}'
    assert message.content["omitted"] == f"The part that is omitted from the results begins with {following}"


def test_model_gets_the_call_that_reads_the_omitted_part_of_a_long_line(world: World, call: Call) -> None:
    message = _long_results(world, call, {"text": "x" * 100_000}, "summarise_results.json")

    assert message.content["omitted"].endswith(
        'documents.read {"filename": "summarise_results.json", "lines": "1-", "offset": 16000}'
    )


def test_model_gets_no_call_if_the_whole_result_was_not_stored(world: World, call: Call) -> None:
    assert "omitted" not in _long_results(world, call, "x" * 100_000, "other.txt").content


def test_tool_cannot_pretend_that_a_part_was_omitted(world: World, call: Call) -> None:
    results = "a\n[… 9 characters omitted …]\nb"

    assert "omitted" not in _long_results(world, call, results, "summarise_results.txt").content

"""What a call came to: named files, events, a word to the model; a second time nothing changes."""

import json

import pytest

from satchel.contract import ArtifactProblem, ErrorCode, ToolFailed
from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.conversation import ToolMessage
from satchel.domain.steps import CallRef
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step


def word(world: World, call: Call) -> ToolMessage:
    """Return what the model is told of the call."""
    message = world.transcript.messages(call.session_id)[-1]
    assert isinstance(message, ToolMessage)
    return message


# Results


@pytest.mark.clause("v1:results:told", "v1:meta-data:told")
def test_a_result_is_kept_told_and_given_to_the_model(world: World, call: Call) -> None:
    world.store_report(call, RunnerReport(results={"rows": 3}, meta_data={"seconds": 1}, duration_ms=1200))
    assert world.use_cases.record_tool_result(call_step(call)) == CallRef(call_id=call.call_id)
    assert world.reload(call).result == CallResult(
        is_error=False, results={"rows": 3}, meta_data={"seconds": 1}, duration_ms=1200
    )
    told = {
        "call_id": call.call_id,
        "tool": "report.summarise",
        "is_error": False,
        "error_code": None,
        "suggestion": None,
        "results": {"rows": 3},
    }
    assert world.events.told(call.turn_id)[1:] == [("tool_complete", told)]
    assert word(world, call) == ToolMessage(
        ref=call.ref, tool="report.summarise", content={"results": {"rows": 3}, "meta_data": {"seconds": 1}}
    )


@pytest.mark.clause("v1:results:falsy")
@pytest.mark.parametrize("result", [None, 0, False, "", []])
def test_a_falsy_result_is_a_result(world: World, call: Call, result: object) -> None:
    world.finish_call(call, RunnerReport(results=result))
    assert word(world, call).content == {"results": result}


@pytest.mark.clause("v1:error:is-error")
def test_an_error_is_told_as_one(world: World, call: Call) -> None:
    outcome = RunnerReport.of_error(ToolFailed("division by zero"), 5)
    found = world.finish_call(call, outcome)
    assert (found.is_error, found.error_code, found.results) == (True, "E_TOOL_FAILED", {"error": "division by zero"})
    ((_, told),) = world.events.told(call.turn_id, "tool_complete")
    assert (told["is_error"], told["error_code"]) == (True, "E_TOOL_FAILED")
    assert word(world, call) == ToolMessage(
        ref=call.ref,
        tool=call.tool,
        content={"results": {"error": "division by zero"}, "meta_data": outcome.meta_data},
        failed=True,
    )


@pytest.mark.parametrize(("said", "told"), [("Try less.", "Try less."), ({"not": "text"}, None)])
def test_what_may_help_after_an_error_is_told_where_it_is_text(
    world: World, call: Call, said: object, told: str | None
) -> None:
    facts = {"is_error": True, "details": {"suggestion": said}}
    world.finish_call(call, RunnerReport(results=1, is_error=True, error_code="E_TOOL_FAILED", meta_data=facts))
    ((_, event),) = world.events.told(call.turn_id, "tool_complete")
    assert event["suggestion"] == told


@pytest.mark.clause("v2:arguments:no-file")
def test_a_name_that_meant_no_file_is_said_with_the_nearest(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sale.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    found = world.finish_call(call, RunnerReport(results=1, meta_data={"seconds": 1}))
    assert found.meta_data == {"seconds": 1, "unresolved_files": {"sale.csv": ["sales.csv"]}}


def test_artifacts_that_could_not_be_kept_are_said(world: World, call: Call) -> None:
    problem = ArtifactProblem(name="passwd", code=ErrorCode.E_INVALID_PATH, reason="outside")
    found = world.finish_call(call, RunnerReport(results=1, problems=[problem]))
    assert found.meta_data == {"artifact_problems": [{"name": "passwd", "code": "E_INVALID_PATH", "reason": "outside"}]}
    assert word(world, call).content["meta_data"] == found.meta_data


@pytest.mark.clause("v2:meta-data:size")
def test_the_model_is_told_of_refused_files_in_under_4_kb_however_many_they_are(world: World, call: Call) -> None:
    problems = [
        ArtifactProblem(name=f"{number}.csv", code=ErrorCode.E_INVALID_ARTIFACT, reason="r" * 1000)
        for number in range(60)
    ]
    found = world.finish_call(call, RunnerReport(results=1, meta_data={"rows": 3}, problems=problems))
    assert found.meta_data is not None
    assert len(found.meta_data["artifact_problems"]) == 60
    told = word(world, call).content["meta_data"]
    assert len(json.dumps(told)) < 4096
    assert (told["rows"], told["artifact_problems"][0]["name"], told["artifact_problems"][-1]) == (
        3,
        "0.csv",
        "and 50 more",
    )


@pytest.mark.clause("v1:files:names-told", "v2.1:processing:no-path")
def test_the_model_is_told_the_names_of_all_files_and_nothing_of_where_they_lie(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html"), world.stored_file(call, "draft.docx", index=1, deferred=True)]
    world.finish_call(call, RunnerReport(results="made", files=files))
    assert word(world, call).content == {"results": "made", "files": ["a.html", "draft.docx"]}


# Twice


def test_a_second_time_changes_nothing(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html"), world.stored_file(call, "b.docx", index=1, deferred=True)]
    world.finish_call(call, RunnerReport(results=1, files=files))
    before = (
        world.reload(call),
        world.events.text(call.turn_id),
        world.files.of_session(ALICE.name, call.session_id),
        world.transcript.messages(call.session_id),
    )
    world.clock.travel(60)
    world.finish_call(call, RunnerReport(results="another", files=[]))
    assert before == (
        world.reload(call),
        world.events.text(call.turn_id),
        world.files.of_session(ALICE.name, call.session_id),
        world.transcript.messages(call.session_id),
    )


def test_a_crash_between_the_files_and_the_record_is_made_good(world: World, call: Call) -> None:
    outcome = RunnerReport(files=[world.stored_file(call, "a.html"), world.stored_file(call, "a.html", index=1)])

    def crash(*_: object) -> CallResult:
        raise RuntimeError("the function was killed")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.calls, "settle", crash)
        with pytest.raises(RuntimeError):
            world.finish_call(call, outcome)
    found = world.finish_call(call, outcome)
    assert [(a.name, a.version) for a in found.artifacts] == [("a.html", 1), ("a (2).html", 1)]
    assert len(world.files.of_session(ALICE.name, call.session_id)) == 2


def test_a_crash_between_the_record_and_the_telling_is_made_good(world: World, call: Call) -> None:
    kept = CallResult(is_error=False, results="first")
    world.calls.finish_call(call.turn_id, call.call_id, kept)
    found = world.finish_call(call, RunnerReport(results="second"))
    assert found == kept
    assert word(world, call).content == {"results": "first"}
    assert len(world.events.told(call.turn_id, "tool_complete")) == 1


def test_a_call_that_there_is_not_is_our_own_mistake(world: World, call: Call) -> None:
    with pytest.raises(LookupError):
        world.use_cases.record_tool_result(call_step(call).model_copy(update={"call_id": f"{call.turn_id}-77-00"}))


@pytest.mark.parametrize("changed", [True, False])
def test_that_a_server_has_other_tools_now_lets_it_be_asked(world: World, call: Call, *, changed: bool) -> None:
    world.finish_call(call, RunnerReport(results=1, tools_changed=changed))
    world.clock.travel(30)
    assert world.use_cases.refresh_tools.due() == (["report"] if changed else [])

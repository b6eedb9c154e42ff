"""Recording a tool result: the stored result, its events and the message to the model."""

import json
from datetime import timedelta

import pytest

from satchel.contract import ArtifactProblem, ErrorCode, ToolFailed
from satchel.domain.calls import Call, CallResult, RunnerReport
from satchel.domain.conversation import ToolMessage
from satchel.domain.timestamps import format_time
from satchel.domain.turn_messages import messages_of
from tests.unit.services.samples import ALICE
from tests.unit.services.world import World, call_step


def message_to_model(world: World, call: Call) -> ToolMessage:
    """Return the message to the model about the call."""
    message = messages_of(world.transcript.list_turns(call.session_id))[-1]
    assert isinstance(message, ToolMessage)
    return message


# Results


@pytest.mark.clause("v1:results:told", "v1:meta-data:told")
def test_result_is_stored_published_and_added_to_the_transcript(world: World, call: Call) -> None:
    world.store_report(call, RunnerReport(results={"rows": 3}, meta_data={"seconds": 1}, duration_ms=1200))
    world.use_cases.record_tool_result(call_step(call))
    assert world.reload(call).result == CallResult(
        is_error=False, results={"rows": 3}, meta_data={"seconds": 1}, duration_ms=1200
    )
    payload = {
        "call_id": call.call_id,
        "tool": "report.summarise",
        "is_error": False,
        "error_code": None,
        "suggestion": None,
        "results": {"rows": 3},
        "meta_data": {"seconds": 1},
    }
    assert world.events.payloads(call.turn_id)[1:] == [("tool_complete", payload)]
    assert message_to_model(world, call) == ToolMessage(
        ref=call.ref, tool="report.summarise", content={"results": {"rows": 3}, "meta_data": {"seconds": 1}}
    )


@pytest.mark.clause("v1:results:falsy")
@pytest.mark.parametrize("result", [None, 0, False, "", []])
def test_falsy_result_reaches_the_model(world: World, call: Call, result: object) -> None:
    world.finish_call(call, RunnerReport(results=result))
    assert message_to_model(world, call).content == {"results": result}


@pytest.mark.clause("v1:error:is-error")
def test_error_is_stored_published_and_added_to_the_transcript(world: World, call: Call) -> None:
    report = RunnerReport.from_error(ToolFailed("division by zero"), 5)
    result = world.finish_call(call, report)
    assert (result.is_error, result.error_code, result.results) == (
        True,
        "E_TOOL_FAILED",
        {"error": "division by zero"},
    )
    ((_, payload),) = world.events.payloads(call.turn_id, "tool_complete")
    assert (payload["is_error"], payload["error_code"]) == (True, "E_TOOL_FAILED")
    assert message_to_model(world, call) == ToolMessage(
        ref=call.ref,
        tool=call.tool,
        content={"results": {"error": "division by zero"}, "meta_data": report.meta_data},
        failed=True,
    )


@pytest.mark.parametrize(("suggestion", "payload"), [("Try less.", "Try less."), ({"not": "text"}, None)])
def test_suggestion_of_an_error_is_published_if_it_is_text(
    world: World, call: Call, suggestion: object, payload: str | None
) -> None:
    meta_data = {"is_error": True, "details": {"suggestion": suggestion}}
    world.finish_call(call, RunnerReport(results=1, is_error=True, error_code="E_TOOL_FAILED", meta_data=meta_data))
    ((_, event),) = world.events.payloads(call.turn_id, "tool_complete")
    assert event["suggestion"] == payload


def test_meta_data_of_the_event_has_refusals_and_facts_without_secrets_or_links(world: World, call: Call) -> None:
    problems = [ArtifactProblem(name=f"{number}.png", reason="no mime") for number in range(3)]
    facts = {
        "rows": 3,
        "api_key": "sk-123",
        "source": "https://bucket/?X-Amz-Signature=abc",
        "query": "select 1 -- password=hunter2",
        "security_violations": [{"attempted_path": "/etc/shadow"}],
    }
    world.finish_call(call, RunnerReport(results=1, problems=problems, meta_data=facts))
    ((_, event),) = world.events.payloads(call.turn_id, "tool_complete")
    assert event["meta_data"] == {
        "artifact_problems": [
            {"name": f"{number}.png", "code": "E_INVALID_ARTIFACT", "reason": "no mime"} for number in range(3)
        ],
        "security_violations": [{"attempted_path": "/etc/shadow"}],
        "rows": 3,
        "api_key": "[redacted]",
        "source": "[file link omitted]",
        "query": "select 1 -- password=[redacted]",
    }


def test_meta_data_of_the_event_is_bounded_and_keeps_refusals(world: World, call: Call) -> None:
    problems = [ArtifactProblem(name=f"{number}.png", reason="no mime") for number in range(100)]
    facts: dict[str, object] = {f"fact {number}": ["x" * 450] * 50 for number in range(9)}
    world.finish_call(call, RunnerReport(results=1, problems=problems, meta_data=facts))
    ((_, event),) = world.events.payloads(call.turn_id, "tool_complete")
    assert len(json.dumps(event)) < 70_000
    assert len(event["meta_data"]["artifact_problems"]) > 50
    assert len(event["meta_data"]["left_out"]) == 7


@pytest.mark.clause("v2:arguments:no-file")
def test_unresolved_file_name_is_in_the_meta_data_with_similar_names(world: World) -> None:
    session = world.session()
    world.upload("sales.csv", session=session)
    call = world.call(world.turn(session), "report.summarise", '{"filename": "sale.csv"}')
    world.use_cases.dispatch_tool(call_step(call, "task"))
    result = world.finish_call(call, RunnerReport(results=1, meta_data={"seconds": 1}))
    assert result.meta_data == {"seconds": 1, "unresolved_files": {"sale.csv": ["sales.csv"]}}


def test_artifact_problems_are_in_the_meta_data(world: World, call: Call) -> None:
    problem = ArtifactProblem(name="passwd", code=ErrorCode.E_INVALID_PATH, reason="outside")
    result = world.finish_call(call, RunnerReport(results=1, problems=[problem]))
    assert result.meta_data == {
        "artifact_problems": [{"name": "passwd", "code": "E_INVALID_PATH", "reason": "outside"}]
    }
    assert message_to_model(world, call).content["meta_data"] == result.meta_data


@pytest.mark.clause("v2:meta-data:size")
def test_model_receives_under_4_kb_about_rejected_files(world: World, call: Call) -> None:
    problems = [
        ArtifactProblem(name=f"{number}.csv", code=ErrorCode.E_INVALID_ARTIFACT, reason="r" * 1000)
        for number in range(60)
    ]
    result = world.finish_call(call, RunnerReport(results=1, meta_data={"rows": 3}, problems=problems))
    assert result.meta_data is not None
    assert len(result.meta_data["artifact_problems"]) == 60
    payload = message_to_model(world, call).content["meta_data"]
    assert len(json.dumps(payload)) < 4096
    assert (payload["rows"], payload["artifact_problems"][0]["name"], payload["artifact_problems"][-1]) == (
        3,
        "0.csv",
        "and 50 more",
    )


@pytest.mark.clause("v1:files:names-told", "v2.1:processing:no-path")
def test_model_receives_file_names_but_no_paths(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html"), world.stored_file(call, "draft.docx", index=1, deferred=True)]
    world.finish_call(call, RunnerReport(results="done", files=files))
    expires_at = format_time(world.clock.now() + timedelta(hours=72))
    assert message_to_model(world, call).content == {
        "results": "done",
        "files": ["a.html", "draft.docx"],
        "deferred_files": [{"name": "draft.docx", "expires_at": expires_at}],
    }


# Repetition


def test_recording_twice_changes_nothing(world: World, call: Call) -> None:
    files = [world.stored_file(call, "a.html"), world.stored_file(call, "b.docx", index=1, deferred=True)]
    world.finish_call(call, RunnerReport(results=1, files=files))
    before = (
        world.reload(call),
        world.events.stored_json(call.turn_id),
        world.files.list_for_session(ALICE.name, call.session_id),
        messages_of(world.transcript.list_turns(call.session_id)),
    )
    world.clock.advance(60)
    world.finish_call(call, RunnerReport(results="another", files=[]))
    assert before == (
        world.reload(call),
        world.events.stored_json(call.turn_id),
        world.files.list_for_session(ALICE.name, call.session_id),
        messages_of(world.transcript.list_turns(call.session_id)),
    )


def test_recording_resumes_after_a_crash_between_files_and_result(world: World, call: Call) -> None:
    report = RunnerReport(files=[world.stored_file(call, "a.html"), world.stored_file(call, "a.html", index=1)])

    def crash(*_: object) -> CallResult:
        raise RuntimeError("the function was killed")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(world.calls, "save_result", crash)
        with pytest.raises(RuntimeError):
            world.finish_call(call, report)
    result = world.finish_call(call, report)
    assert [(a.name, a.version) for a in result.artifacts] == [("a.html", 1), ("a (2).html", 1)]
    assert len(world.files.list_for_session(ALICE.name, call.session_id)) == 2


def test_missing_call_raises_lookup_error(world: World, call: Call) -> None:
    with pytest.raises(LookupError):
        world.use_cases.record_tool_result(call_step(call).model_copy(update={"call_id": f"{call.turn_id}-77-00"}))


@pytest.mark.parametrize("changed", [True, False])
def test_changed_tool_list_makes_a_refresh_due(world: World, call: Call, *, changed: bool) -> None:
    world.finish_call(call, RunnerReport(results=1, tools_changed=changed))
    world.clock.advance(30)
    assert world.use_cases.refresh_tools.due() == (["report"] if changed else [])


def test_next_call_of_a_tool_that_asks_while_it_runs_uses_the_older_handshake(world: World, call: Call) -> None:
    world.finish_call(call, RunnerReport(results=1, asks_while_running=True))
    assert "report.summarise" in asking_tools(world)

    world.finish_call(another_call(world), RunnerReport(results=1))
    assert "report.summarise" in asking_tools(world)

    failed = RunnerReport(results=1, asks_while_running=False)
    world.finish_call(another_call(world), failed)
    assert asking_tools(world) == []


def another_call(world: World) -> Call:
    return world.call(world.turn(world.session()), "report.summarise", "{}")


def asking_tools(world: World) -> list[str]:
    tools = world.use_cases.list_tools.tools(ALICE.groups)
    return [tool.full_name for tool in tools if tool.asks_while_running]

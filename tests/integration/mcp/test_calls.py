"""Events and outcomes of calls to a real server process."""

import os
import time

import pytest

from satchel.domain.inputs import InputAnswer
from satchel.ports.tool_client import (
    Answers,
    AskedQuestion,
    CallFailure,
    ClosedQuestion,
    InputRequired,
    LogMessage,
    ProgressUpdate,
    ToolResult,
)
from tests.integration.mcp.tool_caller import StartRaw, ToolCaller, json_of
from tests.priority import prioritized
from tests.processes import is_pid_alive


def test_arguments_and_result_are_transferred(raw: ToolCaller) -> None:
    assert raw.value("echo", a=1, b=["ü", None]) == {"a": 1, "b": ["ü", None]}


@pytest.mark.clause("v5:flow:unknown-keys")
def test_unknown_keys_of_a_result_are_kept(raw: ToolCaller) -> None:
    assert raw.outcome("extras") == ToolResult(
        raw={
            "content": [{"type": "text", "text": "seen", "forModel": True, "metadata": {"a": 1}}],
            "bibliography": [{"title": "A book"}],
            "grantMarkdown": "# Grant",
            "artifacts": [{"type": "markdown", "id": "one", "title": "One", "content": "# One"}],
        }
    )


@pytest.mark.clause("mcp:content:unknown")
@pytest.mark.parametrize("flags", [(), ("--modern",)])
def test_unknown_content_blocks_are_kept_in_both_protocol_eras(start_raw: StartRaw, flags: tuple[str, ...]) -> None:
    assert start_raw(*flags).outcome("unknown_block") == ToolResult(
        raw={"content": [{"type": "artifact", "forModel": True}]}
    )


def test_progress_events_arrive_in_order_before_the_result(raw: ToolCaller) -> None:
    *events, answer = raw.events("progress", steps=200)

    assert events == [ProgressUpdate(progress=step, total=200, message=f"step {step}") for step in range(1, 201)]
    assert isinstance(answer, ToolResult)


def test_log_messages_arrive_as_text(raw: ToolCaller) -> None:
    *events, _ = raw.events("log")

    assert events == [LogMessage(level="info", message=text) for text in ("plain", "wrapped", '{"rows": 3}')]


def test_tool_error_is_a_result(raw: ToolCaller) -> None:
    assert raw.outcome("error") == ToolResult(raw={"content": [{"type": "text", "text": "1/0"}], "isError": True})


def test_protocol_error_is_a_failure_without_crash(raw: ToolCaller) -> None:
    before = raw.value("pid")

    assert raw.outcome("protocol_error") == CallFailure(crashed=False, message="no such thing")
    assert raw.value("pid") == before


def test_invalid_lines_on_stdout_are_ignored(raw: ToolCaller) -> None:
    assert raw.value("junk") == "still there"


def test_exit_during_a_call_is_a_crash_with_the_exit_code(raw: ToolCaller) -> None:
    assert raw.outcome("exits", code=3) == CallFailure(
        crashed=True, message="The tool's server ended with exit code 3 before it answered"
    )
    assert raw.value("echo", again=True) == {"again": True}


def test_kill_during_a_call_is_a_crash_with_the_signal(raw: ToolCaller) -> None:
    with raw.client.call("pid", {}, raw.workspace, writes=True) as running:
        pid = json_of(running.receive(120))
    with raw.client.call("nap", {"seconds": 30}, raw.workspace, writes=True) as running:
        os.kill(pid, 9)
        events = raw.remaining(running)

    assert events == [CallFailure(crashed=True, message="The tool's server was ended by SIGKILL before it answered")]


def test_closed_stdout_during_a_call_is_a_crash(raw: ToolCaller) -> None:
    assert raw.outcome("closes_stdout") == CallFailure(
        crashed=True, message="The tool's server closed its output before it answered"
    )


def test_exit_is_detected_while_a_child_keeps_the_pipe_open(raw: ToolCaller) -> None:
    raw.value("pid")  # so that the server has started
    with prioritized():
        began = time.monotonic()
        answer = raw.outcome("exits_beside_child")
        seconds = time.monotonic() - began
    child = int((raw.workspace / ".home" / "child").read_text())
    keeps_pipe_open = is_pid_alive(child)
    os.kill(child, 9)

    assert answer == CallFailure(crashed=True, message="The tool's server ended with exit code 7 before it answered")
    assert keeps_pipe_open
    assert seconds < 5


@pytest.mark.parametrize(
    ("tool", "method", "reason"),
    [
        ("asks", "elicitation/create", "no user can answer"),
        ("samples", "sampling/createMessage", "MCP has deprecated and Satchel refuses"),
    ],
)
def test_refused_question_fails_the_call_with_an_explanation(
    raw: ToolCaller, tool: str, method: str, reason: str
) -> None:
    answer = raw.outcome(tool)

    assert isinstance(answer, CallFailure)
    assert answer.message.startswith(f"The tool asked a question while it ran ({method}), which {reason}: ")
    assert answer.crashed is False


def test_running_tool_gets_the_answer_in_its_process(raw: ToolCaller) -> None:
    events = raw.answered("asks", InputAnswer(input_id="1-0", action="accept", content={"it": True}))

    assert isinstance(events[0], AskedQuestion)
    assert (events[0].request["message"], events[0].request["requestedSchema"]["type"]) == ("Which one?", "object")
    assert json_of(events[-1]) == [raw.value("pid"), {"action": "accept", "content": {"it": True}}]


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_running_tool_learns_that_the_user_refused(raw: ToolCaller, action: str) -> None:
    answer = InputAnswer.model_validate({"input_id": "1-0", "action": action})
    assert json_of(raw.answered("asks", answer)[-1])[1] == {"action": action}


def test_question_that_the_server_withdraws_is_closed(raw: ToolCaller) -> None:
    events = raw.answered("withdraws")

    questions = [event for event in events if isinstance(event, AskedQuestion)]
    assert ClosedQuestion(id=questions[0].id) in events or not questions
    assert json_of(events[-1]) == "gave up"


def test_notice_that_the_user_completed_the_page_accepts_the_question(raw: ToolCaller) -> None:
    events = raw.answered("signs_in")

    assert ClosedQuestion(id=0, completed=True) in events
    assert json_of(events[-1]) == {"action": "accept"}


def test_call_that_fails_until_a_page_is_visited_is_repeated_after_the_visit(raw: ToolCaller) -> None:
    events = raw.answered("needs_sign_in", InputAnswer(input_id="1-0", action="accept"))

    assert [type(event).__name__ for event in events] == ["AskedQuestion", "ToolResult"]
    assert json_of(events[-1]) == "signed in"


def test_call_that_needs_a_visit_fails_if_the_user_declines(raw: ToolCaller) -> None:
    events = raw.answered("needs_sign_in", InputAnswer(input_id="1-0", action="decline"))

    assert isinstance(events[-1], CallFailure)
    assert events[-1].message == "Sign in first"


def test_call_that_requires_input_continues_with_the_answers_in_the_same_process(start_raw: StartRaw) -> None:
    caller = start_raw("--modern")
    questions = caller.outcome("needs_input")

    assert isinstance(questions, InputRequired)
    assert (list(questions.requests), questions.state) == (["which"], "r1")
    answers = Answers({"which": {"action": "accept", "content": {"it": True}}}, questions.state)
    assert json_of(caller.outcome("needs_input", answers=answers)) == ["r1", {"it": True}]


def test_call_that_requires_its_state_only_is_repeated_without_a_question(start_raw: StartRaw) -> None:
    assert json_of(start_raw("--modern").outcome("needs_time")) == "later"


def test_unserializable_arguments_fail_only_the_call(raw: ToolCaller) -> None:
    before = raw.value("pid")
    answer = raw.outcome("echo", text="\ud800")

    assert isinstance(answer, CallFailure)
    assert answer.message.startswith("The arguments cannot be written as JSON")
    assert raw.value("pid") == before


def test_answer_over_the_size_limit_fails_with_the_limit(start_raw: StartRaw) -> None:
    raw = start_raw(max_bytes=100_000)

    assert len(raw.value("big", bytes=90_000)) == 90_000
    assert raw.outcome("big", bytes=200_000) == CallFailure(
        crashed=True, message="The answer is longer than 100000 bytes", exceeded_limit=100_000
    )


def test_long_lines_are_read_in_linear_time(raw: ToolCaller) -> None:
    def cost(size: int) -> float:
        times = []
        for _ in range(3):
            began = time.process_time()
            raw.value("big", bytes=size)
            times.append(time.process_time() - began)
        return min(times)

    raw.value("echo")
    small, large = cost(2_000_000), cost(10_000_000)

    assert large / small < 12  # five times the bytes; quadratic reading takes 25 times as long

"""What a call of a real server process says and how it ends."""

import os
import time

import pytest

from satchel.ports.tool_client import CallFailure, LogMessage, ProgressUpdate, ToolResult
from tests.integration.mcp.calling import Caller, StartRaw, told


def test_arguments_arrive_and_the_answer_comes_back(raw: Caller) -> None:
    assert raw.value("echo", a=1, b=["ü", None]) == {"a": 1, "b": ["ü", None]}


@pytest.mark.clause("v5:flow:unknown-keys")
def test_keys_that_the_protocol_does_not_know_survive(raw: Caller) -> None:
    assert raw.last("extras") == ToolResult(
        raw={
            "content": [{"type": "text", "text": "seen", "forModel": True, "metadata": {"a": 1}}],
            "bibliography": [{"title": "A book"}],
            "grantMarkdown": "# Grant",
            "artifacts": [{"type": "markdown", "id": "one", "title": "One", "content": "# One"}],
        }
    )


@pytest.mark.clause("mcp:content:unknown")
@pytest.mark.parametrize("flags", [(), ("--modern",)])
def test_blocks_that_the_protocol_does_not_know_survive_in_both_eras(
    start_raw: StartRaw, flags: tuple[str, ...]
) -> None:
    assert start_raw(*flags).last("unknown_block") == ToolResult(
        raw={"content": [{"type": "artifact", "forModel": True}]}
    )


def test_every_progress_arrives_in_order_before_the_answer(raw: Caller) -> None:
    *heard, answer = raw.signals("progress", steps=200)

    assert heard == [ProgressUpdate(progress=step, total=200, message=f"step {step}") for step in range(1, 201)]
    assert isinstance(answer, ToolResult)


def test_logs_arrive_as_text(raw: Caller) -> None:
    *heard, _ = raw.signals("log")

    assert heard == [LogMessage(level="info", message=text) for text in ("plain", "wrapped", '{"rows": 3}')]


def test_an_error_of_the_tool_is_an_answer(raw: Caller) -> None:
    assert raw.last("error") == ToolResult(raw={"content": [{"type": "text", "text": "1/0"}], "isError": True})


def test_a_refusal_by_the_protocol_is_a_failure_and_no_crash(raw: Caller) -> None:
    before = raw.value("pid")

    assert raw.last("refuse") == CallFailure(crashed=False, message="no such thing")
    assert raw.value("pid") == before


def test_what_a_tool_prints_does_no_harm(raw: Caller) -> None:
    assert raw.value("junk") == "still there"


def test_a_server_that_ends_mid_call_is_a_crash_with_its_exit_code(raw: Caller) -> None:
    assert raw.last("exits", code=3) == CallFailure(
        crashed=True, message="The tool's server ended with exit code 3 before it answered"
    )
    assert raw.value("echo", again=True) == {"again": True}


def test_a_server_that_is_killed_mid_call_is_a_crash_with_the_signal(raw: Caller) -> None:
    with raw.client.call("pid", {}, raw.workspace, writes=True) as running:
        pid = told(running.receive(30))
    with raw.client.call("nap", {"seconds": 30}, raw.workspace, writes=True) as running:
        os.kill(pid, 9)
        heard = raw.rest(running)

    assert heard == [CallFailure(crashed=True, message="The tool's server was ended by SIGKILL before it answered")]


def test_a_server_that_hangs_up_mid_call_is_a_crash(raw: Caller) -> None:
    assert raw.last("hangs_up") == CallFailure(crashed=True, message="The tool's server hung up before it answered")


def test_a_server_that_is_gone_is_noticed_though_its_child_holds_the_pipe(raw: Caller) -> None:
    began = time.monotonic()
    answer = raw.last("exits_beside_child")
    os.kill(int((raw.workspace / ".home" / "child").read_text()), 9)  # nobody sweeps here: this process is no runner

    assert answer == CallFailure(crashed=True, message="The tool's server ended with exit code 7 before it answered")
    assert time.monotonic() - began < 5  # the child lives for 60 s


@pytest.mark.parametrize(("tool", "method"), [("asks", "elicitation/create"), ("samples", "sampling/createMessage")])
def test_a_question_back_to_the_person_or_the_model_fails_the_call_in_clear_words(
    raw: Caller, tool: str, method: str
) -> None:
    answer = raw.last(tool)

    assert isinstance(answer, CallFailure)
    assert answer.message.startswith(f"The tool asked back while it ran ({method}), and nobody can answer")
    assert answer.crashed is False


def test_a_result_that_needs_input_fails_the_call_in_clear_words(start_raw: StartRaw) -> None:
    answer = start_raw("--modern").last("needs_input")

    assert isinstance(answer, CallFailure)
    assert answer.message.startswith("The tool asked back while it ran (input_required), and nobody can answer")
    assert answer.crashed is False


def test_arguments_that_cannot_be_written_fail_the_call_alone(raw: Caller) -> None:
    before = raw.value("pid")
    answer = raw.last("echo", text="\ud800")

    assert isinstance(answer, CallFailure)
    assert answer.message.startswith("The arguments cannot be written as JSON")
    assert raw.value("pid") == before


def test_an_answer_over_the_limit_ends_the_call_and_says_the_limit(start_raw: StartRaw) -> None:
    raw = start_raw(max_bytes=100_000)

    assert len(raw.value("big", bytes=90_000)) == 90_000
    assert raw.last("big", bytes=200_000) == CallFailure(
        crashed=True, message="The answer is longer than 100000 bytes", too_long=100_000
    )


def test_long_lines_are_read_in_linear_time(raw: Caller) -> None:
    def cost(size: int) -> float:
        took = []
        for _ in range(3):
            began = time.process_time()
            raw.value("big", bytes=size)
            took.append(time.process_time() - began)
        return min(took)

    raw.value("echo")
    small, large = cost(2_000_000), cost(10_000_000)

    assert large / small < 12  # five times the bytes; quadratic reading takes 25 times as long

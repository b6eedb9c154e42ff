"""The outcome of a call that answered: nothing in it is larger than a model may see."""

from satchel.contract import ArtifactProblem, Canvas, Display, ErrorCode, ToolFailed, ToolOutput, normalize
from satchel.contract.for_model import DEFAULT_BUDGET
from satchel.domain.calls import Outcome
from satchel.services.make_outcome import make_outcome


def test_all_that_a_tool_said_is_handed_over() -> None:
    output = ToolOutput(
        results={"rows": 3},
        meta_data={"seconds": 1},
        retryable=True,
        display=Display(open_canvas=True),
        canvas=Canvas(url="https://a.example"),
    )
    problem = ArtifactProblem(name="a", reason="empty")
    assert make_outcome(output, [], [problem]) == Outcome(
        results={"rows": 3},
        meta_data={"seconds": 1, "retryable": True},
        retryable=True,
        display=Display(open_canvas=True),
        canvas=Canvas(url="https://a.example"),
        problems=[problem],
    )


def test_a_falsy_result_is_a_result() -> None:
    falsy: list[object] = [0, False, "", [], {}, None]
    assert [make_outcome(ToolOutput(results=value), [], []).results for value in falsy] == falsy


def test_long_results_are_cut_with_a_note_that_says_so() -> None:
    outcome = make_outcome(ToolOutput(results="x" * (DEFAULT_BUDGET + 10)), [], [])
    assert len(outcome.results) < DEFAULT_BUDGET + 100
    assert outcome.meta_data == {"truncated": {"results": {"characters": DEFAULT_BUDGET + 10, "left_out": 10}}}


def test_base64_and_links_are_left_out() -> None:
    link = "https://satchel.example/api/files/download/f1?token=secret"
    outcome = make_outcome(ToolOutput(results={"b": "QUJD" * 1000, "l": link}, meta_data={"l": link}), [], [])
    assert outcome.results == {"b": "[base64 of about 3000 bytes left out]", "l": "[link to a file left out]"}
    assert outcome.meta_data == {"l": "[link to a file left out]"}


def test_a_tool_that_says_that_it_failed_has_failed() -> None:
    outcome = make_outcome(
        normalize({"isError": True, "content": [{"type": "text", "text": "division by zero"}]}), [], []
    )
    assert (outcome.is_error, outcome.error_code) == (True, ErrorCode.E_TOOL_FAILED)
    assert outcome.results == {"error": "division by zero"}


def test_an_error_of_ours_that_a_tool_passes_on_keeps_its_code() -> None:
    output = ToolFailed("no").as_output()
    output.meta_data["error_code"] = "E_INVALID_PATH"
    assert make_outcome(output, [], []).error_code is ErrorCode.E_INVALID_PATH


def test_what_a_tool_says_of_trying_again_stands_in_its_own_words_where_it_said_so_twice() -> None:
    output = ToolOutput(results=1, meta_data={"retryable": "after lunch"}, retryable=True)
    assert make_outcome(output, [], []).meta_data == {"retryable": "after lunch"}

"""The outcome of a call that answered: nothing in it is larger than a model may see, and nothing is lost by that."""

import pytest

from satchel.contract import (
    Artifact,
    ArtifactProblem,
    Canvas,
    Display,
    ErrorCode,
    ToolFailed,
    ToolOutput,
    build_model_view,
    normalize,
)
from satchel.contract.model_view import DEFAULT_BUDGET
from satchel.domain.calls import RunnerReport
from satchel.services.calls.runner_report import build_report, full_results_file


def outcome_of(output: ToolOutput) -> RunnerReport:
    return build_report(output, build_model_view(output, files=[]), [], [])


def saved(output: ToolOutput) -> list[Artifact]:
    """Return what is kept of the results beside what the model sees."""
    return full_results_file("summarise", output, build_model_view(output, files=[]))


@pytest.mark.clause("v2.1:retryable:kept")
def test_all_that_a_tool_said_is_handed_over() -> None:
    output = ToolOutput(
        results={"rows": 3},
        meta_data={"seconds": 1},
        retryable=True,
        display=Display(open_canvas=True),
        canvas=Canvas(url="https://a.example"),
    )
    problem = ArtifactProblem(name="a", reason="empty")
    assert build_report(output, build_model_view(output, files=[]), [], [problem]) == RunnerReport(
        results={"rows": 3},
        meta_data={"seconds": 1, "retryable": True},
        display=Display(open_canvas=True),
        canvas=Canvas(url="https://a.example"),
        problems=[problem],
    )


def test_a_tools_own_token_is_not_handed_over_only_that_there_was_one() -> None:
    canvas = Canvas(id="monitor", url="https://a.example", token="s3cret")
    handed = outcome_of(ToolOutput(results=1, canvas=canvas))
    assert handed.canvas == canvas.model_copy(update={"token": ""})
    assert "s3cret" not in handed.model_dump_json()


def test_a_falsy_result_is_a_result() -> None:
    falsy: list[object] = [0, False, "", [], {}, None]
    assert [outcome_of(ToolOutput(results=value)).results for value in falsy] == falsy


def test_a_tool_that_says_that_it_failed_has_failed() -> None:
    outcome = outcome_of(normalize({"isError": True, "content": [{"type": "text", "text": "division by zero"}]}))
    assert (outcome.is_error, outcome.error_code) == (True, ErrorCode.E_TOOL_FAILED)
    assert outcome.results == {"error": "division by zero"}


def test_an_error_of_ours_that_a_tool_passes_on_keeps_its_code() -> None:
    output = ToolOutput.from_error(ToolFailed("no"))
    output.meta_data["error_code"] = "E_INVALID_PATH"
    assert outcome_of(output).error_code is ErrorCode.E_INVALID_PATH


def test_what_a_tool_says_of_trying_again_stands_in_its_own_words_where_it_said_so_twice() -> None:
    output = ToolOutput(results=1, meta_data={"retryable": "after lunch"}, retryable=True)
    assert outcome_of(output).meta_data == {"retryable": "after lunch"}


# Long results

LONG = "x" * (DEFAULT_BUDGET + 10)
LINK = "https://satchel.example/api/files/download/f1?token=secret"


@pytest.mark.clause("v1:results:large-to-file")
def test_long_results_are_cut_with_a_note_that_says_so() -> None:
    outcome = outcome_of(ToolOutput(results=LONG))
    assert len(outcome.results) < DEFAULT_BUDGET + 100
    assert outcome.meta_data == {"truncated": {"results": {"characters": DEFAULT_BUDGET + 10, "left_out": 10}}}


def test_base64_and_links_are_left_out() -> None:
    outcome = outcome_of(ToolOutput(results={"b": "QUJD" * 1000, "l": LINK}, meta_data={"l": LINK}))
    assert outcome.results == {"b": "[base64 omitted: about 3000 bytes]", "l": "[file link omitted]"}
    assert outcome.meta_data == {"l": "[file link omitted]"}


def test_long_text_is_kept_whole_as_a_file() -> None:
    assert saved(ToolOutput(results=LONG)) == [Artifact(name="summarise_results.txt", mime="text/plain", content=LONG)]


def test_long_data_are_kept_whole_as_a_file() -> None:
    assert saved(ToolOutput(results={"ü": LONG})) == [
        Artifact(name="summarise_results.json", mime="application/json", content=f'{{"ü": "{LONG}"}}')
    ]


def test_what_was_left_out_of_short_results_is_kept_as_well() -> None:
    assert [artifact.content for artifact in saved(ToolOutput(results="QUJD" * 1000))] == ["QUJD" * 1000]


def test_results_that_the_model_sees_whole_are_no_file() -> None:
    for whole in (None, "", 0, {"rows": [1, 2]}, "x" * DEFAULT_BUDGET):
        assert saved(ToolOutput(results=whole)) == []

"""Building a runner report: results shortened for the model, and stored in full as a file."""

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
from satchel.services.calls.runner_report import build_report, full_output_files


def report_of(output: ToolOutput) -> RunnerReport:
    return build_report(output, build_model_view(output, files=[]), [], [])


def full_results(output: ToolOutput) -> list[Artifact]:
    """Return the file with the full results, if there is one."""
    return full_output_files("summarise", output, build_model_view(output, files=[]))


@pytest.mark.clause("v2.1:retryable:kept")
def test_report_contains_all_parts_of_the_output() -> None:
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


def test_report_has_the_canvas_token_of_the_tool_in_its_json_but_not_in_its_repr() -> None:
    canvas = Canvas(id="monitor", url="https://a.example", token="s3cret")
    report = report_of(ToolOutput(results=1, canvas=canvas))
    assert RunnerReport.model_validate_json(report.model_dump_json()).canvas == canvas
    assert "s3cret" not in repr(report)


def test_falsy_results_are_kept() -> None:
    falsy: list[object] = [0, False, "", [], {}, None]
    assert [report_of(ToolOutput(results=value)).results for value in falsy] == falsy


def test_error_result_is_reported_with_its_code() -> None:
    report = report_of(normalize({"isError": True, "content": [{"type": "text", "text": "division by zero"}]}))
    assert (report.is_error, report.error_code) == (True, ErrorCode.E_TOOL_FAILED)
    assert report.results == {"error": "division by zero"}


def test_error_code_of_satchel_passed_on_by_a_tool_is_kept() -> None:
    output = ToolOutput.from_error(ToolFailed("no"))
    output.meta_data["error_code"] = "E_INVALID_PATH"
    assert report_of(output).error_code is ErrorCode.E_INVALID_PATH


def test_retryable_in_the_meta_data_takes_precedence() -> None:
    output = ToolOutput(results=1, meta_data={"retryable": "after lunch"}, retryable=True)
    assert report_of(output).meta_data == {"retryable": "after lunch"}


# Long results

LONG = "x" * (DEFAULT_BUDGET + 10)
LINK = "https://satchel.example/api/files/download/f1?token=secret"


@pytest.mark.clause("v1:results:large-to-file")
def test_long_results_are_cut_with_a_note() -> None:
    report = report_of(ToolOutput(results=LONG))
    assert len(report.results) < DEFAULT_BUDGET + 100
    assert report.meta_data == {"truncated": {"results": {"characters": DEFAULT_BUDGET + 10, "left_out": 10}}}


def test_base64_and_links_are_removed() -> None:
    report = report_of(ToolOutput(results={"b": "QUJD" * 1000, "l": LINK}, meta_data={"l": LINK}))
    assert report.results == {"b": "[base64 omitted: about 3000 bytes]", "l": "[file link omitted]"}
    assert report.meta_data == {"l": "[file link omitted]"}


def test_long_text_is_also_a_file() -> None:
    assert full_results(ToolOutput(results=LONG)) == [
        Artifact(name="summarise_results.txt", mime="text/plain", content=LONG)
    ]


def test_long_data_is_also_a_json_file() -> None:
    assert full_results(ToolOutput(results={"ü": LONG})) == [
        Artifact(name="summarise_results.json", mime="application/json", content=f'{{"ü": "{LONG}"}}')
    ]


def test_results_with_removed_base64_are_also_a_file() -> None:
    assert [artifact.content for artifact in full_results(ToolOutput(results="QUJD" * 1000))] == ["QUJD" * 1000]


def test_results_that_the_model_receives_whole_are_no_file() -> None:
    for whole in (None, "", 0, {"rows": [1, 2]}, "x" * DEFAULT_BUDGET):
        assert full_results(ToolOutput(results=whole)) == []

"""Lint rules for a tool's output as a whole: no error, a fast response, and one JSON object with ``results``."""

from collections.abc import Iterator, Mapping

from local.lint.findings import Clause, Finding, quoted
from local.lint.rules.spelling import misspelled_results
from local.lint.tool_output import ToolOutput
from satchel.contract.shapes.mcp_result import ABSENT

IS_ERROR = Clause("v1:error:is-error", "1 Edge Cases")
SAME_DATA = Clause("v1:output:same-data", "1 Edge Cases")
RESPONSE_TIME = Clause("v2.1:time:ten-seconds", "3 §11.1")
NO_LIST = Clause("v1:output:no-list", "1 Common Mistakes")
OBJECT = Clause("v1:output:object", "1 Contract")
NOT_EMPTY = Clause("v1:output:not-empty", "1 Edge Cases")
RESULTS_REQUIRED = Clause("v2.1:results:required", "3 §1.1")

MAX_SILENT_SECONDS = 10
_MAX_ERROR_CHARS = 300
_WRAP = 'Return {"results": …} with the value inside.'
_FILE_FIELDS = ("artifacts", "deferred_artifacts", "returned_file_contents", "bibliography", "grantMarkdown", "canvas")


def check_error_flag(output: ToolOutput) -> Iterator[Finding]:
    """Report a result that the MCP server marked as an error. Other rules skip its type and its missing fields."""
    if output.error_text is not None:
        text = f": {quoted(output.error_text, _MAX_ERROR_CHARS)}." if output.error_text else " without a message."
        advice = "If these arguments should not cause an error, fix the tool; then check its output again."
        yield IS_ERROR.warning("$", f"The tool reported an error{text}", advice)


def check_data_field(output: ToolOutput) -> Iterator[Finding]:
    """Report a ``data`` field that differs from the structured content. Satchel ignores such a field."""
    for node in output.ignored_data:
        message = "`data` differs from the structured content, which takes precedence."
        yield SAME_DATA.warning(node.json_path, message, "Return one result.")


def check_response_time(output: ToolOutput) -> Iterator[Finding]:
    """Report a tool that sent nothing for over 10 s. Each progress message resets the timer."""
    seconds = output.context.silent_seconds
    if seconds > MAX_SILENT_SECONDS:
        message = f"The tool was silent for {seconds:.1f} seconds; the limit is {MAX_SILENT_SECONDS}."
        yield RESPONSE_TIME.warning("$", message, "Report progress regularly: ctx.report_progress(done, total).")


def check_payload_type(output: ToolOutput) -> Iterator[Finding]:
    """Report a payload (the value that the tool returned) that is not a JSON object.

    Text is accepted if there are typed artifacts, or if the tool marks the text as meant for the model.
    """
    json_path, value = output.payload.json_path, output.payload.value
    if output.error_text is not None or (isinstance(value, Mapping) and value):
        return
    if isinstance(value, list | tuple):
        yield NO_LIST.error(json_path, "The tool returned a list at the top level.", _WRAP)
    elif value is ABSENT and output.blocks:
        message = "The tool returned content blocks, but no JSON object."
        yield OBJECT.error(json_path, message, 'Return {"results": …} too.')
    elif value is ABSENT or value is None or value == {}:
        if not output.contract_objects:
            yield NOT_EMPTY.error(json_path, "The tool returned nothing.", 'Return {"results": null}.')
    elif not (output.contract_objects or any(block.fields.get("forModel") is True for block in output.blocks)):
        kind = "string" if isinstance(value, str) else "bare value"
        yield OBJECT.error(json_path, f"The tool returned a {kind}, not a JSON object.", _WRAP)


def check_results_present(output: ToolOutput) -> Iterator[Finding]:
    """Report an object without ``results``. If it contains files or has no contract fields, report only a note."""
    fields, json_path = output.payload.fields, output.payload.json_path
    if not fields or "results" in fields or misspelled_results(output) or output.error_text is not None:
        return
    if output.results is not None:
        message = "There is no `results`, so the whole object is used as the results."
        advice = "No change is needed; with `results`, the tool can return files and `meta_data`, too."
        yield RESULTS_REQUIRED.note(json_path, message, advice)
    elif any(fields.get(key) for key in _FILE_FIELDS):
        yield RESULTS_REQUIRED.note(json_path, "There are files, but no `results`.", "Describe the files in `results`.")
    else:
        yield RESULTS_REQUIRED.error(json_path, "There is no `results`.", "Return the tool's result in `results`.")

"""Check a tool's output with every rule, and sort the findings by severity."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic_core import from_json

from local.lint.findings import Clause, Finding, Severity, quoted
from local.lint.rules import answer, artifacts, encoding, fields, files, sizes, spelling
from local.lint.tool_output import CallContext, ToolOutput, parse_output
from satchel.contract.errors import ContractError
from satchel.contract.jsonable import NotJsonError, parse_json

JSON = Clause("v1:output:json", "1 Implementation Checklist")
NO_OUTPUT = Clause("v1:output:given", "1 Contract")

Rule = Callable[[ToolOutput], Iterator[Finding]]

RULES: list[Rule] = [
    answer.check_error_flag,
    answer.check_response_time,
    answer.check_payload_type,
    answer.check_results_present,
    spelling.check_misspelled_fields,
    spelling.check_meta_data_spelling,
    spelling.check_unknown_fields,
    fields.check_types,
    fields.check_files_are_objects,
    artifacts.check_artifact_fields,
    artifacts.check_deferred_fields,
    artifacts.check_mime_types,
    artifacts.check_viewers,
    encoding.check_base64,
    encoding.check_typed_content,
    encoding.check_content_blocks,
    answer.check_data_field,
    files.check_paths,
    artifacts.check_expiry,
    artifacts.check_deferred_reasons,
    artifacts.check_categories,
    files.check_array_lengths,
    files.check_array_items,
    files.check_arrays_beside_artifacts,
    files.check_deprecated_arrays,
    artifacts.check_citations,
    artifacts.check_grant_content,
    fields.check_primary_file,
    fields.check_known_values,
    fields.check_dashboard_in_display,
    sizes.check_results_size,
    sizes.check_meta_data_size,
    sizes.check_base64_in_results,
]

_SEVERITIES = list(Severity)
_NO_CALL = CallContext()


def lint_bytes(data: bytes, context: CallContext = _NO_CALL) -> list[Finding]:
    """Check a tool's saved output; ``data`` is the content of its JSON file. Return the findings, errors first."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [_not_json(f"it is not UTF-8, starting at byte {error.start}")]
    try:
        return lint_output(from_json(text, allow_inf_nan=False), context)
    except ValueError as error:
        return _lint_invalid_json(text, str(error), context)


def lint_output(
    raw: object, context: CallContext = _NO_CALL, output_schema: Mapping[str, Any] | None = None
) -> list[Finding]:
    """Check the object that a tool returned, or the raw result of ``tools/call``. Return the findings, errors first."""
    if isinstance(raw, Mapping) and "jsonrpc" in raw and isinstance(raw.get("error"), Mapping):
        return [no_output(f"The server answered with an error: {quoted(str(raw['error'].get('message')), 300)}.")]
    try:
        output = parse_output(raw, context, output_schema)
    except ContractError as error:
        return [_not_json(str(error))]
    return _sorted([finding for rule in RULES for finding in rule(output)])


def no_output(message: str) -> Finding:
    """Return the finding for a tool call without output; ``message`` says why there is none."""
    return NO_OUTPUT.error("$", message, "Handle the failure in the tool and return an object that describes it.")


def _sorted(findings: list[Finding]) -> list[Finding]:
    """Sort findings by severity. Findings of the same severity stay in the order of the rules."""
    return sorted(findings, key=lambda finding: _SEVERITIES.index(finding.severity))


def _lint_invalid_json(text: str, reason: str, context: CallContext) -> list[Finding]:
    """Report invalid JSON. If Satchel can parse the text anyway (it accepts NaN), check the output as well."""
    try:
        value = parse_json(text)
    except NotJsonError:
        return [_not_json(reason)]
    return _sorted([_not_json(reason), *lint_output(value, context)])


def _not_json(reason: str) -> Finding:
    return JSON.error("$", f"This is not JSON: {reason}.", "Return what json.dumps(…, allow_nan=False) accepts.")

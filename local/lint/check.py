"""Looking at an output: every rule in turn."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic_core import from_json

from local.lint.findings import Clause, Finding, Severity, quoted
from local.lint.opening import open_output
from local.lint.rules import (
    answer,
    artifacts,
    blocks,
    deferred,
    display,
    encoding,
    paths,
    shape,
    sizes,
    spelling,
    typed,
    types,
    v1_arrays,
)
from local.lint.subject import Run, Subject
from satchel.contract.errors import ContractError
from satchel.contract.jsonable import NotJsonError, parse_json

JSON = Clause("v1:output:json", "1 Implementation Checklist")
NO_OUTPUT = Clause("v1:output:given", "1 Contract")

Rule = Callable[[Subject], Iterator[Finding]]

RULES: list[Rule] = [
    answer.failed,
    answer.answered_in_time,
    shape.one_object,
    shape.has_results,
    spelling.misspelt,
    spelling.meta_data,
    spelling.unknown,
    types.types,
    types.files_are_objects,
    artifacts.artifacts_say_what_they_are,
    artifacts.deferred_say_what_they_are,
    artifacts.mime_types_are_some,
    artifacts.viewers_are_known,
    encoding.base64_is_base64,
    blocks.blocks_are_files,
    answer.data_is_the_same,
    paths.paths_lead_to_files,
    deferred.expiry_within_a_year,
    deferred.reasons_are_known,
    v1_arrays.same_length,
    v1_arrays.items_are_right,
    v1_arrays.artifacts_win,
    v1_arrays.phased_out,
    typed.citations_are_objects,
    typed.grants_have_content,
    display.primary_file_is_there,
    display.values_are_known,
    sizes.results_are_small,
    sizes.meta_data_is_small,
    sizes.results_hold_no_base64,
]

_ORDER = list(Severity)
_NO_RUN = Run()


def lint_bytes(data: bytes, run: Run = _NO_RUN) -> list[Finding]:
    """Look at a file that holds an output as JSON."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [_not_json(f"it is not UTF-8, from byte {error.start} on")]
    try:
        return lint_output(from_json(text, allow_inf_nan=False), run)
    except ValueError as error:
        return _lint_what_is_legible(text, str(error), run)


def lint_output(raw: object, run: Run = _NO_RUN, output_schema: Mapping[str, Any] | None = None) -> list[Finding]:
    """Look at an output: the tool's own object, or the raw result of ``tools/call``. Errors come first."""
    if isinstance(raw, Mapping) and "jsonrpc" in raw and isinstance(raw.get("error"), Mapping):
        return [no_output(f"The server answered with an error: {quoted(str(raw['error'].get('message')), 300)}.")]
    try:
        subject = open_output(raw, run, output_schema)
    except ContractError as error:
        return [_not_json(str(error))]
    found = [finding for rule in RULES for finding in rule(subject)]
    return in_order(found)


def in_order(findings: list[Finding]) -> list[Finding]:
    """Sort by severity; what is alike stays in the order of the rules."""
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))


def no_output(message: str) -> Finding:
    """Say that there is nothing to look at, and why."""
    return NO_OUTPUT.error("$", message, "Whatever happens, let the tool return an object that says so.")


def _lint_what_is_legible(text: str, fault: str, run: Run) -> list[Finding]:
    """Python writes NaN, which is no JSON, but which Python reads; the rest of such an output can be looked at."""
    try:
        value = parse_json(text)
    except NotJsonError:
        return [_not_json(fault)]
    return in_order([_not_json(fault), *lint_output(value, run)])


def _not_json(why: str) -> Finding:
    return JSON.error("$", f"This is not JSON: {why}.", "Return what json.dumps(…, allow_nan=False) can write.")

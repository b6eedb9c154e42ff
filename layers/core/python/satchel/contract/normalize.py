"""Convert the value that a tool returned, in any supported form, to a ``ToolOutput``.

To support another form, write a function in ``shapes`` and add it to the list ``RECOGNIZERS`` or ``EXTRACTORS``.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from satchel.contract.errors import ContractError
from satchel.contract.jsonable import NotJsonError
from satchel.contract.shapes import content_blocks, extractors, recognizers, typed_artifacts
from satchel.contract.shapes.mcp_result import (
    ABSENT,
    NO_MATCH,
    Match,
    McpResult,
    as_mapping,
    parse_mcp_result,
    wrap_value,
)
from satchel.contract.shapes.output_builder import OutputBuilder
from satchel.contract.tool_output import ToolOutput, describe_validation_error

RECOGNIZERS: list[Callable[[McpResult], Match | None]] = [
    recognizers.find_structured_content,
    recognizers.find_top_level_results,
    recognizers.find_model_text,
    recognizers.find_json_text,
    recognizers.find_plain_text,
    recognizers.find_client_data,
]
"""Functions that find the payload (the tool's actual data) in an MCP result. The first match wins."""

EXTRACTORS: list[Callable[[dict[str, Any], OutputBuilder], None]] = [
    extractors.extract_envelope,
    extractors.extract_artifacts,
    extractors.extract_v1_files,
    typed_artifacts.extract_bibliography,
    typed_artifacts.extract_grant,
]
"""Functions that move the fields they know from a payload to the OutputBuilder. All of them run, in this order."""

_WRAP_MARKER = "x-fastmcp-wrap-result"
_MAX_NESTING = 3  # maximum number of nested MCP results: some tools return a whole MCP result as their data


def normalize(raw: object, *, output_schema: Mapping[str, Any] | None = None) -> ToolOutput:
    """Convert the raw JSON of a ``tools/call`` result, or any other value that a tool returned, to a ToolOutput.

    Pass the tool's ``output_schema`` if known: some servers wrap values in an object, and mark this only in the schema.
    The output lists invalid artifacts in ``problems``. Normalizing an output again changes nothing. Raise only
    ContractError.
    """
    wrapped = output_schema is not None and output_schema.get(_WRAP_MARKER) is True
    try:
        return _build_output(raw, wrapped=wrapped)
    except ValidationError as error:
        raise ContractError(describe_validation_error(error)) from None
    except (NotJsonError, RecursionError) as error:
        raise ContractError(str(error)) from None


def _build_output(raw: object, *, wrapped: bool) -> ToolOutput:
    layers = _unnest(raw, wrapped=wrapped)
    builder = OutputBuilder()
    _extract_payload(layers[-1][1].payload, builder)
    for result, match in layers:
        if match.payload is not result.extra_fields:
            _add_leftovers(_extract_fields(result.extra_fields, builder), builder)
        elif result.data is not ABSENT:
            _add_leftovers({"data": result.data}, builder)
        content_blocks.extract_artifacts(result.content, match.used_blocks, builder)
    if any(result.is_error for result, _ in layers):
        builder.mark_failed([text for result, _ in layers for text in result.texts])
    return builder.build()


def _unnest(raw: object, *, wrapped: bool) -> list[tuple[McpResult, Match]]:
    """Return the MCP result and all nested results, each with its payload. The last payload is the tool's data."""
    result: McpResult | None = parse_mcp_result(raw) or wrap_value(raw)
    layers: list[tuple[McpResult, Match]] = []
    while result is not None:
        result = replace(result, wrapped=result.wrapped or (wrapped and not layers))
        match = next((match for recognize in RECOGNIZERS if (match := recognize(result))), NO_MATCH)
        layers.append((result, match))
        inner = match.payload
        is_final = isinstance(inner, Mapping) and "results" in inner
        result = None if is_final or len(layers) == _MAX_NESTING else parse_mcp_result(inner)
    return layers


def _extract_payload(payload: object, builder: OutputBuilder) -> None:
    """Move the payload's contract fields to the builder. An empty object becomes null (clause v1:output:not-empty).

    If the payload has no field ``results``, its other fields become the results. Otherwise, add them to ``meta_data``.
    """
    fields = as_mapping(payload)
    if fields is None or not recognizers.is_contract_payload(fields):
        builder.results = None if fields is not None and not fields else payload
        return
    remaining = _extract_fields(fields, builder)
    if builder.results is ABSENT:
        builder.results = remaining or None
    else:
        _add_leftovers(remaining, builder)


def _add_leftovers(leftovers: Mapping[str, Any], builder: OutputBuilder) -> None:
    """Add fields that the contract does not define to ``meta_data``, so that they are not lost."""
    if leftovers:
        builder.add_meta_data(leftovers)


def _extract_fields(fields: Mapping[str, Any], builder: OutputBuilder) -> dict[str, Any]:
    remaining = dict(fields)
    for extract in EXTRACTORS:
        extract(remaining, builder)
    return remaining

"""Normalize the value that a tool returned to one ``ToolOutput``.

Two lists define the supported forms. To support a new form, add a function to ``shapes`` and an entry here.
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
"""Functions that find the payload. The first match wins."""

EXTRACTORS: list[Callable[[dict[str, Any], OutputBuilder], None]] = [
    extractors.extract_envelope,
    extractors.extract_artifacts,
    extractors.extract_v1_files,
    typed_artifacts.extract_bibliography,
    typed_artifacts.extract_grant,
]
"""Functions that move the fields they know from a payload to the builder. All of them run, in this order."""

_WRAP_MARKER = "x-fastmcp-wrap-result"
_MAX_NESTING = 3  # MCP results inside MCP results: some tools return a whole MCP result as their data


def normalize(raw: object, *, output_schema: Mapping[str, Any] | None = None) -> ToolOutput:
    """Convert the raw JSON of a ``tools/call`` result, or any other value that a tool returned, to a tool output.

    ``output_schema`` is the tool's schema, if known: some servers mark only there that they wrapped a value. Invalid
    artifacts are reported in ``problems``. Idempotent on its own output. Raises ContractError and no other error.
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
            builder.add_unknown(_extract_fields(result.extra_fields, builder))
        content_blocks.extract_artifacts(result.content, match.used_blocks, builder)
    if any(result.is_error for result, _ in layers):
        builder.mark_failed([text for result, _ in layers for text in result.texts])
    return builder.build()


def _unnest(raw: object, *, wrapped: bool) -> list[tuple[McpResult, Match]]:
    """Return the MCP result and the MCP results nested in its payload. The last match has the actual payload."""
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
    """Extract the contract's fields from a payload. If it has no ``results``, the remaining fields are the results."""
    fields = as_mapping(payload)
    if fields is None or not recognizers.is_contract_payload(fields):
        builder.results = payload
        return
    remaining = _extract_fields(fields, builder)
    if builder.results is ABSENT:
        builder.results = remaining or None
    else:
        builder.add_unknown(remaining)


def _extract_fields(fields: Mapping[str, Any], builder: OutputBuilder) -> dict[str, Any]:
    """Run all extractors on a copy of the fields; return the fields that no extractor took."""
    remaining = dict(fields)
    for extract in EXTRACTORS:
        extract(remaining, builder)
    return remaining

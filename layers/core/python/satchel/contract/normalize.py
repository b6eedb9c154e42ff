"""Whatever a tool returned becomes one tool output (spec 1 to 3 and 5).

Two lists say which shapes are known; a new shape is a module in ``shapes`` and a line here.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from satchel.contract.errors import ContractError
from satchel.contract.jsonable import NotJsonError
from satchel.contract.models import ToolOutput
from satchel.contract.models.lenient import in_words
from satchel.contract.shapes import (
    artifact_lists,
    bibliography,
    blocks,
    data,
    envelope,
    failed,
    grant,
    json_text,
    model_text,
    plain_text,
    structured,
    top_level,
    v1_arrays,
)
from satchel.contract.shapes.answer import ABSENT, NOTHING, Answer, Found, answer_of, as_mapping, plain_answer
from satchel.contract.shapes.draft import Draft
from satchel.contract.shapes.payload import is_contract

RECOGNISERS: list[Callable[[Answer], Found | None]] = [
    structured.recognise,
    top_level.recognise,
    model_text.recognise,
    json_text.recognise,
    plain_text.recognise,
    data.recognise,
]
"""Find the payload; the first that knows the answer wins."""

PARTS: list[Callable[[dict[str, Any], Draft], None]] = [
    envelope.take,
    artifact_lists.take,
    v1_arrays.take,
    bibliography.take,
    grant.take,
]
"""Take what they know out of a payload; each has its turn."""

_WRAP_MARK = "x-fastmcp-wrap-result"
_MAX_NESTING = 3  # an answer within an answer: a tool that returns, as its data, what a server should


def normalize(raw: object, *, output_schema: Mapping[str, Any] | None = None) -> ToolOutput:
    """Make the tool output of the raw JSON of a ``tools/call`` result, or of anything else a tool may have returned.

    ``output_schema`` is the tool's, if known: some servers mark only there that they wrapped a value. Artifacts that
    are no files are named in ``problems``. Idempotent on its own output. Raises ContractError, and nothing else.
    """
    wrapped = output_schema is not None and output_schema.get(_WRAP_MARK) is True
    try:
        return _output(raw, wrapped=wrapped)
    except ValidationError as error:
        raise ContractError(in_words(error)) from None
    except (NotJsonError, RecursionError) as error:
        raise ContractError(str(error)) from None


def _output(raw: object, *, wrapped: bool) -> ToolOutput:
    layers = _opened(raw, wrapped=wrapped)
    draft = Draft()
    _take_payload(layers[-1][1].payload, draft)
    for answer, found in layers:
        if found.payload is not answer.rest:
            draft.set_aside(_take_parts(answer.rest, draft))
        blocks.take(answer.content, found.used, draft)
    if any(answer.is_error for answer, _ in layers):
        failed.mark(draft, [text for answer, _ in layers for text in answer.texts])
    return draft.output()


def _opened(raw: object, *, wrapped: bool) -> list[tuple[Answer, Found]]:
    """Open an answer, and the answer in it as long as there is one; the last one holds the payload."""
    answer: Answer | None = answer_of(raw) or plain_answer(raw)
    layers: list[tuple[Answer, Found]] = []
    while answer is not None:
        answer = replace(answer, wrapped=answer.wrapped or (wrapped and not layers))
        found = next((found for known in RECOGNISERS if (found := known(answer))), NOTHING)
        layers.append((answer, found))
        inner = found.payload
        closed = isinstance(inner, Mapping) and "results" in inner
        answer = None if closed or len(layers) == _MAX_NESTING else answer_of(inner)
    return layers


def _take_payload(payload: object, draft: Draft) -> None:
    """Take the contract's fields out of a payload; if it has no ``results``, what is left of it are the results."""
    fields = as_mapping(payload)
    if fields is None or not is_contract(fields):
        draft.results = payload
        return
    left = _take_parts(fields, draft)
    if draft.results is ABSENT:
        draft.results = left or None
    else:
        draft.set_aside(left)


def _take_parts(fields: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Let every part take what it knows; return what nobody knew."""
    left = dict(fields)
    for take in PARTS:
        take(left, draft)
    return left

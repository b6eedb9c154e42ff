"""Answers that the server marked as errors (``isError``; spec 1, edge cases; spec 3 §12)."""

from collections.abc import Mapping, Sequence
from typing import Any

from satchel.contract.errors import ToolFailed
from satchel.contract.jsonable import NotJsonError, parse, text_of
from satchel.contract.shapes.answer import ABSENT, Block
from satchel.contract.shapes.draft import Draft

UNSAID = "The tool reported an error"
_MESSAGES = ("error", "message", "error_message", "detail")


def mark(draft: Draft, texts: Sequence[Block]) -> None:
    """Give the output the form of an error, and keep what the tool said about it, its own codes above all."""
    results = draft.results
    details: dict[str, Any] = {}
    if not (isinstance(results, Mapping) and "error" in results):
        message = _message(results, texts)
        if results is not ABSENT and results is not None and results != message:
            details["results"] = results
        draft.results = {"error": message}
    failure = ToolFailed(UNSAID, **details)
    if "retryable" in draft.given:
        draft.add_facts({"retryable": draft.given["retryable"]})
    draft.add_facts(failure.as_output().meta_data)
    draft.given["meta_data"]["is_error"] = True


def _message(results: object, texts: Sequence[Block]) -> str:
    if isinstance(results, str):
        return results or UNSAID
    if isinstance(results, Mapping):
        said = (results.get(key) for key in _MESSAGES)
        if found := next((text for text in said if isinstance(text, str) and text), None):
            return found
    prose = "\n\n".join(block["text"] for block in texts if not _is_json(block["text"]))
    return prose or (UNSAID if results is ABSENT or results is None else text_of(results))


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except NotJsonError:
        return False
    return True

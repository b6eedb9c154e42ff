"""Recogniser of ``structuredContent``: it beats ``data`` and every text (spec 1, FastMCP integration)."""

import logging
from collections.abc import Mapping

from satchel.contract.jsonable import NotJsonError, parse, plain
from satchel.contract.shapes.answer import ABSENT, Answer, Found, answer_of
from satchel.contract.shapes.payload import is_contract

_logger = logging.getLogger(__name__)


def recognise(answer: Answer) -> Found | None:
    """Return the structured payload, taken out of the wrapper that a server put around what is no object."""
    if answer.structured is ABSENT:
        return None
    payload = _unwrapped(answer)
    if answer.data is not ABSENT and not any(_same(answer.data, mine) for mine in (answer.structured, payload)):
        _logger.warning("A tool's result has 'data' that differs from its structured content; 'data' is ignored.")
    return Found(payload, answer.texts)


def _unwrapped(answer: Answer) -> object:
    wrapper = answer.structured
    if not isinstance(wrapper, Mapping) or wrapper.keys() != {"result"}:
        return wrapper
    inner = wrapper["result"]
    parsed = _contract_in(inner)
    if answer.wrapped:
        return inner if parsed is None else parsed
    # Some servers wrap a text without saying so. Then the text block is the text itself, not the JSON of the wrapper.
    if parsed is not None and any(block["text"] == inner for block in answer.texts):
        return parsed
    return wrapper


def _contract_in(text: object) -> object | None:
    """Parse a text that is JSON of the contract; any other text stays a text, be it JSON or not."""
    if not isinstance(text, str):
        return None
    try:
        value: object = parse(text)
    except NotJsonError:
        return None
    return value if is_contract(value) or answer_of(value) is not None else None


def _same(one: object, other: object) -> bool:
    try:
        return bool(plain(one) == plain(other))
    except NotJsonError:
        return False

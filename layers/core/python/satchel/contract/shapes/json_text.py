"""Recogniser of JSON in a text block: the way of servers without structured content (spec 1, FastMCP integration)."""

from satchel.contract.jsonable import NotJsonError, parse
from satchel.contract.shapes.answer import Answer, Found


def recognise(answer: Answer) -> Found | None:
    """Return the first text that is JSON, parsed."""
    for block in answer.texts:
        try:
            return Found(parse(block["text"]), [block])
        except NotJsonError:
            continue
    return None

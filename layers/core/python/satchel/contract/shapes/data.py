"""Recogniser of ``data``, the parsed result that a client's library adds: taken where there is nothing better."""

from satchel.contract.shapes.answer import ABSENT, Answer, Found


def recognise(answer: Answer) -> Found | None:
    """Return ``data``."""
    return None if answer.data is ABSENT else Found(answer.data, ())

"""Recogniser of answers that carry ``results`` beside ``content``, where the protocol has no place for it."""

from satchel.contract.shapes.answer import Answer, Found


def recognise(answer: Answer) -> Found | None:
    """Return the unknown top-level keys as the payload, if ``results`` is among them."""
    return Found(answer.rest, answer.texts) if "results" in answer.rest else None

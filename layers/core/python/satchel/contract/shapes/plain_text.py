"""Recogniser of text that is nothing but text."""

from satchel.contract.shapes.answer import Answer, Found


def recognise(answer: Answer) -> Found | None:
    """Return all texts, joined by blank lines."""
    return Found("\n\n".join(block["text"] for block in answer.texts), answer.texts) if answer.texts else None

"""Recogniser of text that is marked as being for the model (spec 5: ``forModel``)."""

from satchel.contract.shapes.answer import Answer, Found


def recognise(answer: Answer) -> Found | None:
    """Return the marked texts, joined by blank lines."""
    marked = [block for block in answer.texts if block.get("forModel") is True]
    return Found("\n\n".join(block["text"] for block in marked), marked) if marked else None

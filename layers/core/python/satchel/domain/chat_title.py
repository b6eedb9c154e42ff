"""Titles of conversations: the instructions for the model, and its reply as a title."""

MAX_TITLE_CHARS = 80
MAX_SOURCE_CHARS = 2_000
"""So much of the first message is sent for the title."""

INSTRUCTIONS = (
    "Write a title for the conversation that begins with the user's message: two to six words, in the language of the "
    "message. Do not answer the message. Reply with the title only, without quotes and without a period at its end."
)
_DECORATION = " \t#*_`\"'“”„«»"


def is_first_line(title: str | None, message: str) -> bool:
    """Return True if a title is missing or is the beginning of the message's first line, which clients use as title."""
    line = message.strip().partition("\n")[0]
    return line.startswith((title or "").rstrip("…").rstrip())


def clean_title(reply: str) -> str:
    """Return a model's reply as a title: one line without quotes and Markdown. Empty if nothing is left."""
    lines = [line.strip(_DECORATION) for line in reply.splitlines()]
    title = next((line for line in lines if line), "").removeprefix("Title:").strip(_DECORATION)
    if len(title) > MAX_TITLE_CHARS:
        title = title[: MAX_TITLE_CHARS - 1].rstrip() + "…"
    return title.rstrip(".")

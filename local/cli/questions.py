"""Questions of tools in the terminal: a prompt for each field of a form, or the address of a page to visit.

The server checks the answers. So an entry that cannot be converted is sent as it is, and rejected with the reason.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import typer

from local.cli.errors import print_error
from local.cli.text import one_line, sanitize
from satchel_client import ApiError, Turn
from satchel_client.models import BooleanField, ChoicesField, Form, InputRequested, NumberField, TextField

Action = Literal["accept", "decline", "cancel"]
FormField = TextField | NumberField | BooleanField | ChoicesField
Value = str | int | float | bool | list[str]

_CLOSED = {HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}
_CONTENT_PATH = "body.content."
_ENTRIES = {"email": "Email address", "uri": "URL", "date": "Date (YYYY-MM-DD)", "date-time": "Time (YYYY-MM-DD HH:MM)"}
_BOOLEANS = {"y": True, "yes": True, "true": True, "n": False, "no": False, "false": False}
_SECRET = re.compile(
    r"\b(passwords?|passwd|passphrase|passcode|secret|token|credentials?|pin|otp|cvv|cvc|ssn"
    r"|(api|access|private) ?keys?|(card|account) number)\b"
)
_WORD_BOUNDARY = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEPARATOR = re.compile(r"[_.-]")


def answer_question(turn: Turn, question: InputRequested) -> None:
    """Show a question, prompt for the answer and send it. Without a terminal, or at the end of input, send ``cancel``.

    Prompt again for each field that the server rejects. Raise SatchelError if a request fails.
    """
    send = partial(_send, turn, question)
    for line in _introduction(question):
        typer.echo(line, err=True)
    if not sys.stdin.isatty():
        typer.echo("The question is canceled, because there is no terminal to answer in.", err=True)
        send("cancel")
        return
    try:
        action = _ask_action(question)
        form = question.schema_ if action == "accept" else None
        content: dict[str, Value] = {}
        open_fields = list(form.properties) if form else []
        while True:
            for name in open_fields:
                content.pop(name, None)
                content |= _ask_field(question, name)
            open_fields = send(action, None if form is None else content)
            if not open_fields:
                return
    except EOFError:
        send("cancel")


def _send(turn: Turn, question: InputRequested, action: Action, content: dict[str, Value] | None = None) -> list[str]:
    """Send an answer, and return the fields that the server rejects. Print why, or that the question is closed."""
    try:
        turn.answer(question, content, action=action)
    except ApiError as error:
        if error.status in _CLOSED:
            print_error(str(error))
            return []
        rejected = {field.removeprefix(_CONTENT_PATH): message for field, message in error.fields.items()}
        form = question.schema_
        if content is None or form is None or not rejected.keys() & form.properties.keys():
            raise
        for name, message in rejected.items():
            typer.echo(f"{_label(name, form)}: {one_line(message)}", err=True)
        return [name for name in form.properties if name in rejected]
    return []


def _introduction(question: InputRequested) -> Iterator[str]:
    yield f"{one_line(question.tool)} asks: {sanitize(question.message)}"
    if question.url is not None:
        host = one_line(urlsplit(question.url).hostname or "")
        yield f"Visit {host} in a browser, and continue here when you are done:"
        yield f"  {one_line(question.url)}"
    if question.bound_seconds is not None:
        yield f"The tool waits {question.bound_seconds} seconds for the answer."
    else:
        yield f"The tool waits for the answer until {question.expires_at.astimezone():%Y-%m-%d %H:%M}."


def _ask_action(question: InputRequested) -> Action:
    purpose = "continue" if question.url is not None else "answer"
    actions: dict[str, Action] = {"": "accept", "d": "decline", "c": "cancel"}
    while (entry := _read(f"Enter to {purpose}, d to decline, c to cancel: ").strip().lower()) not in actions:
        pass
    return actions[entry]


def _read(prompt: str) -> str:
    """Return a line of standard input. Raise EOFError at its end."""
    typer.echo(prompt, nl=False, err=True)  # not input(), which prompts on stdout
    line = sys.stdin.readline()
    if not line:
        typer.echo(err=True)
        raise EOFError
    return line.rstrip("\r\n")


class _Choice(NamedTuple):
    value: str
    title: str


def _ask_field(question: InputRequested, name: str) -> dict[str, Value]:
    """Prompt for a field. Return its value by its name, or an empty dict if the user leaves an optional field empty."""
    form = question.schema_
    if form is None:
        return {}
    field = form.properties[name]
    choices = _choices(field)
    required = "required" if name in form.required and not isinstance(field, BooleanField) else ""
    hints = [one_line(field.description or ""), _limits(field), required]
    typer.echo("  " + " · ".join([_label(name, form), *filter(None, hints)]), err=True)
    if _looks_secret(question, form, name):
        typer.echo("  This looks like a secret. The tool and its server can read and store what you enter.", err=True)
    for number, choice in enumerate(choices, 1):
        typer.echo(f"  {number:>3} {one_line(choice.title)}", err=True)
    prompt = f"  {_entry(field, choices)}{_default_hint(field, choices)}: "
    while True:
        entry = _read(prompt)
        if not entry.strip():
            value = [] if isinstance(field, ChoicesField) and required and field.default is None else field.default
            return {} if value is None else {name: value}
        with suppress(_InvalidEntry):
            return {name: _parse(field, choices, entry)}


class _InvalidEntry(ValueError):
    """The entry is not one of the choices."""


def _parse(field: FormField, choices: Sequence[_Choice], entry: str) -> Value:
    match field:
        case BooleanField():
            if (value := _BOOLEANS.get(entry.strip().lower())) is None:
                raise _InvalidEntry(entry)
            return value
        case NumberField():
            for number in (int, float):
                with suppress(ValueError):
                    return number(entry)
            return entry
        case ChoicesField():
            return [_parse_choice(choices, part) for part in entry.split(",")]
        case TextField():
            if choices:
                return _parse_choice(choices, entry)
            return _to_rfc3339(entry) if field.format == "date-time" else entry


def _parse_choice(choices: Sequence[_Choice], entry: str) -> str:
    """Return the value of a choice that the user named by its number, its title or its value."""
    text = entry.strip()
    if text.isdecimal() and 1 <= int(text) <= len(choices):
        return choices[int(text) - 1].value
    for choice in choices:
        if text in choice:
            return choice.value
    raise _InvalidEntry(entry)


def _to_rfc3339(entry: str) -> str:
    """Return a time with its offset; without one, it is a local time. Return any other text as it is."""
    try:
        time = datetime.fromisoformat(entry.strip())
    except ValueError:
        return entry
    return (time if time.tzinfo else time.astimezone()).isoformat()


def _choices(field: FormField) -> list[_Choice]:
    if isinstance(field, ChoicesField):
        values, titles, titled = field.items.enum, None, field.items.any_of
    elif isinstance(field, TextField):
        values, titles, titled = field.enum, field.enum_names, field.one_of
    else:
        return []
    names = [*(titles or []), *(values or [])[len(titles or []) :]]
    untitled = [_Choice(value, title or value) for value, title in zip(values or [], names, strict=False)]
    return [*untitled, *(_Choice(each.const, each.title or each.const) for each in titled or [])]


def _entry(field: FormField, choices: Sequence[_Choice]) -> str:
    match field:
        case BooleanField():
            return "y or n"
        case NumberField():
            return "Number"
        case ChoicesField():
            return "Numbers, such as 1, 2"
        case TextField():
            return "Number of the choice" if choices else _ENTRIES.get(field.format or "", "Text")


def _default_hint(field: FormField, choices: Sequence[_Choice]) -> str:
    if field.default is None:
        return ""
    if isinstance(field, BooleanField):
        return f" [{'y' if field.default else 'n'}]"
    if choices:
        defaults = field.default if isinstance(field.default, list) else [field.default]
        return f" [{', '.join(str(index) for index, choice in enumerate(choices, 1) if choice.value in defaults)}]"
    return f" [{one_line(str(field.default))}]"


def _describe_range(low: float | None, high: float | None, unit: str = "") -> str:
    if low is not None and high is not None:
        numbers = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    elif low is not None:
        numbers = f"at least {low:g}"
    elif high is not None:
        numbers = f"at most {high:g}"
    else:
        return ""
    is_one = (low if high is None else high) == 1
    return f"{numbers} {unit}{'' if is_one or not unit else 's'}".strip()


def _limits(field: FormField) -> str:
    match field:
        case TextField():
            return _describe_range(field.min_length, field.max_length, "character")
        case NumberField():
            return _describe_range(field.minimum, field.maximum)
        case ChoicesField():
            return _describe_range(field.min_items, field.max_items, "choice")
        case _:
            return ""


def _label(name: str, form: Form) -> str:
    field = form.properties.get(name)
    return one_line((field and field.title) or name)


def _looks_secret(question: InputRequested, form: Form, name: str) -> bool:
    """Return True if the tool seems to ask for a secret. The question itself counts if the form has one field."""
    field = form.properties[name]
    if isinstance(field, BooleanField | ChoicesField) or _choices(field):
        return False
    texts = [name, field.title or "", field.description or "", question.message if len(form.properties) == 1 else ""]
    words = _SEPARATOR.sub(" ", _WORD_BOUNDARY.sub(" ", "\n".join(texts)))
    return _SECRET.search(words.lower()) is not None

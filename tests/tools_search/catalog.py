"""1,000 generated tools for 40 well-known services, and 100 questions with the tool that answers each.

The questions were written before the search. Its weights were chosen with them, so they are no independent test of it.
"""

from pathlib import Path
from typing import Any, NamedTuple

from satchel.domain.conversation import ToolSpec

_FOLDER = Path(__file__).parent
_VERBS = {
    "create": "Create {a} {label} in {service}. {A} {label} is {meaning}. Returns its id.",
    "get": "Get one {label} of {service} by its id, with all details ({meaning}).",
    "list": "List the {labels} in {service}, newest first, with paging. Each is {meaning}.",
    "update": "Update fields of {a} {label} in {service}; fields that are left out keep their values.",
    "delete": "Delete {a} {label} from {service}. This cannot be undone.",
}


class Question(NamedTuple):
    """A user's wish, and the full name of the tool that fulfills it."""

    tool: str
    text: str


def read_questions() -> list[Question]:
    """Return the questions."""
    lines = (_FOLDER / "questions.txt").read_text(encoding="utf-8").splitlines()
    return [Question(*line.split("|")) for line in lines]


def read_tools() -> list[ToolSpec]:
    """Return the tools of all services, in the order of their names."""
    lines = (_FOLDER / "services.txt").read_text(encoding="utf-8").splitlines()
    return sorted((tool for line in lines for tool in _service(line)), key=lambda tool: tool.full_name)


def _service(line: str) -> list[ToolSpec]:
    server, service, *objects = line.split("|")
    return [_tool(server, service, verb, *each.split(": ")) for each in objects for verb in _VERBS]


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch")) else f"{noun}s"


def _tool(server: str, service: str, verb: str, thing: str, meaning: str, names: str = "") -> ToolSpec:
    label = thing.replace("_", " ")
    article = "an" if label[0] in "aeiou" else "a"
    arguments: dict[str, Any] = {}
    if verb != "create":
        arguments["cursor" if verb == "list" else "id"] = {"type": "string", "description": f"The {label}."}
    if verb in {"create", "update"}:
        arguments |= {name: {"type": "string", "description": f"The {label}'s {name}."} for name in names.split()}
    return ToolSpec(
        server=server,
        name=f"{verb}_{_plural(thing) if verb == 'list' else thing}",
        title=f"{verb.capitalize()} {label}",
        description=_VERBS[verb].format(
            a=article, A=article.capitalize(), label=label, labels=_plural(label), service=service, meaning=meaning
        ),
        input_schema={"type": "object", "properties": arguments, "required": list(arguments)[:1]},
    )

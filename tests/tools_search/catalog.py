"""Two catalogs of 1,000 tools, and four sets of questions with the tool that answers each.

The first catalog has generated tools for 40 well-known services. Its questions were written before the search. The
second has the tools that the servers of docs/servers.md listed, and generated ones. Its questions were written before
any measurement with them: for the published tools, and for the generated ones without a question, in the order of the
SHA-256 of their full names. The first 70 and 30 are the second set, the next 35 and 15 the third, and again 35 and 15
the fourth. The search was improved with all four sets. Before it was improved with the fourth, it found 43 of its 50
tools: this is what to expect of other questions.
"""

import json
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


def read_questions(name: str = "questions") -> list[Question]:
    """Return a set of questions: ``questions`` for the generated tools, the others for the tools of both kinds."""
    lines = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [Question(*line.split("|")) for line in lines]


def read_published_tools() -> list[ToolSpec]:
    """Return the tools of published servers, and as many generated ones of other servers as make 1,000."""
    servers = json.loads((_FOLDER / "published_tools.json").read_text(encoding="utf-8"))
    published = [_published(server, tool) for server, tools in servers.items() for tool in tools]
    generated = [tool for tool in read_tools() if tool.server not in servers]
    return published + generated[: 1000 - len(published)]


def _published(server: str, tool: dict[str, Any]) -> ToolSpec:
    schema = {"type": "object", "properties": {name: {} for name in tool["arguments"]}}
    return ToolSpec(
        server=server,
        name=tool["name"],
        title=tool["title"],
        description=tool["description"],
        input_schema=schema,
    )


def read_tools() -> list[ToolSpec]:
    """Return the generated tools of all services, in the order of their names."""
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

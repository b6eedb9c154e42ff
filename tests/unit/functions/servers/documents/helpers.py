"""Calls of the server's actions as its tools make them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from functions.servers.documents.document_reader import actions

_MORE = re.compile(r"\[(?:More follows|There may be more): documents\.(\w+) (\{.*\})\]$")


def ignore(_share: float, _message: str) -> None:
    """Ignore progress."""


def read(path: Path, **arguments: Any) -> str:  # noqa: ANN401  (arguments of a tool)
    defaults: dict[str, Any] = {"pages": None, "rows": None, "sheet": None, "lines": None, "bytes": None, "offset": 0}
    given = defaults | arguments
    given["byte_range"] = given.pop("bytes")
    return str(actions.read(str(path), report=ignore, **given)["text"])


def search(path: Path, pattern: str, **arguments: Any) -> str:  # noqa: ANN401  (arguments of a tool)
    defaults: dict[str, Any] = {"regex": False, "match_case": False, "context": 0, "sheet": None, "after": None}
    return str(actions.search(str(path), pattern, report=ignore, **(defaults | arguments))["text"])


def outline(path: Path) -> str:
    return str(actions.outline(str(path), ignore)["text"])


def body(answer: str) -> str:
    """Return the text of an answer, without its first line and its last."""
    return answer.partition("\n\n")[2].rpartition("\n")[0]


def continuation(answer: str) -> dict[str, Any] | None:
    """Return the arguments with which an answer says how to continue, or None at the end."""
    match = _MORE.search(answer)
    if match is None:
        return None
    arguments: dict[str, Any] = json.loads(match[2])
    del arguments["filename"]
    return arguments


def read_all(path: Path, **arguments: Any) -> Iterator[str]:  # noqa: ANN401  (arguments of a tool)
    """Yield the texts of all answers until the end of the document."""
    following: dict[str, Any] | None = arguments
    while following is not None:
        answer = read(path, **following)
        yield body(answer)
        following = continuation(answer)

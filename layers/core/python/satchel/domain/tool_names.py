"""Names of tools as a model's API allows them: 64 letters, digits, ``_`` and ``-``; found again by table alone."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from itertools import count

from satchel.domain.conversation import AssistantMessage, ModelTask, ToolMessage

MOST_CHARS = 64

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")
_FIRST = re.compile(r"[A-Za-z_]")
_MARK_CHARS = 8


class ToolNames:
    """A table between full names (``server.tool``) and the names that a model is given.

    A name says as much of the full one as it may. Where two would be the same (``a_b.c`` and ``a.b_c``) or one would be
    too long, a hash of the full name makes the difference, so what a tool is called hangs on no others but those.
    """

    def __init__(self, full_names: Iterable[str]) -> None:
        plain = {full: _plain(full) for full in sorted(set(full_names))}
        wanted = Counter(plain.values())
        self._full: dict[str, str] = {}
        for full, name in plain.items():
            alone = wanted[name] == 1 and len(name) <= MOST_CHARS
            self._full[name if alone else self._marked(full, name, wanted)] = full
        self._given = {full: name for name, full in self._full.items()}

    def given(self, full_name: str) -> str:
        """Return the name that a model is given. Raises KeyError for a tool that is not in the table."""
        return self._given[full_name]

    def full(self, name: str) -> str | None:
        """Return the full name of the tool that a model names; None for one that it made up."""
        return self._full.get(name)

    def _marked(self, full: str, name: str, wanted: Counter[str]) -> str:
        """A server may have called a tool just so that it would meet the marked name of another's."""
        for number in count():
            mark = hashlib.sha256(f"{full}{number or ''}".encode()).hexdigest()[:_MARK_CHARS]
            marked = f"{name[: MOST_CHARS - _MARK_CHARS - 1]}_{mark}"
            if marked not in wanted and marked not in self._full:
                return marked
        raise AssertionError("a count has no end")


def names_for(task: ModelTask) -> ToolNames:
    """Return the table for one question: the tools that it offers, and those that its conversation tells of.

    A model may have made up the latter; a provider takes their names under the same rules.
    """
    called = [call.tool for message in task.messages if isinstance(message, AssistantMessage) for call in message.calls]
    told = [message.tool for message in task.messages if isinstance(message, ToolMessage)]
    return ToolNames([*(tool.full_name for tool in task.tools), *called, *told])


def _plain(full: str) -> str:
    name = _NOT_ALLOWED.sub("_", full)
    return name if _FIRST.match(name) else f"_{name}"

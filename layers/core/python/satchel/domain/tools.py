"""What is known of a server's tools, and how it went when it was asked last.

Names of tools as a model's API allows them: 64 letters, digits, ``_`` and ``-``; found again by table alone.

Tools that Satchel offers itself: answered where calls are dispatched, without a runner.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import count

from pydantic import BaseModel

from satchel.domain.conversation import AssistantMessage, CompletionRequest, ToolMessage, ToolSpec

REFRESH_INTERVAL = timedelta(minutes=5)
"""A server's program may have changed without its entry: after so long its list is asked for again."""

RETRY_INTERVAL = timedelta(seconds=30)
"""A server that did not start may do so now: a dependency was installed, another service came up."""


class StoredToolList(BaseModel):
    """The tools that a server had when it answered last; None: it never did.

    ``failure`` says why it did not answer when it was asked last; its tools are then those of the time before.
    ``doubted``: it said since then that they have changed.
    """

    tools: list[ToolSpec] | None = None
    failure: str | None = None
    doubted: bool = False
    asked_at: datetime

    def with_failure(self, reason: str, now: datetime) -> "StoredToolList":
        """Return what is known after it was asked in vain."""
        return StoredToolList(tools=self.tools, failure=reason, asked_at=now)

    def is_due(self, now: datetime, refresh_interval: timedelta = REFRESH_INTERVAL) -> bool:
        """Tell whether it is time to ask again; ``ask_again`` is how long a list is taken for good."""
        return now - self.asked_at >= (
            min(RETRY_INTERVAL, refresh_interval) if self.failure or self.doubted else refresh_interval
        )


def fresh_tool_list(tools: Sequence[ToolSpec], now: datetime) -> StoredToolList:
    """Return what is known of a server that has just answered."""
    return StoredToolList(tools=list(tools), asked_at=now)


MAX_MODEL_NAME_CHARS = 64

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
            alone = wanted[name] == 1 and len(name) <= MAX_MODEL_NAME_CHARS
            self._full[name if alone else self._marked(full, name, wanted)] = full
        self._given = {full: name for name, full in self._full.items()}

    def name_for_model(self, full_name: str) -> str:
        """Return the name that a model is given. Raises KeyError for a tool that is not in the table."""
        return self._given[full_name]

    def full_name(self, name: str) -> str | None:
        """Return the full name of the tool that a model names; None for one that it made up."""
        return self._full.get(name)

    def _marked(self, full: str, name: str, wanted: Counter[str]) -> str:
        """A server may have called a tool just so that it would meet the marked name of another's."""
        for number in count():
            mark = hashlib.sha256(f"{full}{number or ''}".encode()).hexdigest()[:_MARK_CHARS]
            marked = f"{name[: MAX_MODEL_NAME_CHARS - _MARK_CHARS - 1]}_{mark}"
            if marked not in wanted and marked not in self._full:
                return marked
        raise AssertionError("a count has no end")


def names_for_request(task: CompletionRequest) -> ToolNames:
    """Return the table for one question: the tools that it offers, and those that its conversation tells of.

    A model may have made up the latter; a provider takes their names under the same rules.
    """
    called = [call.tool for message in task.messages if isinstance(message, AssistantMessage) for call in message.calls]
    told = [message.tool for message in task.messages if isinstance(message, ToolMessage)]
    return ToolNames([*(tool.full_name for tool in task.tools), *called, *told])


def _plain(full: str) -> str:
    name = _NOT_ALLOWED.sub("_", full)
    return name if _FIRST.match(name) else f"_{name}"


BUILTIN_SERVER = "satchel"
"""The server that they are listed under; no entry of mcp.json may be called so."""

BUILTIN_DESCRIPTION = "What Satchel knows itself: the person's files."
FILES_PER_PAGE = 50

LIST_FILES = ToolSpec(
    server=BUILTIN_SERVER,
    name="list_files",
    description=(
        "List the person's files, newest first, with what is known of each: those that the list of available files "
        "leaves out, and what may be done next with files that wait. Ask again with `cursor` for the next page."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "this_session": {"type": "boolean", "description": "Only files of this session."},
            "source": {"type": "string", "enum": ["uploaded", "generated", "deferred"]},
            "name_prefix": {"type": "string", "maxLength": 255, "description": "Only files whose names begin so."},
            "cursor": {"type": "string", "maxLength": 2000, "description": "`cursor` of the page before."},
        },
        "additionalProperties": False,
    },
)

BUILTIN_TOOLS = {tool.full_name: tool for tool in (LIST_FILES,)}

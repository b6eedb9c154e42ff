"""Tools: the stored tool lists of MCP servers, tool names that model APIs accept, and Satchel's built-in tools."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import count

from pydantic import BaseModel

from satchel.domain.conversation import AssistantMessage, CompletionRequest, ToolMessage, ToolSpec
from satchel.domain.isolation import Level
from satchel.domain.resources import Offers

REFRESH_INTERVAL = timedelta(minutes=5)
"""Satchel requests a server's tool list again after this time, because the server's program may have changed."""

RETRY_INTERVAL = timedelta(seconds=30)
"""After a failed request, Satchel requests a server's tool list again after this time."""


class ToolListing(BaseModel):
    """A runner's report about its server: the tools, and how far its machine isolates them.

    ``isolation_level`` is None for a remote server, whose tools run on a machine that is not known. ``is_legacy``: the
    server speaks the older MCP handshake.
    """

    tools: list[ToolSpec]
    offers: Offers = Offers()
    isolation_level: Level | None = None
    is_legacy: bool = False


class StoredToolList(BaseModel):
    """The last known tool list of a server. ``tools`` is None if the server never returned a list.

    If the last request (at ``asked_at``) failed, ``failure`` is the reason, and ``tools`` are from an earlier request.
    ``doubted`` is True if the server announced a change of its tools after the list was stored. ``since`` is the time
    at which the server's current state (starting, ready or unavailable) began. ``isolation_level`` is the one that the
    runner reported with the tools. ``source_version`` is the version of the server's source files at the last request.
    Runners of a server that ``is_legacy`` begin with the older MCP handshake, because the server may ignore the newer
    one for seconds.
    """

    tools: list[ToolSpec] | None = None
    offers: Offers = Offers()
    isolation_level: Level | None = None
    failure: str | None = None
    doubted: bool = False
    asked_at: datetime
    since: datetime | None = None
    source_version: str | None = None
    is_legacy: bool = False

    @property
    def is_starting(self) -> bool:
        """Return True if the first request for the server's tools has neither returned a list nor failed."""
        return self.tools is None and self.failure is None

    def with_failure(self, reason: str, now: datetime) -> "StoredToolList":
        """Return the list to store after a failed request: the same tools with the reason for the failure."""
        since = now if self.failure is None else self.since or self.asked_at
        return StoredToolList(
            tools=self.tools,
            offers=self.offers,
            isolation_level=self.isolation_level,
            is_legacy=self.is_legacy,
            failure=reason,
            asked_at=now,
            since=since,
        )

    def is_due(self, now: datetime, refresh_interval: timedelta = REFRESH_INTERVAL) -> bool:
        """Return True if it is time to request the list again. A failed or ``doubted`` list is due sooner."""
        retry_soon = self.failure or self.doubted or self.is_starting
        interval = min(RETRY_INTERVAL, refresh_interval) if retry_soon else refresh_interval
        return now - self.asked_at >= interval


def fresh_tool_list(listing: ToolListing, now: datetime, before: StoredToolList | None = None) -> StoredToolList:
    """Return the list to store for a server that has just been listed. ``before`` is the old list, if any."""
    was_ready = before is not None and before.failure is None and not before.is_starting
    since = (before.since or before.asked_at) if before and was_ready else now
    return StoredToolList(**dict(listing), asked_at=now, since=since)


def with_known_asking(tools: list[ToolSpec], before: list[ToolSpec]) -> list[ToolSpec]:
    """Return a new list of tools with ``asks_while_running`` of the old list, except for tools that have changed."""
    known = {tool.name: tool for tool in before if tool.asks_while_running}
    asking = [tool.model_copy(update={"asks_while_running": True}) for tool in tools]
    return [new if known.get(tool.name) == new else tool for tool, new in zip(tools, asking, strict=True)]


def starting_tool_list(now: datetime) -> StoredToolList:
    """Return the record to store, without tools, when a server's tools are requested for the first time."""
    return StoredToolList(asked_at=now, since=now)


MAX_MODEL_NAME_CHARS = 64

_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_-]")
_FIRST_CHAR = re.compile(r"[A-Za-z_]")
_HASH_CHARS = 8


class ToolNames:
    """Maps full tool names (``server.tool``) to names that model APIs accept, and back.

    Model APIs accept names of up to 64 letters, digits, ``_`` and ``-``. Other characters become ``_``. A name gets a
    hash of the full name if it is too long, or if two tools would get the same name (``a_b.c`` and ``a.b_c``). Adding
    or removing a tool therefore changes another tool's name only in such a conflict.
    """

    def __init__(self, full_names: Iterable[str]) -> None:
        valid = {full: _to_valid_name(full) for full in sorted(set(full_names))}
        uses = Counter(valid.values())
        self._full_by_name: dict[str, str] = {}
        for full, name in valid.items():
            is_unique = uses[name] == 1 and len(name) <= MAX_MODEL_NAME_CHARS
            self._full_by_name[name if is_unique else self._hashed_name(full, name, uses)] = full
        self._name_by_full = {full: name for name, full in self._full_by_name.items()}

    def name_for_model(self, full_name: str) -> str:
        """Return the name under which the model knows a tool. Raise KeyError for a tool that was not mapped."""
        return self._name_by_full[full_name]

    def full_name(self, name: str) -> str | None:
        """Return the full name of the tool that the model calls ``name``, or None if the model invented the name."""
        return self._full_by_name.get(name)

    def _hashed_name(self, full: str, name: str, uses: Counter[str]) -> str:
        """Append a hash to the name. If another tool already has the resulting name, append a different hash."""
        for number in count():
            digest = hashlib.sha256(f"{full}{number or ''}".encode()).hexdigest()[:_HASH_CHARS]
            hashed = f"{name[: MAX_MODEL_NAME_CHARS - _HASH_CHARS - 1]}_{digest}"
            if hashed not in uses and hashed not in self._full_by_name:
                return hashed
        raise AssertionError("the loop never ends by itself")


def names_for_request(request: CompletionRequest) -> ToolNames:
    """Map the names of all tools in a request, also those in its messages, because providers check them, too."""
    replies = [message for message in request.messages if isinstance(message, AssistantMessage)]
    called = [call.tool for reply in replies for call in reply.calls]
    answered = [message.tool for message in request.messages if isinstance(message, ToolMessage)]
    return ToolNames([*(tool.full_name for tool in request.tools), *called, *answered])


def _to_valid_name(full: str) -> str:
    name = _NOT_ALLOWED.sub("_", full)
    return name if _FIRST_CHAR.match(name) else f"_{name}"


BUILTIN_SERVER = "satchel"
"""The server name of the built-in tools, which run without a runner. No server in mcp.json may have this name."""

BUILTIN_TITLE = "Satchel"
BUILTIN_DESCRIPTION = "Built into Satchel: the user's files."
FILES_PER_PAGE = 50

LIST_FILES = ToolSpec(
    server=BUILTIN_SERVER,
    name="list_files",
    description=(
        "List the user's files, newest first, with details of each file. Use it to find files that the list of "
        "available files leaves out, and the next actions of deferred files. If several files have the same name, use "
        "the `key` in tool arguments. Call it with `cursor` for the next page."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "this_session": {"type": "boolean", "description": "Only files of this session."},
            "source": {"type": "string", "enum": ["uploaded", "generated", "deferred"]},
            "name_prefix": {"type": "string", "maxLength": 255, "description": "Only names that start with this text."},
            "cursor": {"type": "string", "maxLength": 2000, "description": "`cursor` of the previous page."},
        },
        "additionalProperties": False,
    },
)

FIND_TOOLS = ToolSpec(
    server=BUILTIN_SERVER,
    name="find_tools",
    description=(
        "Find tools by what they do. Many more tools exist than are listed here, for many services: if no listed tool "
        "fits, search before you say that something is impossible. From the next step on, you can call the tools that "
        "were found."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": 500,
                "description": "The service, the action and the thing, each with other words for it, such as "
                "`GitHub create issue, report bug`.",
            }
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
"""The tool that finds other tools. Models get it only if there are many (``domain.tool_search``)."""

BUILTIN_TOOLS = {tool.full_name: tool for tool in (LIST_FILES, FIND_TOOLS)}

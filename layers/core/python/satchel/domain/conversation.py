"""Conversations with a model (messages, tools, requests and replies), independent of the model's provider."""

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from satchel.domain.media import MediaRef


def _is_empty(value: object) -> bool:
    return not value


# Lists of messages have factories, because Pydantic makes a deep copy of a default for each message of a conversation.
_Media = Annotated[list[MediaRef], Field(exclude_if=_is_empty)]
_NotShown = Annotated[list[str], Field(exclude=True)]


class ProposedCall(BaseModel):
    """A model's tool call: full tool name (``server.tool``), unvalidated JSON text, and the model's id for the call."""

    tool: str
    arguments: str
    ref: str


class UserMessage(BaseModel):
    """The user's message. ``file_list`` is the text with the files that were available when the message was sent.

    Requests to the model append the list to the text. It is stored with the message, because a list that changed later
    would change the beginning of the next requests, and the provider could not read that beginning from its cache.
    """

    role: Literal["user"] = "user"
    text: str
    file_list: str = ""
    media: _Media = Field(default_factory=list)
    not_shown: _NotShown = Field(default_factory=list)

    def for_model(self) -> "UserMessage":
        """Return the message as the model gets it: the text ends with the list of files and the notes."""
        if not self.file_list and not self.not_shown:
            return self
        note = f"\n\n[SYSTEM: Not shown to you: {'; '.join(self.not_shown)}]" if self.not_shown else ""
        return UserMessage(text=self.text + self.file_list + note, media=self.media)


class ThinkingBlock(BaseModel):
    """A part of a model's reasoning, as its provider wants it back with the results of the calls that follow it.

    ``signature`` is the provider's proof that the text is unchanged. ``details`` are other fields of the provider.
    """

    text: str
    provider: str | None = None
    block_id: str | None = None
    signature: str | None = None
    details: dict[str, Any] | None = None


_Thinking = Annotated[list[ThinkingBlock], Field(exclude_if=_is_empty)]


class AssistantMessage(BaseModel):
    """One reply of the model: its text and the tool calls that it proposes.

    ``thinking`` is the reasoning before the calls. Providers need it in the later requests of the same turn only.
    """

    role: Literal["assistant"] = "assistant"
    text: str
    calls: list[ProposedCall] = Field(default_factory=list)
    thinking: _Thinking = Field(default_factory=list)


class ToolMessage(BaseModel):
    """A tool result for the model, without base64, links and tokens. ``mistaken`` is True if the call was invalid.

    ``media`` are the result's pictures. In a model request, ``not_shown`` are notes for those that it leaves out.
    """

    role: Literal["tool"] = "tool"
    ref: str
    tool: str
    content: dict[str, Any]
    failed: bool = False
    mistaken: bool = False
    media: _Media = Field(default_factory=list)
    not_shown: _NotShown = Field(default_factory=list)

    def for_model(self) -> "ToolMessage":
        """Return the result as the model gets it: the content includes the notes for what is not shown."""
        if not self.not_shown:
            return self
        return self.model_copy(update={"content": self.content | {"not_shown": self.not_shown}, "not_shown": []})


Message = Annotated[UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


CallMethod = Literal["tools/call", "resources/read"]
"""The MCP request that a call sends. Satchel adds a tool that reads resources to servers that have some."""


class ToolHints(BaseModel):
    """A server's hints about the effects of a tool. They are not verified. A missing hint is None."""

    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


class Icon(BaseModel):
    """An icon of a tool: an ``https:`` or ``data:`` URL."""

    src: str
    mime: str | None = None
    sizes: list[str] = []


class ToolSpec(BaseModel):
    """A tool as its MCP server describes it. The schemas are JSON Schema.

    ``hints`` describe its effects. Apps of the same server may call the tool unless ``for_app`` is False, and if
    ``for_model`` is False, only they may. ``app_uri`` is the address of the app that shows the tool's results. If
    ``needs_task``, an older server runs the tool only as a task. If ``asks_while_running``, the tool has asked the
    user in a way that only the older MCP handshake permits.
    """

    server: str
    name: str
    title: str | None = None
    description: str = ""
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] | None = None
    hints: ToolHints | None = None
    icons: list[Icon] = []
    for_model: bool = True
    needs_task: bool = False
    asks_while_running: bool = False
    for_app: bool = True
    app_uri: str | None = None
    method: CallMethod = "tools/call"

    @property
    def full_name(self) -> str:
        """Return ``server.tool``, the name that identifies the tool in Satchel."""
        return f"{self.server}.{self.name}"

    @property
    def may_destroy(self) -> bool:
        """Return True unless the server says that the tool only reads, or only adds. MCP defines these defaults."""
        hints = self.hints or ToolHints()
        return not hints.read_only and hints.destructive is not False

    @property
    def may_repeat(self) -> bool:
        """Return True if the server says that a repeated call has no further effect."""
        hints = self.hints or ToolHints()
        return bool(hints.read_only or hints.idempotent)

    @property
    def has_header_arguments(self) -> bool:
        """Return True if a remote server may expect some of the arguments as HTTP headers, too (``x-mcp-header``)."""
        return '"x-mcp-header"' in json.dumps(self.input_schema)

    def arguments_with(self, keyword: str) -> list[str]:
        """Return the names of the arguments whose schema, or that of their items, has this keyword."""
        return list(self.values_of(keyword))

    def values_of(self, keyword: str) -> dict[str, Any]:
        """Return the value of a keyword in the schema of each argument, or in that of its items, that has it."""
        properties = self.input_schema.get("properties")
        named = properties.items() if isinstance(properties, dict) else ()
        schemas = [(name, each) for name, schema in named for each in (_items(schema), schema)]
        return {name: schema[keyword] for name, schema in schemas if isinstance(schema, dict) and keyword in schema}

    def declares(self, argument: str) -> bool:
        """Return True if the tool's input schema has an argument with this name."""
        properties = self.input_schema.get("properties")
        return isinstance(properties, dict) and argument in properties


def _items(schema: object) -> object:
    return schema.get("items") if isinstance(schema, dict) else None


ThinkingLevel = bool | Literal["minimal", "low", "medium", "high"]
"""How much a model reasons before it answers: True: as its provider chooses, False: not, or as little as it can."""


class CompletionRequest(BaseModel):
    """One request to a model. Each user message in ``messages`` ends with the list of files of its time.

    ``model`` is the provider and model id, e.g. ``bedrock:us.anthropic.…`` or ``openai-chat:…``. If ``must_answer`` is
    true, the model must answer without tool calls. ``tools`` still lists all tools, because some providers reject a
    conversation with calls of unlisted tools. ``thinking`` is how much the model reasons before it answers (None: as
    its provider chooses).

    ``media`` are the bytes of the pictures and documents in ``messages``, by their S3 keys. They are never stored.
    """

    model: str = "offline"
    instructions: str
    messages: list[Message]
    tools: list[ToolSpec]
    must_answer: bool = False
    thinking: ThinkingLevel | None = None
    media: dict[str, bytes] = Field(default={}, repr=False, exclude=True)


class TokenUsage(BaseModel):
    """Token counts reported by the provider. ``input_tokens`` includes tokens read from and written to the cache.

    ``media_tokens`` is Satchel's estimate of the input tokens that pictures and documents used. Providers do not
    report them.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    media_tokens: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(**{name: getattr(self, name) + getattr(other, name) for name in TokenUsage.model_fields})


class ModelReply(BaseModel):
    """A model's reply. It is final if it has no tool calls. ``usage`` includes reported tokens of failed attempts."""

    text: str
    calls: list[ProposedCall] = []
    usage: TokenUsage = TokenUsage()
    thinking: list[ThinkingBlock] = []

"""Conversations with a model (messages, tools, requests and replies), independent of the model's provider."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field


class ProposedCall(BaseModel):
    """A model's tool call: full tool name (``server.tool``), unvalidated JSON text, and the model's id for the call."""

    tool: str
    arguments: str
    ref: str


class UserMessage(BaseModel):
    """The user's message, without the list of available files. Each model request appends the current list."""

    role: Literal["user"] = "user"
    text: str


class AssistantMessage(BaseModel):
    """One reply of the model: its text and the tool calls that it proposes."""

    role: Literal["assistant"] = "assistant"
    text: str
    calls: list[ProposedCall] = []


class ToolMessage(BaseModel):
    """A tool result for the model, without base64, links and tokens. ``mistaken`` is True if the call was invalid."""

    role: Literal["tool"] = "tool"
    ref: str
    tool: str
    content: dict[str, Any]
    failed: bool = False
    mistaken: bool = False


Message = Annotated[UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


class ToolSpec(BaseModel):
    """A tool as its MCP server describes it. The schemas are JSON Schema."""

    server: str
    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] | None = None

    @property
    def full_name(self) -> str:
        """Return ``server.tool``, the name that identifies the tool in Satchel."""
        return f"{self.server}.{self.name}"

    def declares(self, argument: str) -> bool:
        """Return True if the tool's input schema has an argument with this name."""
        properties = self.input_schema.get("properties")
        return isinstance(properties, dict) and argument in properties


class CompletionRequest(BaseModel):
    """One request to a model. The last user message in ``messages`` ends with the list of available files.

    ``model`` is the provider and model id, e.g. ``bedrock:us.anthropic.…`` or ``openai-chat:…``. If ``must_answer`` is
    true, the model must answer without tool calls. ``tools`` still lists all tools, because some providers reject a
    conversation with calls of unlisted tools.
    """

    model: str = "offline"
    instructions: str
    messages: list[Message]
    tools: list[ToolSpec]
    must_answer: bool = False


class TokenUsage(BaseModel):
    """Token counts reported by the provider. ``input_tokens`` includes tokens read from and written to the cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage(**{name: getattr(self, name) + getattr(other, name) for name in TokenUsage.model_fields})


class ModelReply(BaseModel):
    """A model's reply. It is final if it has no tool calls. ``usage`` includes reported tokens of failed attempts."""

    text: str
    calls: list[ProposedCall] = []
    usage: TokenUsage = TokenUsage()

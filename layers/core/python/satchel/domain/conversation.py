"""Conversations with a model (messages, tools, requests and replies), independent of the model's provider."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field


class ProposedCall(BaseModel):
    """A tool call as the model wrote it, not validated: ``arguments`` is unchanged text and possibly invalid JSON.

    ``tool`` is the full name (``server.tool``). ``ref`` is the id that the model gave the call.
    """

    tool: str
    arguments: str
    ref: str


class UserMessage(BaseModel):
    """The user's message, without the list of available files, which each model request appends anew."""

    role: Literal["user"] = "user"
    text: str


class AssistantMessage(BaseModel):
    """One reply of the model: its text and the tool calls that it proposes."""

    role: Literal["assistant"] = "assistant"
    text: str
    calls: list[ProposedCall] = []


class ToolMessage(BaseModel):
    """The result of a tool call in the form that the model gets: without base64, links and tokens.

    ``mistaken``: Dispatch rejected the call because of the model's mistake, which the model may correct.
    """

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
    """One request to a model: the conversation so far, whose last user message lists the files, and the tools.

    ``model`` is the provider and model id, e.g. ``bedrock:us.anthropic.…`` or ``openai-chat:…``. With ``must_answer``,
    the model must answer without tool calls. The request still lists the tools, because some providers reject a
    conversation with calls of unlisted tools.
    """

    model: str = "offline"
    instructions: str
    messages: list[Message]
    tools: list[ToolSpec]
    must_answer: bool = False


class TokenUsage(BaseModel):
    """Token counts reported by the provider. ``input_tokens`` includes tokens read from and written to its cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """Return the sum of two usages, field by field."""
        return TokenUsage(**{name: getattr(self, name) + getattr(other, name) for name in TokenUsage.model_fields})


class ModelReply(BaseModel):
    """One reply of a model. A reply without tool calls is the final answer.

    ``usage`` includes the tokens of failed attempts if the provider reported them.
    """

    text: str
    calls: list[ProposedCall] = []
    usage: TokenUsage = TokenUsage()

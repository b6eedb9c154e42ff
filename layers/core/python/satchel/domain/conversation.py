"""Requests to a model and its replies, independent of the provider."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field


class ProposedCall(BaseModel):
    """A tool call as the model wrote it: not validated, and ``arguments`` may not be JSON.

    ``tool`` is ``server.tool``; ``arguments`` is the unchanged text; ``ref`` is the model's own id of the call.
    """

    tool: str
    arguments: str
    ref: str


class UserMessage(BaseModel):
    """The user's message, without the file context: each request adds the current one."""

    role: Literal["user"] = "user"
    text: str


class AssistantMessage(BaseModel):
    """The model's text and tool calls in one round."""

    role: Literal["assistant"] = "assistant"
    text: str
    calls: list[ProposedCall] = []


class ToolMessage(BaseModel):
    """The result of a call for the model, without base64, links and tokens.

    ``mistaken``: Dispatch rejected the call because of the model's request, and the model may correct it.
    """

    role: Literal["tool"] = "tool"
    ref: str
    tool: str
    content: dict[str, Any]
    failed: bool = False
    mistaken: bool = False


Message = Annotated[UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


class ToolSpec(BaseModel):
    """A tool as its server describes it. The schemas are JSON Schema."""

    server: str
    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] | None = None

    @property
    def full_name(self) -> str:
        """Return ``server.tool``, the tool's name in Satchel."""
        return f"{self.server}.{self.name}"

    def declares(self, argument: str) -> bool:
        """Return True if the tool's schema has an argument with this name."""
        properties = self.input_schema.get("properties")
        return isinstance(properties, dict) and argument in properties


class CompletionRequest(BaseModel):
    """One request to a model: the conversation so far (the last user message with its file context) and the tools.

    ``model`` names the model as in the settings, e.g. ``bedrock:us.anthropic.…`` or ``openai-chat:…``. ``must_answer``:
    the model must answer without tool calls. The request lists the tools nevertheless, because some providers reject a
    conversation with calls of unlisted tools.
    """

    model: str = "offline"
    instructions: str
    messages: list[Message]
    tools: list[ToolSpec]
    must_answer: bool = False


class TokenUsage(BaseModel):
    """Tokens as the provider counts them. ``input_tokens`` includes the tokens read from and written to its cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """Return the sum of both, field by field."""
        return TokenUsage(**{name: getattr(self, name) + getattr(other, name) for name in TokenUsage.model_fields})


class ModelReply(BaseModel):
    """One reply of a model. A reply without calls is the final answer.

    ``usage`` includes failed attempts if the provider reported their tokens.
    """

    text: str
    calls: list[ProposedCall] = []
    usage: TokenUsage = TokenUsage()

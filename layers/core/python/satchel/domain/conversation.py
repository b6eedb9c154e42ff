"""What a model is given and what it answers, in no provider's form."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field


class ProposedCall(BaseModel):
    """A tool call as a model asks for it: nothing of it is trusted or even known to be JSON.

    ``tool`` is ``server.tool``; ``arguments`` is the text as it came; ``ref`` is the model's own id for the call.
    """

    tool: str
    arguments: str
    ref: str


class UserMessage(BaseModel):
    """What the person wrote (without the file context, which is added afresh each time)."""

    role: Literal["user"] = "user"
    text: str


class AssistantMessage(BaseModel):
    """What the model said and which tools it asked for, in one round."""

    role: Literal["assistant"] = "assistant"
    text: str
    calls: list[ProposedCall] = []


class ToolMessage(BaseModel):
    """What a call came to, as the model sees it: no base64, no links, no tokens.

    ``mistaken``: it was refused for what the model asked, who may mend it.
    """

    role: Literal["tool"] = "tool"
    ref: str
    tool: str
    content: dict[str, Any]
    failed: bool = False
    mistaken: bool = False


Message = Annotated[UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")]


class ToolSpec(BaseModel):
    """A tool as its server lists it. The schemas are JSON Schema."""

    server: str
    name: str
    description: str = ""
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] | None = None

    @property
    def full_name(self) -> str:
        """Return ``server.tool``, the name inside Satchel."""
        return f"{self.server}.{self.name}"

    def declares(self, argument: str) -> bool:
        """Tell whether the tool takes an argument of this name."""
        properties = self.input_schema.get("properties")
        return isinstance(properties, dict) and argument in properties


class CompletionRequest(BaseModel):
    """One question to a model: the conversation so far (the last user message with its file context) and the tools.

    ``model`` names the model as in the settings, e.g. ``bedrock:us.anthropic.…`` or ``openai-chat:…``. ``must_answer``:
    it has to answer now, and what it may wish to call is not called; the tools are still there, since some providers
    take no conversation with calls of tools that they are not told of.
    """

    model: str = "offline"
    instructions: str
    messages: list[Message]
    tools: list[ToolSpec]
    must_answer: bool = False


class TokenUsage(BaseModel):
    """Tokens as the provider counts them; those of the input that came from or went into its cache are part of it."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """Return the sum of both."""
        return TokenUsage(**{name: getattr(self, name) + getattr(other, name) for name in TokenUsage.model_fields})


class ModelReply(BaseModel):
    """One answer of a model; without calls it is the final one.

    ``usage`` is what it took altogether, beginnings that came to nothing included as far as they were counted.
    """

    text: str
    calls: list[ProposedCall] = []
    usage: TokenUsage = TokenUsage()

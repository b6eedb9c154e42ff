"""Converts Satchel's model requests to pydantic_ai's messages, and pydantic_ai's responses to replies."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from pydantic_ai.messages import (
    BinaryContent,
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from satchel.contract.binary_types import HEAD_BYTES, guess_mime
from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    Message,
    ProposedCall,
    ThinkingBlock,
    TokenUsage,
    ToolMessage,
)
from satchel.domain.media import MediaRef
from satchel.domain.tools import ToolNames

PART_SEPARATOR = "\n\n"
_INVALID_ARGUMENTS = "not_json"
_NO_FIELD = (None, "content")  # the id of reasoning that pydantic_ai has found in the text


def to_parameters(request: CompletionRequest, names: ToolNames) -> ModelRequestParameters:
    """Return a request's instructions and sorted tools. Prompt caches need the same tool order in each request."""
    definitions = [
        ToolDefinition(
            name=names.name_for_model(tool.full_name),
            description=tool.description,
            parameters_json_schema={"type": "object", "properties": {}} | tool.input_schema,
            strict=False,
        )
        for tool in sorted(request.tools, key=lambda tool: tool.full_name)
    ]
    return ModelRequestParameters(
        function_tools=definitions,
        allow_text_output=True,
        instruction_parts=[InstructionPart(content=request.instructions)],
    )


def to_provider_messages(request: CompletionRequest, names: ToolNames) -> list[ModelMessage]:
    """Convert a request's messages. Those between two replies of the model form one ModelRequest."""
    messages: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []
    ids = _CallIds()
    for message in request.messages:
        if not isinstance(message, AssistantMessage):
            parts.append(_to_request_part(message, names, ids, request.media))
            continue
        if parts:
            messages.append(ModelRequest(parts=parts, instructions=request.instructions))
            parts = []
        if response := _to_response_parts(message, names, ids):
            messages.append(ModelResponse(parts=response))
    return [*messages, ModelRequest(parts=parts, instructions=request.instructions)]


class _ToolResult(ToolReturnPart):
    """A tool result that reaches the model unchanged, even if the call failed: its text already describes the error.

    If a provider cannot mark a result as failed, pydantic_ai would wrap the text as ``{"error": "…"}`` and escape all
    quotes in it.
    """

    def model_response_str(self, *, wrap_if_error: bool = True) -> str:
        """Return the content, never wrapped as an error."""
        del wrap_if_error
        return super().model_response_str(wrap_if_error=False)

    def model_response_str_and_user_content(self, *, wrap_if_error: bool = True) -> tuple[str, list[UserContent]]:
        """Return the text with references to the pictures, and the pictures, for providers that want them apart."""
        del wrap_if_error
        text, files = super().model_response_str_and_user_content(wrap_if_error=False)
        return "\n".join(json.loads(text)) if files else text, files


class _CallIds:
    """Assigns a new id to each tool call of a conversation, and finds the call that a result belongs to.

    The ids that models chose are not sent, because a conversation may contain calls from several models, and providers
    restrict ids in different ways. A new id has nine letters and digits, which all providers accept.
    """

    def __init__(self) -> None:
        self._number = count(1)
        self._open: dict[str, list[str]] = {}

    def assign(self, calls: Sequence[ProposedCall]) -> Iterator[str]:
        self._open = {}
        for call in calls:
            call_id = f"call{next(self._number):05d}"
            self._open.setdefault(call.ref, []).append(call_id)
            yield call_id

    def match(self, ref: str) -> str:
        """Return the new id of the call with this ``ref``, or an unused id if there is no such call."""
        ids = self._open.get(ref) or [f"call{next(self._number):05d}"]
        return ids.pop(0)


def _to_request_part(message: Message, names: ToolNames, ids: _CallIds, media: Mapping[str, bytes]) -> ModelRequestPart:
    if isinstance(message, ToolMessage):
        # Pass the content as text. For an object, pydantic would first build a serializer, which takes 0.7 s.
        text = json.dumps(message.content, ensure_ascii=False)
        return _ToolResult(
            tool_name=names.name_for_model(message.tool),
            content=[text, *_to_contents(message.media, media)] if message.media else text,
            tool_call_id=ids.match(message.ref),
            outcome="failed" if message.failed else "success",
        )
    assert not isinstance(message, AssistantMessage)  # noqa: S101  (the caller handles assistant messages)
    return UserPromptPart([message.text, *_to_contents(message.media, media)] if message.media else message.text)


def _to_contents(refs: Sequence[MediaRef], media: Mapping[str, bytes]) -> list[BinaryContent]:
    """Return the pictures and documents. The type is that of their bytes, because providers reject a wrong one."""
    return [BinaryContent(media[ref.key], media_type=guess_mime(media[ref.key][:HEAD_BYTES])) for ref in refs]


def _to_response_parts(message: AssistantMessage, names: ToolNames, ids: _CallIds) -> list[ModelResponsePart]:
    text: list[ModelResponsePart] = [TextPart(message.text)] if message.text.strip() else []
    calls = zip(message.calls, ids.assign(message.calls), strict=True)
    return (
        [_to_thinking_part(block) for block in message.thinking]
        + text
        + [ToolCallPart(names.name_for_model(call.tool), _parse_arguments(call), call_id) for call, call_id in calls]
    )


def _to_thinking_part(block: ThinkingBlock) -> ModelResponsePart:
    return ThinkingPart(
        block.text,
        id=block.block_id,
        signature=block.signature,
        provider_name=block.provider,
        provider_details=block.details,
    )


def _parse_arguments(call: ProposedCall) -> dict[str, object]:
    """Return a call's arguments as a dict. Wrap invalid arguments in a dict, because providers accept only dicts."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = None
    return arguments if isinstance(arguments, dict) else {_INVALID_ARGUMENTS: call.arguments}


def extract_text(response: ModelResponse) -> str:
    """Return the text of a response: the same text that all its streamed pieces form together."""
    return PART_SEPARATOR.join(part.content for part in response.parts if isinstance(part, TextPart) and part.content)


def extract_thinking(response: ModelResponse) -> list[ThinkingBlock]:
    """Return the reasoning that the provider wants back, unchanged: providers verify its signature.

    Leave out reasoning without a signature or a field of its own, because pydantic_ai would send it back as text.
    """
    return [
        ThinkingBlock(
            text=part.content,
            provider=part.provider_name,
            block_id=part.id,
            signature=part.signature,
            details=part.provider_details,
        )
        for part in response.parts
        if isinstance(part, ThinkingPart) and (part.signature or part.id not in _NO_FIELD)
    ]


def extract_calls(response: ModelResponse, names: ToolNames) -> list[ProposedCall]:
    """Return the tool calls in a response, each with a unique ``ref``. Names of unknown tools stay unchanged."""
    return [
        ProposedCall(
            tool=names.full_name(part.tool_name) or part.tool_name,
            arguments=part.args if isinstance(part.args, str) else json.dumps(part.args or {}),
            ref=f"{index}-{part.tool_call_id}",
        )
        for index, part in enumerate(response.tool_calls)
    ]


def to_token_usage(usage: RequestUsage) -> TokenUsage:
    """Return how many tokens a request and its response used."""
    return TokenUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )

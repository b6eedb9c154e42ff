"""A question in pydantic_ai's words, and its answer in ours."""

import json
from collections.abc import Iterator, Sequence
from itertools import count

from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import RequestUsage

from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    Message,
    ProposedCall,
    TokenUsage,
    ToolMessage,
)
from satchel.domain.tools import ToolNames

BETWEEN_PARTS = "\n\n"
_NOT_JSON = "not_json"


def parameters(task: CompletionRequest, names: ToolNames) -> ModelRequestParameters:
    """Return instructions and tools, these always in the same order: a provider's cache begins with them."""
    definitions = [
        ToolDefinition(
            name=names.given(tool.full_name),
            description=tool.description,
            parameters_json_schema={"type": "object", "properties": {}} | tool.input_schema,
            strict=False,
        )
        for tool in sorted(task.tools, key=lambda tool: tool.full_name)
    ]
    return ModelRequestParameters(
        function_tools=definitions,
        allow_text_output=True,
        instruction_parts=[InstructionPart(content=task.instructions)],
    )


def history(task: CompletionRequest, names: ToolNames) -> list[ModelMessage]:
    """Return the conversation: what a person wrote and what tools returned between two answers is one request."""
    messages: list[ModelMessage] = []
    asked: list[ModelRequestPart] = []
    ids = _CallIds()
    for message in task.messages:
        if not isinstance(message, AssistantMessage):
            asked.append(_asked(message, names, ids))
            continue
        if asked:
            messages.append(ModelRequest(parts=asked, instructions=task.instructions))
            asked = []
        if said := _said(message, names, ids):
            messages.append(ModelResponse(parts=said))
    return [*messages, ModelRequest(parts=asked, instructions=task.instructions)]


class _CallIds:
    """Calls are numbered through: providers have rules for ids, and a conversation may have had several models.

    Nine letters and digits satisfy all of them.
    """

    def __init__(self) -> None:
        self._number = count(1)
        self._open: dict[str, list[str]] = {}

    def begin(self, calls: Sequence[ProposedCall]) -> Iterator[str]:
        """Give the id of each call of an answer."""
        self._open = {}
        for call in calls:
            given = f"call{next(self._number):05d}"
            self._open.setdefault(call.ref, []).append(given)
            yield given

    def end(self, ref: str) -> str:
        """Return the id of the call that a result belongs to."""
        given = self._open.get(ref) or [f"call{next(self._number):05d}"]
        return given.pop(0)


def _asked(message: Message, names: ToolNames, ids: _CallIds) -> ModelRequestPart:
    if isinstance(message, ToolMessage):
        return ToolReturnPart(
            tool_name=names.given(message.tool),
            content=json.dumps(message.content, ensure_ascii=False),  # as text: to learn to write objects takes 0.7 s
            tool_call_id=ids.end(message.ref),
            outcome="failed" if message.failed else "success",
        )
    assert not isinstance(message, AssistantMessage)  # noqa: S101  (the caller sees to those)
    return UserPromptPart(message.text)


def _said(message: AssistantMessage, names: ToolNames, ids: _CallIds) -> list[ModelResponsePart]:
    text: list[ModelResponsePart] = [TextPart(message.text)] if message.text.strip() else []
    calls = zip(message.calls, ids.begin(message.calls), strict=True)
    return text + [ToolCallPart(names.given(call.tool), _arguments(call), given) for call, given in calls]


def _arguments(call: ProposedCall) -> dict[str, object]:
    """Providers take an object back, also where the model had written none."""
    try:
        found = json.loads(call.arguments or "{}")
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {_NOT_JSON: call.arguments}


def text_of(response: ModelResponse) -> str:
    """Return all that was said, as it is heard."""
    return BETWEEN_PARTS.join(part.content for part in response.parts if isinstance(part, TextPart) and part.content)


def calls_of(response: ModelResponse, names: ToolNames) -> list[ProposedCall]:
    """Return the calls, each with a ref of its own; a tool that there is not keeps the name that the model made up."""
    return [
        ProposedCall(
            tool=names.full(part.tool_name) or part.tool_name,
            arguments=part.args if isinstance(part.args, str) else json.dumps(part.args or {}),
            ref=f"{index}-{part.tool_call_id}",
        )
        for index, part in enumerate(response.tool_calls)
    ]


def usage_of(counted: RequestUsage) -> TokenUsage:
    """Return the tokens that an answer took."""
    return TokenUsage(
        input_tokens=counted.input_tokens,
        output_tokens=counted.output_tokens,
        cache_read_tokens=counted.cache_read_tokens,
        cache_write_tokens=counted.cache_write_tokens,
    )

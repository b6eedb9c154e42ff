"""Reasoning in each provider's own wire format: streamed apart from the answer, and sent back within a turn."""

from collections.abc import Callable
from typing import Any

import pytest

from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    Message,
    ProposedCall,
    ThinkingLevel,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from tests.fake_providers.replies import SIGNATURE, Answer
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.llm import FakeStreamListener
from tests.integration.models.conftest import ModelFactory
from tests.unit.domain.conversations import normalize_history

THOUGHTS = ["The user wants ", "the sky."]
TOOL = ToolSpec(server="sky", name="look", input_schema={"type": "object", "properties": {"at": {"type": "string"}}})
CALL = ("sky_look", '{"at": "moon"}')
QUESTION = UserMessage(text="How is the sky?")
SENT_BACK: dict[str, Callable[[dict[str, Any]], object]] = {
    "anthropic": lambda body: body["messages"][1]["content"][0],
    "bedrock": lambda body: body["messages"][1]["content"][0],
    "openai-chat": lambda body: {"reasoning_content": body["messages"][2].get("reasoning_content")},
}
EXPECTED: dict[str, object] = {
    "anthropic": {"type": "thinking", "thinking": "".join(THOUGHTS), "signature": SIGNATURE},
    "bedrock": {"reasoningContent": {"reasoningText": {"text": "".join(THOUGHTS), "signature": SIGNATURE}}},
    "openai-chat": {"reasoning_content": "".join(THOUGHTS)},
}

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


def make_request(*messages: Message, thinking: ThinkingLevel | None = None) -> CompletionRequest:
    return CompletionRequest(instructions="Be brief.", messages=list(messages), tools=[TOOL], thinking=thinking)


@each_provider
def test_reasoning_is_streamed_apart_from_the_answer(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [Answer(["It is ", "blue."], thoughts=THOUGHTS)]
    listener = FakeStreamListener()
    reply = get_model(provider).reply(make_request(QUESTION), listener)
    assert [thought for thought in listener.thoughts if thought] == THOUGHTS
    assert listener.pieces == ["It is ", "blue."]
    assert reply.text == "It is blue."


def ask_with_result(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory, *later: Message) -> dict[str, Any]:
    """Send a request with the calls and the reasoning of an earlier one. Return the body of the request."""
    model = get_model(provider)
    endpoint.replies = [Answer([], [CALL], thoughts=THOUGHTS)]
    reply = model.reply(make_request(QUESTION), FakeStreamListener())
    stored = AssistantMessage(text=reply.text, calls=reply.calls, thinking=reply.thinking)
    stored = AssistantMessage.model_validate_json(stored.model_dump_json())
    result = ToolMessage(ref=reply.calls[0].ref, tool="sky.look", content={"results": "white"})
    model.reply(make_request(*normalize_history([QUESTION, stored, result, *later])), FakeStreamListener())
    return endpoint.requests[-1].body


@each_provider
def test_reasoning_is_sent_back_unchanged_with_the_results_of_its_calls(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    assert SENT_BACK[provider](ask_with_result(provider, endpoint, get_model)) == EXPECTED[provider]


@each_provider
def test_reasoning_of_earlier_turns_is_not_sent(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    body = ask_with_result(provider, endpoint, get_model, AssistantMessage(text="White."), UserMessage(text="Thanks."))
    assert "White." in str(body)
    assert THOUGHTS[0] not in str(body)


def test_level_of_thinking_is_sent_in_the_format_of_the_provider(
    endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    for provider in PROVIDERS:
        get_model(provider).reply(make_request(QUESTION, thinking="low"), FakeStreamListener())
    sent = dict(zip(PROVIDERS, (request.body for request in endpoint.requests), strict=True))
    assert sent["openai-chat"]["reasoning_effort"] == "low"
    assert sent["anthropic"]["thinking"]["type"] == "adaptive"
    assert sent["bedrock"]["additionalModelRequestFields"]["thinking"]["type"] == "enabled"


def test_older_claude_does_not_think_after_calls_without_thinking(
    endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    """Claude Sonnet 4.5 rejects the request otherwise. Satchel makes such calls for attached files."""
    call = ProposedCall(tool="sky.look", arguments="{}", ref="1")
    reply = AssistantMessage(text="", calls=[call])
    result = ToolMessage(ref="1", tool="sky.look", content={"results": "white"})
    for provider in PROVIDERS:
        get_model(provider).reply(make_request(QUESTION, reply, result, thinking="low"), FakeStreamListener())
    sent = dict(zip(PROVIDERS, (request.body for request in endpoint.requests), strict=True))
    assert sent["bedrock"]["additionalModelRequestFields"]["thinking"] == {"type": "disabled"}
    assert sent["anthropic"]["thinking"]["type"] == "adaptive"
    assert sent["openai-chat"]["reasoning_effort"] == "low"

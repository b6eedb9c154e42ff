"""Requests and streamed answers of each provider in its own wire format."""

import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from satchel.domain.conversation import (
    AssistantMessage,
    CompletionRequest,
    Message,
    ProposedCall,
    TokenUsage,
    ToolMessage,
    ToolSpec,
    UserMessage,
)
from tests.fake_providers.held_pieces import HeldPieces
from tests.fake_providers.replies import Answer, FinishReason
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.llm import FakeStreamListener
from tests.integration.models.conftest import ModelFactory
from tests.priority import prioritized

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    ToolSpec(server="weather", name="get", description="The weather.", input_schema=CITY),
    ToolSpec(server="a.b", name="c", description="First by name."),
]
CALLS = [("weather_get", '{"city": "Paris"}'), ("weather_get", '{"city": "Rome"}')]

MAX_DELAY_SECONDS = 0.3

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


def make_request(*messages: Message, last_word: bool = False) -> CompletionRequest:
    conversation = messages or (UserMessage(text="How is the weather?"),)
    return CompletionRequest(instructions="Be brief.", messages=list(conversation), tools=TOOLS, must_answer=last_word)


@each_provider
def test_answer_is_streamed_piece_by_piece(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    pieces = ["Grüße ", "aus ", "Rom \U0001f35d", "."]
    endpoint.replies = [Answer(pieces, pause=0.05)]
    listener = FakeStreamListener()
    reply = get_model(provider).reply(make_request(), listener)
    assert (reply.text, reply.calls, reply.usage) == ("".join(pieces), [], TokenUsage(input_tokens=11, output_tokens=7))
    assert listener.pieces == pieces


class Releasing(FakeStreamListener):
    """Lets the provider send the rest of the answer when its first text has arrived, and records the time of that."""

    def __init__(self, pieces: HeldPieces) -> None:
        super().__init__()
        self._pieces = pieces
        self.first = 0.0

    def __call__(self, text: str) -> None:
        super().__call__(text)
        if text and not self.first:
            self.first = time.time()
            self._pieces.release_all()


@each_provider
def test_first_piece_is_streamed_before_the_rest_is_sent(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    model = get_model(provider)
    model.reply(make_request(), FakeStreamListener())
    pieces = HeldPieces(["One ", "two"])
    pieces.release()
    endpoint.replies, endpoint.first_text_times = [Answer(pieces, silence=0.2)], []
    listener = Releasing(pieces)
    with prioritized():
        assert model.reply(make_request(), listener).text == "One two"
    assert listener.first - endpoint.first_text_times[0] < MAX_DELAY_SECONDS


@each_provider
def test_parallel_calls_have_full_names_and_unique_refs(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [Answer(["Let me look."], CALLS)]
    reply = get_model(provider).reply(make_request(), FakeStreamListener())
    assert reply.text == "Let me look."
    assert [(call.tool, json.loads(call.arguments)["city"]) for call in reply.calls] == [
        ("weather.get", "Paris"),
        ("weather.get", "Rome"),
    ]
    assert len({call.ref for call in reply.calls}) == 2


@each_provider
def test_invalid_arguments_are_returned_unchanged(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [Answer(calls=[("weather_get", '{"city": "Par'), ("made_up", "{}")])]
    reply = get_model(provider).reply(make_request(), FakeStreamListener())
    assert [(call.tool, call.arguments) for call in reply.calls] == [
        ("weather.get", '{"city": "Par'),
        ("made_up", "{}"),
    ]


def tool_round(*refs: str, failed: bool = False) -> list[Message]:
    calls = [ProposedCall(tool="weather.get", arguments=CALLS[index][1], ref=ref) for index, ref in enumerate(refs)]
    results = [
        ToolMessage(ref=ref, tool="weather.get", content={"results": ref}, failed=failed and not index)
        for index, ref in enumerate(refs)
    ]
    return [UserMessage(text="How is it?"), AssistantMessage(text="I look.", calls=calls), *results]


@each_provider
def test_results_are_sent_with_their_calls_in_order(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    request = make_request(*tool_round("0-a", "1-b", failed=True))
    assert get_model(provider).reply(request, FakeStreamListener()).text == "Hello."
    sent_messages = PARSERS[provider](endpoint.requests[-1].body)
    assert sent_messages == [
        ("user", "How is it?"),
        ("assistant", "I look."),
        ("call", "call00001", "weather_get", {"city": "Paris"}),
        ("call", "call00002", "weather_get", {"city": "Rome"}),
        ("result", "call00001", {"results": "0-a"}),
        ("result", "call00002", {"results": "1-b"}),
    ]


@each_provider
def test_irregular_calls_are_sent_in_a_valid_form(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    """Repeated or empty refs and arguments that are not JSON, from another model or a faulty one."""
    irregular_call = ProposedCall(tool="made up!", arguments="[1", ref="")
    messages = [
        *tool_round("x", "x"),
        AssistantMessage(text=" ", calls=[irregular_call]),
        ToolMessage(ref="", tool="made up!", content={"results": "no"}, failed=True),
        UserMessage(text="And now?"),
        AssistantMessage(text=""),
        UserMessage(text="Well?"),
    ]
    get_model(provider).reply(make_request(*messages), FakeStreamListener())
    sent_messages = PARSERS[provider](endpoint.requests[-1].body)
    ids = [entry[1] for entry in sent_messages if entry[0] == "call"]
    assert ids == ["call00001", "call00002", "call00003"]
    assert [entry[1] for entry in sent_messages if entry[0] == "result"] == ids
    assert ("call", "call00003", "made_up_", {"not_json": "[1"}) in sent_messages
    assert [entry[1] for entry in sent_messages if entry[0] == "user"] == ["How is it?", "And now?", "Well?"]


@each_provider
def test_tools_are_sent_in_a_fixed_order_without_strict_mode(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    model = get_model(provider)
    for tools in itertools.permutations(TOOLS):
        model.reply(make_request().model_copy(update={"tools": list(tools)}), FakeStreamListener())
    first, second = ([*_tools(sent.body)] for sent in endpoint.requests[-2:])
    assert [name for name, _ in first] == ["a_b_c", "weather_get"]
    assert first == second
    assert dict(first)["weather_get"] == CITY
    assert "strict" not in json.dumps(endpoint.requests[-1].body)


@each_provider
def test_last_request_of_a_turn_forbids_tool_calls(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    get_model(provider).reply(make_request(last_word=True), FakeStreamListener())
    sent = endpoint.requests[-1].body
    allowed = sent.get("tool_choice") or sent.get("toolConfig")
    assert allowed in ("none", {"type": "none"}, None)


def test_repeated_content_is_marked_for_prompt_caching(endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    for provider, mark in (("bedrock", "cachePoint"), ("anthropic", "cache_control")):
        get_model(provider).reply(make_request(*tool_round("0-a", "1-b")), FakeStreamListener())
        assert json.dumps(endpoint.requests[-1].body).count(mark) >= 2


@each_provider
def test_truncated_answer_ends_with_a_notice(provider: str, endpoint: FakeEndpoint, get_model: ModelFactory) -> None:
    endpoint.replies = [Answer(["Once upon"], reason=FinishReason.LENGTH)]
    reply = get_model(provider).reply(make_request(), FakeStreamListener())
    assert reply.text == "Once upon\n\n[The answer stops here because it reached the model's maximum length.]"


class Cancelled(Exception):
    """The listener cancelled the request."""


class CancellingListener(FakeStreamListener):
    def __call__(self, text: str) -> None:
        super().__call__(text)
        if text:
            raise Cancelled


@each_provider
def test_exception_of_the_listener_closes_the_connection(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [Answer(["word "] * 400, pause=0.05)]
    with pytest.raises(Cancelled):
        get_model(provider).reply(make_request(), CancellingListener())
    assert endpoint.client_disconnected.wait(2)


@each_provider
def test_twenty_requests_are_answered_concurrently(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    model = get_model(provider)
    endpoint.default_reply = lambda sent: Answer([json.dumps(sent.body["messages"])], pause=0.02)

    def ask(number: int) -> str:
        return model.reply(make_request(UserMessage(text=f"number {number};")), FakeStreamListener()).text

    with ThreadPoolExecutor(20) as pool:
        texts = list(pool.map(ask, range(20)))
    endpoint.default_reply = lambda _: Answer(["Hello."])
    assert all(f"number {number};" in text for number, text in enumerate(texts))


# Conversations in each provider's format


def _bedrock(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    messages: list[tuple[Any, ...]] = []
    for message in body["messages"]:
        for block in message["content"]:
            if "text" in block:
                messages.append((message["role"], block["text"]))
            if use := block.get("toolUse"):
                messages.append(("call", use["toolUseId"], use["name"], use["input"]))
            if result := block.get("toolResult"):
                messages.append(("result", result["toolUseId"], json.loads(result["content"][0]["text"])))
    return messages


def _openai(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    messages: list[tuple[Any, ...]] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            messages.append(("result", message["tool_call_id"], json.loads(message["content"])))
        elif message["role"] != "system" and message.get("content"):
            messages.append((message["role"], message["content"]))
        messages += [
            ("call", call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or []
        ]
    return messages


def _anthropic(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    messages: list[tuple[Any, ...]] = []
    for message in body["messages"]:
        for block in [message["content"]] if isinstance(message["content"], str) else message["content"]:
            if isinstance(block, str) or block["type"] == "text":
                messages.append((message["role"], block if isinstance(block, str) else block["text"]))
            elif block["type"] == "tool_use":
                messages.append(("call", block["id"], block["name"], block["input"]))
            elif block["type"] == "tool_result":
                content = block["content"]
                text = content if isinstance(content, str) else content[0]["text"]
                messages.append(("result", block["tool_use_id"], json.loads(text)))
    return messages


PARSERS = {"bedrock": _bedrock, "openai-chat": _openai, "anthropic": _anthropic}


def _tools(body: dict[str, Any]) -> list[tuple[str, Any]]:
    tools = []
    for tool in body.get("tools") or body["toolConfig"]["tools"]:
        if "cachePoint" in tool:
            continue
        spec = tool.get("toolSpec") or tool.get("function") or tool
        schema = spec.get("inputSchema", {}).get("json") or spec.get("parameters") or spec.get("input_schema")
        tools.append((spec["name"], schema))
    return tools

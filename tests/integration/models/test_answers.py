"""Each provider in its own wire format: what is asked, and what is heard of the answer."""

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
from tests.fake_providers.replies import Answer, FinishReason
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.llm import FakeStreamListener
from tests.integration.models.conftest import Ready

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = [
    ToolSpec(server="weather", name="get", description="The weather.", input_schema=CITY),
    ToolSpec(server="a.b", name="c", description="First by name."),
]
CALLS = [("weather_get", '{"city": "Paris"}'), ("weather_get", '{"city": "Rome"}')]
LATE_SECONDS = 0.3

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


def question(*messages: Message, last_word: bool = False) -> CompletionRequest:
    asked = messages or (UserMessage(text="How is the weather?"),)
    return CompletionRequest(instructions="Be brief.", messages=list(asked), tools=TOOLS, must_answer=last_word)


@each_provider
def test_an_answer_is_heard_piece_by_piece(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    pieces = ["Grüße ", "aus ", "Rom \U0001f35d", "."]
    endpoint.replies = [Answer(pieces, pause=0.05)]
    heard = FakeStreamListener()
    reply = ready(provider).reply(question(), heard)
    assert (reply.text, reply.calls, reply.usage) == ("".join(pieces), [], TokenUsage(input_tokens=11, output_tokens=7))
    assert heard.pieces == pieces


class Stopwatch(FakeStreamListener):
    """Notes when the first piece came."""

    def __init__(self) -> None:
        super().__init__()
        self.first = 0.0

    def __call__(self, text: str) -> None:
        super().__call__(text)
        if text and not self.first:
            self.first = time.time()


@each_provider
def test_the_first_piece_is_heard_when_it_comes(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    model = ready(provider)
    model.reply(question(), FakeStreamListener())
    endpoint.replies, endpoint.first_text_times = [Answer(["One ", "two"], silence=0.2, pause=0.5)], []
    heard = Stopwatch()
    model.reply(question(), heard)
    assert heard.first - endpoint.first_text_times[0] < LATE_SECONDS


@each_provider
def test_calls_come_side_by_side_with_their_own_names(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [Answer(["Let me look."], CALLS)]
    reply = ready(provider).reply(question(), FakeStreamListener())
    assert reply.text == "Let me look."
    assert [(call.tool, json.loads(call.arguments)["city"]) for call in reply.calls] == [
        ("weather.get", "Paris"),
        ("weather.get", "Rome"),
    ]
    assert len({call.ref for call in reply.calls}) == 2


@each_provider
def test_a_call_whose_arguments_are_no_json_comes_as_it_is(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [Answer(calls=[("weather_get", '{"city": "Par'), ("made_up", "{}")])]
    reply = ready(provider).reply(question(), FakeStreamListener())
    assert [(call.tool, call.arguments) for call in reply.calls] == [
        ("weather.get", '{"city": "Par'),
        ("made_up", "{}"),
    ]


def after_tools(*refs: str, failed: bool = False) -> list[Message]:
    calls = [ProposedCall(tool="weather.get", arguments=CALLS[index][1], ref=ref) for index, ref in enumerate(refs)]
    results = [
        ToolMessage(ref=ref, tool="weather.get", content={"results": ref}, failed=failed and not index)
        for index, ref in enumerate(refs)
    ]
    return [UserMessage(text="How is it?"), AssistantMessage(text="I look.", calls=calls), *results]


@each_provider
def test_results_go_back_with_their_calls_in_order(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    task = question(*after_tools("0-a", "1-b", failed=True))
    assert ready(provider).reply(task, FakeStreamListener()).text == "Hello."
    told = TOLD[provider](endpoint.requests[-1].body)
    assert told == [
        ("user", "How is it?"),
        ("assistant", "I look."),
        ("call", "call00001", "weather_get", {"city": "Paris"}),
        ("call", "call00002", "weather_get", {"city": "Rome"}),
        ("result", "call00001", {"results": "0-a"}),
        ("result", "call00002", {"results": "1-b"}),
    ]


@each_provider
def test_what_is_said_of_calls_is_fit_for_any_provider(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    """Refs that came twice or are empty, and arguments that were no JSON: of another model, or of one that erred."""
    wrong = ProposedCall(tool="made up!", arguments="[1", ref="")
    messages = [
        *after_tools("x", "x"),
        AssistantMessage(text=" ", calls=[wrong]),
        ToolMessage(ref="", tool="made up!", content={"results": "no"}, failed=True),
        UserMessage(text="And now?"),
        AssistantMessage(text=""),
        UserMessage(text="Well?"),
    ]
    ready(provider).reply(question(*messages), FakeStreamListener())
    told = TOLD[provider](endpoint.requests[-1].body)
    ids = [entry[1] for entry in told if entry[0] == "call"]
    assert ids == ["call00001", "call00002", "call00003"]
    assert [entry[1] for entry in told if entry[0] == "result"] == ids
    assert ("call", "call00003", "made_up_", {"not_json": "[1"}) in told
    assert [entry[1] for entry in told if entry[0] == "user"] == ["How is it?", "And now?", "Well?"]


@each_provider
def test_tools_are_told_in_the_same_order_without_strictness(
    provider: str, endpoint: FakeEndpoint, ready: Ready
) -> None:
    model = ready(provider)
    for tools in itertools.permutations(TOOLS):
        model.reply(question().model_copy(update={"tools": list(tools)}), FakeStreamListener())
    first, second = ([*_tools(asked.body)] for asked in endpoint.requests[-2:])
    assert [name for name, _ in first] == ["a_b_c", "weather_get"]
    assert first == second
    assert dict(first)["weather_get"] == CITY
    assert "strict" not in json.dumps(endpoint.requests[-1].body)


@each_provider
def test_for_its_last_word_a_model_may_not_call(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    ready(provider).reply(question(last_word=True), FakeStreamListener())
    sent = endpoint.requests[-1].body
    allowed = sent.get("tool_choice") or sent.get("toolConfig")
    assert allowed in ("none", {"type": "none"}, None)


def test_what_comes_again_is_marked_for_the_cache(endpoint: FakeEndpoint, ready: Ready) -> None:
    for provider, mark in (("bedrock", "cachePoint"), ("anthropic", "cache_control")):
        ready(provider).reply(question(*after_tools("0-a", "1-b")), FakeStreamListener())
        assert json.dumps(endpoint.requests[-1].body).count(mark) >= 2


@each_provider
def test_an_answer_at_its_limit_says_so_at_its_end(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [Answer(["Once upon"], reason=FinishReason.LENGTH)]
    reply = ready(provider).reply(question(), FakeStreamListener())
    assert reply.text == "Once upon\n\n[The answer stops here because it reached the model's maximum length.]"


class Gone(Exception):
    """Nobody listens any more."""


class Leaver(FakeStreamListener):
    def __call__(self, text: str) -> None:
        super().__call__(text)
        if text:
            raise Gone


@each_provider
def test_who_stops_listening_ends_the_connection(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    endpoint.replies = [Answer(["word "] * 400, pause=0.05)]
    with pytest.raises(Gone):
        ready(provider).reply(question(), Leaver())
    assert endpoint.client_disconnected.wait(2)


@each_provider
def test_twenty_are_answered_side_by_side(provider: str, endpoint: FakeEndpoint, ready: Ready) -> None:
    model = ready(provider)
    endpoint.default_reply = lambda asked: Answer([json.dumps(asked.body["messages"])], pause=0.02)

    def ask(number: int) -> str:
        return model.reply(question(UserMessage(text=f"number {number};")), FakeStreamListener()).text

    with ThreadPoolExecutor(20) as pool:
        texts = list(pool.map(ask, range(20)))
    endpoint.default_reply = lambda _: Answer(["Hello."])
    assert all(f"number {number};" in text for number, text in enumerate(texts))


# How each provider is told of a conversation


def _bedrock(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    told: list[tuple[Any, ...]] = []
    for message in body["messages"]:
        for block in message["content"]:
            if "text" in block:
                told.append((message["role"], block["text"]))
            if use := block.get("toolUse"):
                told.append(("call", use["toolUseId"], use["name"], use["input"]))
            if result := block.get("toolResult"):
                told.append(("result", result["toolUseId"], json.loads(result["content"][0]["text"])))
    return told


def _openai(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    told: list[tuple[Any, ...]] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            told.append(("result", message["tool_call_id"], _result(message["content"])))
        elif message["role"] != "system" and message.get("content"):
            told.append((message["role"], message["content"]))
        told += [
            ("call", call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls") or []
        ]
    return told


def _anthropic(body: dict[str, Any]) -> list[tuple[Any, ...]]:
    told: list[tuple[Any, ...]] = []
    for message in body["messages"]:
        for block in [message["content"]] if isinstance(message["content"], str) else message["content"]:
            if isinstance(block, str) or block["type"] == "text":
                told.append((message["role"], block if isinstance(block, str) else block["text"]))
            elif block["type"] == "tool_use":
                told.append(("call", block["id"], block["name"], block["input"]))
            elif block["type"] == "tool_result":
                content = block["content"]
                text = content if isinstance(content, str) else content[0]["text"]
                told.append(("result", block["tool_use_id"], json.loads(text)))
    return told


def _result(text: str) -> object:
    """Where a provider has no word for failure, it stands around the result."""
    found = json.loads(text)
    return json.loads(found["error"]) if "error" in found else found


TOLD = {"bedrock": _bedrock, "openai-chat": _openai, "anthropic": _anthropic}


def _tools(body: dict[str, Any]) -> list[tuple[str, Any]]:
    told = []
    for tool in body.get("tools") or body["toolConfig"]["tools"]:
        if "cachePoint" in tool:
            continue
        spec = tool.get("toolSpec") or tool.get("function") or tool
        schema = spec.get("inputSchema", {}).get("json") or spec.get("parameters") or spec.get("input_schema")
        told.append((spec["name"], schema))
    return told

"""Requests as providers receive them: how much of each the prompt cache holds since the request before."""

from dataclasses import replace

import pytest

from infra import usage
from satchel.domain.conversation import TokenUsage
from tests.fake_providers.prompt_cache import CachedTokens, read_blocks
from tests.fake_providers.replies import Answer
from tests.fake_providers.server import PROVIDERS, FakeEndpoint
from tests.fakes.llm import FakeStreamListener
from tests.integration.models.conftest import ModelFactory
from tests.integration.models.conversations import conversation_of_thirty_turns, send, turn_of_ten_rounds
from tests.integration.models.test_answers import make_request

MIN_CACHED = 0.85

each_provider = pytest.mark.parametrize("provider", PROVIDERS)


def cached_share(tokens: list[CachedTokens]) -> float:
    """Return the share of input tokens that was read from the cache, after the first request."""
    total = sum(tokens[1:], CachedTokens())
    return total.read / total.total


def assert_documented(conversation: str, provider: str, tokens: list[CachedTokens]) -> None:
    """Fail if the cost figures of a conversation with a Bedrock model differ from the measured tokens."""
    if provider == "bedrock":
        total = sum(tokens, CachedTokens())
        documented = usage.MODEL_TOKENS[conversation]["cached"]
        measured = usage.ModelTokens(read=total.read, written=total.written, uncached=total.uncached, output=0)
        assert replace(documented, output=0) == measured, "update infra/usage.py, then: make costs COSTS=--write"


@each_provider
def test_most_of_a_turn_of_ten_rounds_is_read_from_the_cache(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    tokens = send(turn_of_ten_rounds(), provider, endpoint, get_model)
    assert len(tokens) == 11
    assert cached_share(tokens) >= MIN_CACHED
    assert_documented("a turn of ten rounds", provider, tokens)


@each_provider
def test_most_of_a_conversation_of_thirty_turns_is_read_from_the_cache(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    tokens = send(conversation_of_thirty_turns(), provider, endpoint, get_model)
    assert len(tokens) == 60
    assert cached_share(tokens) >= MIN_CACHED
    assert min(each.read for each in tokens[1:]) > 0
    assert_documented("a conversation of 30 turns", provider, tokens)


def test_most_of_a_conversation_that_is_shortened_in_steps_is_read_from_the_cache(
    endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    requests = conversation_of_thirty_turns(context_tokens=20_000)
    assert "shortened" in requests[-1].model_dump_json()
    assert cached_share(send(requests, "bedrock", endpoint, get_model)) >= 0.6


@pytest.mark.parametrize("provider", ["anthropic", "bedrock"])
def test_cache_points_follow_tools_instructions_and_the_conversation(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    get_model(provider).reply(turn_of_ten_rounds()[-1], FakeStreamListener())
    blocks = list(read_blocks(endpoint.requests[-1].body))
    marked = [block.text for block in blocks if block.marked]
    assert ["web_pages_fetch" in marked[0], "You are Satchel" in marked[1]] == [True, True]
    assert marked[2:] == [blocks[-1].text]


@each_provider
def test_usage_has_the_tokens_read_from_and_written_to_the_cache(
    provider: str, endpoint: FakeEndpoint, get_model: ModelFactory
) -> None:
    endpoint.replies = [Answer(["Hi."], tokens=(1_000, 7), cache_tokens=(800, 150))]
    written = 0 if provider == "openai-chat" else 150  # OpenAI reports no writes: they cost nothing extra
    assert get_model(provider).reply(make_request(), FakeStreamListener()).usage == TokenUsage(
        input_tokens=1_000, output_tokens=7, cache_read_tokens=800, cache_write_tokens=written
    )

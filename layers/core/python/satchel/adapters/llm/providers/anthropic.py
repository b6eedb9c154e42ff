"""Anthropic's own API: ``anthropic:{model}``. The key is ``ANTHROPIC_API_KEY``.

``ANTHROPIC_BASE_URL`` names another address.
"""

from anthropic import AsyncAnthropic
from httpx2 import Timeout
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.settings import ModelSettings

from satchel.adapters.llm.connection import CONNECT_SECONDS, Connection, Wanted, key_of


def connect(wanted: Wanted) -> Connection:
    """Make ready to ask; what comes again (tools, instructions, the conversation so far) is marked for the cache."""
    client = AsyncAnthropic(
        api_key=key_of(wanted, "ANTHROPIC_API_KEY"),
        base_url=wanted.base_url,
        max_retries=0,
        timeout=Timeout(wanted.silence_seconds, connect=CONNECT_SECONDS),
    )
    model = AnthropicModel(wanted.model_id, provider=AnthropicProvider(anthropic_client=client))
    return Connection(model, ModelSettings(cache=True), client.close)

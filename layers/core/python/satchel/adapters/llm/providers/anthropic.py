"""Connects to Anthropic's Messages API, for model names ``anthropic:{model}``. The API key is ``ANTHROPIC_API_KEY``.

``ANTHROPIC_BASE_URL`` overrides the default address.
"""

from anthropic import AsyncAnthropic
from httpx2 import Timeout
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.settings import ModelSettings

from satchel.adapters.llm.connection import CONNECT_SECONDS, ModelConnection, ModelOptions, api_key


def connect(options: ModelOptions) -> ModelConnection:
    """Return a connection to a model. Requests mark tools, instructions and the conversation for prompt caching."""
    client = AsyncAnthropic(
        api_key=api_key(options, "ANTHROPIC_API_KEY"),
        base_url=options.base_url,
        max_retries=0,
        timeout=Timeout(options.silence_seconds, connect=CONNECT_SECONDS),
    )
    model = AnthropicModel(options.model_id, provider=AnthropicProvider(anthropic_client=client))
    return ModelConnection(model, ModelSettings(cache=True), client.close)

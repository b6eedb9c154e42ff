"""Connects to the chat completions API of OpenAI, vLLM, Ollama etc., for model names ``openai-chat:{model}``.

The API key is ``OPENAI_API_KEY`` (optional for a custom address). ``OPENAI_BASE_URL`` overrides the default address.
"""

import os

from httpx2 import Timeout
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from satchel.adapters.llm.connection import CONNECT_SECONDS, ModelConnection, ModelOptions, api_key

_PLACEHOLDER_KEY = "none"  # sent to servers that need no API key, because the client requires one


def connect(options: ModelOptions) -> ModelConnection:
    """Return a connection to a model. Requests need no cache settings, because OpenAI caches prompts by default."""
    base_url = options.base_url or os.environ.get("OPENAI_BASE_URL")
    client = AsyncOpenAI(
        api_key=api_key(options, "OPENAI_API_KEY", default=_PLACEHOLDER_KEY if base_url else None),
        base_url=base_url,
        max_retries=0,
        timeout=Timeout(options.silence_seconds, connect=CONNECT_SECONDS),
    )
    model = OpenAIChatModel(options.model_id, provider=OpenAIProvider(openai_client=client))
    return ModelConnection(model, ModelSettings(), client.close)

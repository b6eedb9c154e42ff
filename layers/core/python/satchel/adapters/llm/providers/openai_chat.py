"""OpenAI's chat completions, also served by vLLM, Ollama, LM Studio, LiteLLM and others: ``openai-chat:{model}``.

The key is ``OPENAI_API_KEY``, optional for a server with its own address. ``OPENAI_BASE_URL`` is the default address.
"""

import os

from httpx2 import Timeout
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from satchel.adapters.llm.connection import CONNECT_SECONDS, ModelConnection, ModelOptions, api_key

_PLACEHOLDER_KEY = "none"  # the client requires a key


def connect(options: ModelOptions) -> ModelConnection:
    """Return a connection. OpenAI caches prompts by default."""
    base_url = options.base_url or os.environ.get("OPENAI_BASE_URL")
    client = AsyncOpenAI(
        api_key=api_key(options, "OPENAI_API_KEY", default=_PLACEHOLDER_KEY if base_url else None),
        base_url=base_url,
        max_retries=0,
        timeout=Timeout(options.silence_seconds, connect=CONNECT_SECONDS),
    )
    model = OpenAIChatModel(options.model_id, provider=OpenAIProvider(openai_client=client))
    return ModelConnection(model, ModelSettings(), client.close)

"""Chat completions as OpenAI has them: OpenAI, vLLM, Ollama, LM Studio, LiteLLM … : ``openai-chat:{model}``.

The key is ``OPENAI_API_KEY``; a server of one's own may need none. Its address may be ``OPENAI_BASE_URL``, too.
"""

import os

from httpx2 import Timeout
from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings

from satchel.adapters.llm.connection import CONNECT_SECONDS, Connection, Wanted, key_of

_NO_KEY = "none"


def connect(wanted: Wanted) -> Connection:
    """Make ready to ask. OpenAI marks what comes again for its cache by itself."""
    base_url = wanted.base_url or os.environ.get("OPENAI_BASE_URL")
    client = AsyncOpenAI(
        api_key=key_of(wanted, "OPENAI_API_KEY", instead=_NO_KEY if base_url else None),
        base_url=base_url,
        max_retries=0,
        timeout=Timeout(wanted.silence_seconds, connect=CONNECT_SECONDS),
    )
    model = OpenAIChatModel(wanted.model_id, provider=OpenAIProvider(openai_client=client))
    return Connection(model, ModelSettings(), client.close)

"""Connects to Amazon Bedrock's ConverseStream API, for model names ``bedrock:{model id or inference profile}``.

Requests are signed with the AWS credentials of the process.
"""

from botocore.exceptions import NoRegionError
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.settings import ModelSettings

from satchel.adapters import clients
from satchel.adapters.llm.connection import CONNECT_SECONDS, ModelConnection, ModelOptions
from satchel.domain.llm import ModelAccessDenied


def connect(options: ModelOptions) -> ModelConnection:
    """Return a connection to a model. Requests mark repeated content for prompt caching if the model supports it."""
    try:
        client = clients.bedrock(options.base_url, CONNECT_SECONDS, options.silence_seconds)
    except NoRegionError:
        raise ModelAccessDenied("AWS_REGION is not set") from None
    model = BedrockConverseModel(options.model_id, provider=BedrockProvider(bedrock_client=client))

    async def close() -> None:
        client.close()

    return ModelConnection(model, ModelSettings(cache=True), close)

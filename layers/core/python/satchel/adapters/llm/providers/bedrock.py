"""Amazon Bedrock by ConverseStream: ``bedrock:{model or inference profile}``. Signed with the function's own role."""

from botocore.exceptions import NoRegionError
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.providers.bedrock import BedrockProvider
from pydantic_ai.settings import ModelSettings

from satchel.adapters import clients
from satchel.adapters.llm.connection import CONNECT_SECONDS, Connection, Wanted
from satchel.domain.llm import ModelAccessDenied


def connect(wanted: Wanted) -> Connection:
    """Make ready to ask; where its profile says that the model can, what comes again is marked for the cache."""
    try:
        client = clients.bedrock(wanted.base_url, CONNECT_SECONDS, wanted.silence_seconds)
    except NoRegionError:
        raise ModelAccessDenied("AWS_REGION is not set") from None
    model = BedrockConverseModel(wanted.model_id, provider=BedrockProvider(bedrock_client=client))

    async def close() -> None:
        client.close()

    return Connection(model, ModelSettings(cache=True), close)
